import type { ChainConfig } from '../../../../packages/ethereum/codecs/chain-config.ts';
import type { StateReader } from '../../../../packages/evm/interpreter/host.ts';
import { createStateReader } from '../state/state-reader.ts';
import type { ChainReader, StoredHeader } from '../store/chain-reader.ts';

/** Source of fork rules, headers and states, by block number, for the execution of calls. */
export interface SimulatedChain {
  readonly config: ChainConfig;
  /** Store with the chain; undefined if there is none. Block simulation requires a store. */
  readonly store?: ChainReader;
  getHeader(number: bigint): StoredHeader | undefined;
  /** Returns the hash of a block for BLOCKHASH; undefined if the chain has no block with this number. */
  getBlockHash(number: bigint): Uint8Array | undefined;
  /** Returns the state after a block; repeated calls usually return the same object. */
  openState(number: bigint): StateReader;
  /** True if only one call executes on the chain, so that the state cached in its EVM is useless afterwards. */
  readonly isForOneCall?: true;
}

/** Maximum number of cached state readers, above the number of pooled EVMs. */
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
