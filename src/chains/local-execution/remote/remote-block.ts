import type { ChainConfig } from '../../../../packages/ethereum/codecs/chain-config.ts';
import type { StateReader } from '../../../../packages/evm/interpreter/host.ts';
import type { SimulatedChain } from '../../embedded/simulation/simulated-chain.ts';
import { MissingState } from '../../embedded/state/missing-state.ts';
import { PartialState } from '../../embedded/state/partial-state.ts';
import type { StoredHeader } from '../../embedded/store/chain-reader.ts';
import type { BlockState, HeadPlace } from '../proven/state-nodes.ts';
import type { StateRequests } from '../proven/state-requests.ts';

/** Block with a verified header, and the fork rules that apply to the block. */
export type RemoteBlock = {
  readonly config: ChainConfig;
  /** Reason why the rules may be wrong, as a clause for an error text; undefined if the rules are certain. */
  readonly whyUnverifiable: string | undefined;
  readonly stored: StoredHeader;
  readonly at: HeadPlace;
  /** Known hashes of earlier blocks; always includes the hash of the parent. */
  readonly blockHashes: Map<bigint, Uint8Array>;
};

/** Maximum number of cached state readers, above the number of pooled EVMs. */
const MAX_STATES = 8;

/** Chain for the execution of calls, which consists of one selected block. */
export class RemoteChain implements SimulatedChain {
  readonly #requests: StateRequests;
  readonly #open = new Map<string, StateReader>();
  #block: RemoteBlock | undefined;

  constructor(requests: StateRequests) {
    this.#requests = requests;
  }

  /** Selects the block for the next executions. @returns whether another block was selected before */
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

  /**
   * Returns the state of the selected block. Blocks with the same state root share a reader. A block with an access list has a separate reader,
   * because values derived from the list are valid only for this block.
   */
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
