import type { ChainConfig } from '../../chain/chain-config.ts';
import type { StateReader } from '../../evm/host.ts';
import type { ChainReader, StoredHeader } from '../../store/chain-reader.ts';
import { createStateReader } from '../state/state-reader.ts';

/** What calls are executed on: the rules of a chain, its headers, and states by number. */
export interface SimulatedChain {
  readonly config: ChainConfig;
  /** The store behind it, on which blocks can be simulated too. */
  readonly store?: ChainReader;
  getHeader(number: bigint): StoredHeader | undefined;
  /** Hash of a block before one that executes; undefined where there is none. */
  getBlockHash(number: bigint): Uint8Array | undefined;
  /** State after a block; the same object for as long as it is likely to be asked for. */
  openState(number: bigint): StateReader;
  /** Its state is opened for one call: no EVM is kept for it. */
  readonly isForOneCall?: true;
}

/** States that are remembered: more than there are EVMs that are kept for them. */
const MAX_STATES = 8;

/** The chain of a store. */
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
