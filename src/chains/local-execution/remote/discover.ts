import { EMPTY_BYTES } from '../../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import type { AccountState, StateReader } from '../../../../packages/evm/interpreter/host.ts';
import { ChainError } from '../../../chain/errors.ts';
import { executeJob } from '../../embedded/execution/execute-job.ts';
import type { CallJob } from '../../embedded/execution/job.ts';
import { runSlice, SLICE_MS } from '../../embedded/execution/run-slice.ts';
import { EvmPool } from '../../embedded/simulation/evm-pool.ts';
import type { SimulatedChain } from '../../embedded/simulation/simulated-chain.ts';
import { Simulator } from '../../embedded/simulation/simulator.ts';
import { MissingState } from '../../embedded/state/missing-state.ts';
import { StateKeys } from '../proven/state-keys.ts';
import type { StateCache } from '../proven/state-requests.ts';
import type { RemoteBlock } from './remote-block.ts';

/** Reads of a call that ran on partly guessed state. */
export type Discovery = {
  readonly read: StateKeys;
  /** Reads whose values are not verified at the block. */
  readonly missing: StateKeys;
  /** True if the run read an unknown account or code, so that its further reads may differ from those of the real call. */
  readonly isBlind: boolean;
};

const NO_HASH = new Uint8Array(32);

/**
 * Finds the reads of a call by running it for one slice. State that is not verified is replaced by guesses. The result of the run is therefore
 * dropped.
 */
export class Discoverer {
  readonly #proven: StateCache;
  readonly #memoryLimit: number;
  /** Separate EVMs for discoveries, because they cache guessed state. */
  readonly #evms: EvmPool;

  constructor(proven: StateCache, memoryLimit: number) {
    this.#proven = proven;
    this.#memoryLimit = memoryLimit;
    this.#evms = new EvmPool(memoryLimit, 1);
  }

  discover(job: CallJob<undefined>, block: RemoteBlock): Discovery {
    const chain = new GuessedChain(this.#proven, block);
    const simulator = new Simulator(chain, this.#memoryLimit, { used: 0 }, this.#evms);
    try {
      const execution = executeJob(simulator, job);
      let step = runSlice(execution, performance.now() + SLICE_MS);
      if (!step.done) for (step = execution.return(''); !step.done; ) step = execution.next();
    } catch (error) {
      if (!(error instanceof ChainError || error instanceof MissingState)) throw error;
    }
    return chain;
  }
}

/** State of a block for a discovery. An account or slot that is not verified at the block has its value at another block, or is empty. */
class GuessedChain implements SimulatedChain, StateReader, Discovery {
  readonly read: StateKeys = new StateKeys();
  readonly missing: StateKeys = new StateKeys();
  isBlind = false;
  readonly #proven: StateCache;
  readonly #block: RemoteBlock;

  constructor(proven: StateCache, block: RemoteBlock) {
    this.#proven = proven;
    this.#block = block;
  }

  get config(): SimulatedChain['config'] {
    return this.#block.config;
  }

  getHeader(): RemoteBlock['stored'] {
    return this.#block.stored;
  }

  openState(): StateReader {
    return this;
  }

  getBlockHash(number: bigint): Uint8Array {
    this.read.addBlockHash(number);
    const hash = this.#block.blockHashes.get(number);
    if (hash === undefined) this.missing.addBlockHash(number);
    return hash ?? NO_HASH;
  }

  getAccount(address: Uint8Array): AccountState | undefined {
    const key = bytesToHex(address);
    this.read.addAccount(key);
    const { states } = this.#proven;
    const account = states.findAccount(this.#block.at, key);
    if (account !== undefined) return account ?? undefined;
    this.missing.addAccount(key);
    const latest = states.proven.latestOf(key);
    if (latest === undefined) this.isBlind = true;
    return latest?.proven?.account;
  }

  getStorage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    const account = this.getAccount(address);
    if (account?.hasStorage !== true) return EMPTY_BYTES;
    const [key, text] = [bytesToHex(address), bytesToHex(slot)];
    const { states } = this.#proven;
    this.read.addAccount(key).add(text);
    const value = states.findSlot(this.#block.at, key, text);
    if (value !== undefined) return value;
    this.missing.addAccount(key).add(text);
    for (const root of states.proven.latestOf(key)?.roots ?? []) {
      const earlier = states.proven.findSlot(root, text);
      if (earlier !== undefined) return earlier;
    }
    return EMPTY_BYTES;
  }

  /**
   * Returns a known code. If the code is unknown, throws, which ends the run. An unknown code is not replaced by a guess, because EVMs cache decoded
   * codes.
   */
  getCode(codeHash: Uint8Array): Uint8Array {
    const hash = bytesToHex(codeHash);
    this.read.codes.add(hash);
    const code = this.#proven.codes.find(hash);
    if (code !== undefined) return code;
    this.missing.codes.add(hash);
    this.isBlind = true;
    throw new MissingState({ kind: 'code', hash });
  }
}
