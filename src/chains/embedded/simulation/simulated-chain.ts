import type { ChainConfig } from '../../../../packages/ethereum/codecs/chain-config.ts';
import type { StateReader } from '../../../../packages/evm/interpreter/host.ts';
import { createStateReader } from '../state/state-reader.ts';
import type { ChainReader, StoredHeader } from '../store/chain-reader.ts';

/** Chain on which calls execute: its rules, its headers, and its states by block number. */
export interface SimulatedChain {
  readonly config: ChainConfig;
  /** Underlying store; block simulation requires it. */
  readonly store?: ChainReader;
  getHeader(number: bigint): StoredHeader | undefined;
  /** Returns the hash of an ancestor of an executing block; undefined when there is none. */
  getBlockHash(number: bigint): Uint8Array | undefined;
  /** Returns the state after a block; repeated calls usually return the same object. */
  openState(number: bigint): StateReader;
  /** True if the state is opened for one call only; no EVM is then pooled for it. */
  readonly isForOneCall?: true;
}

/** Maximum number of cached states; more than pooled EVMs. */
const MAX_STATES = 8;

/** Chain whose blocks are in a store. */
export class StoredChain implements SimulatedChain {
  readonly store: ChainReader;
  readonly #states = new Map<bigint, StateReader>();

  constructor(store: ChainReader) {
    this.store = store;
  }

  get config(): ChainConfig {
    return this.store.config;
  }

  getHeader(number: bigint): StoredHeader | undefined {
    return this.store.getHeader(number);
  }

  getBlockHash(number: bigint): Uint8Array | undefined {
    return this.store.getHeader(number)?.hash;
  }

  openState(number: bigint): StateReader {
    let state = this.#states.get(number);
    if (state !== undefined) return state;
    state = createStateReader(this.store, number);
    const [oldest] = this.#states.size < MAX_STATES ? [] : this.#states.keys();
    if (oldest !== undefined) this.#states.delete(oldest);
    this.#states.set(number, state);
    return state;
  }
}
