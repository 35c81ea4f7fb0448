import type { ChainConfig } from '../chain/chain-config.ts';
import type { NetworkOptions } from '../config/network-options.ts';
import type { ExecutionPool, ExecutionPoolOptions } from '../engine/execution/execution-pool.ts';
import { DEFAULT_PROVEN_STATE } from '../engine/options.ts';
import type { Logger } from '../observe/logger.ts';
import type { EngineFigures } from '../observe/sources.ts';
import type { LmdbCodes } from '../proven/lmdb-codes.ts';
import type { ObservedChain } from './open-chain.ts';
import type { OpenExecutions } from './open-executions.ts';

/** Limits of execution; absent ones have their defaults. */
export type ExecutionBounds = Partial<ExecutionPoolOptions> &
  Pick<ExecutionPoolOptions, 'threads' | 'onFault'> & {
    /** Proven state of a network that may be held, bytes. */
    readonly provenState?: number;
  };

/** Where an embedded chain is. */
export type EmbeddedSource = Pick<NetworkOptions, 'builtin' | 'embedded' | 'logs'>;

/** The engine has not been loaded. */
const NOTHING: EngineFigures = { places: [], queued: 0, running: 0, threads: 0 };

/** The embedded chains of a process, and the pool that executes its calls. The engine is loaded when one of them is opened first. */
export class EmbeddedChains {
  readonly #bounds: ExecutionBounds;
  #pool: ExecutionPool | undefined;
  #codes: LmdbCodes | undefined;
  #isClosed = false;

  constructor(bounds: ExecutionBounds) {
    this.#bounds = bounds;
  }

  /** @throws Error when it cannot be opened */
  async open(source: EmbeddedSource, dataDir: string, log: Logger): Promise<ObservedChain> {
    const { createPool, openEmbeddedChain } = await import('./engine-parts.ts');
    this.#pool ??= createPool(this.#bounds);
    return openEmbeddedChain(source, this.#pool, { dataDir, log });
  }

  /**
   * Gets ready to execute calls of a network of nodes.
   * @param config rules of the chain, where they are configured
   * @throws Error naming the folder that cannot be written
   */
  async loadExecutions(
    network: string,
    options: NetworkOptions,
    config: ChainConfig | undefined,
    { dataDir, log }: { readonly dataDir: string; readonly log: Logger },
  ): Promise<OpenExecutions> {
    const { createPool, openCodes, prepareExecutions } = await import('./engine-parts.ts');
    if (this.#isClosed) throw new Error('the service is closing');
    this.#pool ??= createPool(this.#bounds);
    // Samples are executed seldom: their codes are kept in memory.
    if (options.execution !== 'node') this.#codes ??= openCodes(dataDir);
    return prepareExecutions(network, options, { pool: this.#pool, config, log });
  }

  /** Where state that the nodes of one network have proven is kept: codes on disk too, once calls are executed on it. */
  get provenState(): { readonly bytes: number; readonly codes: LmdbCodes | undefined } {
    return { bytes: this.#bounds.provenState ?? DEFAULT_PROVEN_STATE, codes: this.#codes };
  }

  /** What metrics show. */
  describe(): EngineFigures {
    return this.#pool?.describe() ?? NOTHING;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#pool?.close();
    await this.#codes?.close();
  }
}
