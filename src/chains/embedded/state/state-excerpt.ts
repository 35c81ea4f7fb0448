import type { ChainConfig } from '../../../../packages/ethereum/codecs/chain-config.ts';
import type { AccountState, StateReader } from '../../../../packages/evm/interpreter/host.ts';
import type { SimulatedChain } from '../simulation/simulated-chain.ts';
import type { StoredHeader } from '../store/chain-reader.ts';
import { MissingState } from './missing-state.ts';
import { PartialState } from './partial-state.ts';

/** An account and those of its slots that are available. */
export type ExcerptAccount = {
  readonly account: AccountState;
  readonly slots: ReadonlyMap<string, Uint8Array>;
};

/** Parts of a chain that a call at one block needs. An excerpt is sent to an execution thread, which has no store with this chain. */
export type StateExcerpt = {
  readonly config: ChainConfig;
  readonly block: StoredHeader;
  readonly blockHashes: ReadonlyMap<bigint, Uint8Array>;
  /** Accounts by address; null when the account does not exist. Addresses, slots and code hashes are lower-case `0x` text. */
  readonly accounts: ReadonlyMap<string, ExcerptAccount | null>;
  readonly codes: ReadonlyMap<string, Uint8Array>;
};

/** Chain that serves one block from a `StateExcerpt`; reading other data throws `MissingState`. */
export class ExcerptChain implements SimulatedChain {
  readonly isForOneCall = true;
  readonly #excerpt: StateExcerpt;
  readonly #state: StateReader;

  constructor(excerpt: StateExcerpt) {
    const { accounts, codes } = excerpt;
    this.#excerpt = excerpt;
    this.#state = new PartialState({
      findAccount: (address) => {
        const known = accounts.get(address);
        return known === null ? null : known?.account;
      },
      findSlot: (address, slot) => accounts.get(address)?.slots.get(slot),
      findCode: (hash) => codes.get(hash),
    });
  }

  get config(): ChainConfig {
    return this.#excerpt.config;
  }

  getHeader(number: bigint): StoredHeader | undefined {
    const { block } = this.#excerpt;
    return number === block.header.number ? block : undefined;
  }

  /** @throws MissingState when the hash is unavailable */
  getBlockHash(number: bigint): Uint8Array {
    const hash = this.#excerpt.blockHashes.get(number);
    if (hash === undefined) throw new MissingState({ kind: 'blockHash', number });
    return hash;
  }

  openState(): StateReader {
    return this.#state;
  }
}
