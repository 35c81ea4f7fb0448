import type { ChainConfig } from '../../../../packages/ethereum/codecs/chain-config.ts';
import type { StateReader } from '../../../../packages/evm/interpreter/host.ts';
import type { SimulatedChain } from '../../embedded/simulation/simulated-chain.ts';
import { MissingState } from '../../embedded/state/missing-state.ts';
import { PartialState } from '../../embedded/state/partial-state.ts';
import type { StoredHeader } from '../../embedded/store/chain-reader.ts';
import type { BlockState, HeadPlace } from '../proven/state-nodes.ts';
import type { StateRequests } from '../proven/state-requests.ts';

/** Block with a verified header. */
export type RemoteBlock = {
  readonly config: ChainConfig;
  /** Why it may have other rules, as the rest of a sentence; undefined if they are known. */
  readonly whyUnverifiable: string | undefined;
  readonly stored: StoredHeader;
  readonly at: HeadPlace;
  /** Known hashes of earlier blocks: always includes the parent's. */
  readonly blockHashes: Map<bigint, Uint8Array>;
};

/** Cap on cached state readers: more than there are EVMs kept for them. */
const MAX_STATES = 8;

/** Chain view of one selected block, on which calls are executed. */
export class RemoteChain implements SimulatedChain {
  readonly #requests: StateRequests;
  readonly #open = new Map<string, StateReader>();
  #block: RemoteBlock | undefined;

  constructor(requests: StateRequests) {
    this.#requests = requests;
  }

  /** Selects the block for executions. @returns whether it differs from the previous one */
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

  /** States are shared by state root; with an access list by block hash, since the list holds only if its block is valid. */
  openState(): StateReader {
    const { at } = this.#selected;
    const name = at.accessListHash === undefined ? at.stateRoot : at.hash;
    let state = this.#open.get(name);
    if (state === undefined) {
      state = this.#createState(at);
      const [oldest] = this.#open.size < MAX_STATES ? [] : this.#open.keys();
      if (oldest !== undefined) this.#open.delete(oldest);
      this.#open.set(name, state);
    }
    return state;
  }

  get #selected(): RemoteBlock {
    if (this.#block === undefined) throw new Error('no block is selected');
    return this.#block;
  }

  #createState(at: BlockState): StateReader {
    const { proven, warmUp } = this.#requests;
    const { states, codes } = proven;
    return new PartialState({
      findAccount(address) {
        warmUp.noteRead(at.stateRoot, address);
        return states.findAccount(at, address);
      },
      findSlot(address, slot) {
        warmUp.noteRead(at.stateRoot, address, slot);
        return states.findSlot(at, address, slot);
      },
      findCode: (hash) => codes.find(hash),
    });
  }
}
