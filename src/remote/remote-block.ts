import type { ChainConfig } from '../chain/chain-config.ts';
import type { SimulatedChain } from '../engine/simulation/simulated-chain.ts';
import { MissingState } from '../engine/state/missing-state.ts';
import { PartialState } from '../engine/state/partial-state.ts';
import type { StateReader } from '../evm/host.ts';
import type { StoredHeader } from '../store/chain-reader.ts';
import type { Codes } from './codes.ts';
import { HotKeys } from './hot-keys.ts';
import type { ProvenStates } from './proven-states.ts';

/** A block with a verified header. */
export type RemoteBlock = {
  readonly config: ChainConfig;
  /** Why it may have other rules, as the rest of a sentence; undefined where they are known. */
  readonly whyUnproven: string | undefined;
  readonly stored: StoredHeader;
  /** Lower-case `0x` text. */
  readonly stateRoot: string;
  /** Hashes of blocks before it, from its parent on without a gap. */
  readonly blockHashes: Map<bigint, Uint8Array>;
};

/** What is proven of the states of all blocks. */
export type Proven = { readonly states: ProvenStates; readonly codes: Codes };

/** States that are remembered: more than there are EVMs that are kept for them. */
const MAX_STATES = 8;

/** One block at a time as a chain that calls are executed on. */
export class RemoteChain implements SimulatedChain {
  readonly #proven: Proven;
  readonly #open = new Map<string, StateReader>();
  /** What is read of the head's state. */
  readonly hot: HotKeys = new HotKeys();
  /** State root of the head. */
  headRoot: string | undefined;
  #block: RemoteBlock | undefined;

  constructor(proven: Proven) {
    this.#proven = proven;
  }

  /** The block that is executed on until another one is chosen. @returns whether it is another one */
  select(block: RemoteBlock): boolean {
    const isOther = this.#block !== block;
    this.#block = block;
    return isOther;
  }

  get config(): ChainConfig {
    return this.#selected.config;
  }

  getHeader(number: bigint): StoredHeader | undefined {
    const { stored } = this.#selected;
    return stored.header.number === number ? stored : undefined;
  }

  getBlockHash(number: bigint): Uint8Array {
    const hash = this.#selected.blockHashes.get(number);
    if (hash === undefined) throw new MissingState({ kind: 'blockHash', number });
    return hash;
  }

  /** States with the same root are one state. */
  openState(): StateReader {
    const { stateRoot } = this.#selected;
    let state = this.#open.get(stateRoot);
    if (state === undefined) {
      state = this.#createState(stateRoot);
      const [oldest] = this.#open.size < MAX_STATES ? [] : this.#open.keys();
      if (oldest !== undefined) this.#open.delete(oldest);
      this.#open.set(stateRoot, state);
    }
    return state;
  }

  get #selected(): RemoteBlock {
    if (this.#block === undefined) throw new Error('no block is selected');
    return this.#block;
  }

  #createState(stateRoot: string): StateReader {
    const { states, codes } = this.#proven;
    const noteRead = (address: string, slot?: string): void => {
      if (stateRoot === this.headRoot) this.hot.noteRead(address, slot);
    };
    return new PartialState({
      findAccount(address) {
        noteRead(address);
        const proven = states.findAccount(stateRoot, address);
        return proven === null ? null : proven?.account;
      },
      findSlot(address, slot) {
        noteRead(address, slot);
        const proven = states.findAccount(stateRoot, address);
        return proven == null ? undefined : states.findSlot(proven.storageRoot, slot);
      },
      findCode: (hash) => codes.find(hash),
    });
  }
}
