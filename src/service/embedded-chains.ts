import type { ChainConfig } from '../../packages/ethereum/codecs/chain-config.ts';
import type { ExecutionPool, ExecutionPoolOptions } from '../chains/embedded/execution/execution-pool.ts';
import { DEFAULT_STATE_CACHE_BYTES } from '../chains/embedded/options.ts';
import type { LmdbCodes } from '../chains/local-execution/proven/lmdb-codes.ts';
import type { NetworkOptions } from '../config/network-options.ts';
import type { Logger } from '../observe/logger.ts';
import type { EngineFigures } from '../observe/sources.ts';
import type { ObservedChain } from './open-chain.ts';
import type { OpenExecutions } from './open-executions.ts';

/** Execution limits; absent ones have their defaults. */
export type ExecutionBounds = Partial<ExecutionPoolOptions> &
  Pick<ExecutionPoolOptions, 'threads' | 'onFault'> & {
    /** Most bytes of verified state to cache per network. */
    readonly provenState?: number;
  };

/** Source of an embedded chain. */
export type EmbeddedSource = Pick<NetworkOptions, 'builtin' | 'embedded' | 'logs'>;

/** Figures while the engine has not been loaded. */
const NOTHING: EngineFigures = { places: [], queued: 0, running: 0, threads: 0 };

/** Embedded chains of a process, and the pool that executes their calls. The engine is loaded when the first one is opened. */
export class EmbeddedChains {
  readonly #bounds: ExecutionBounds;
  #pool: ExecutionPool | undefined;
  #codes: LmdbCodes | undefined;
  #isClosed = false;

  constructor(bounds: ExecutionBounds) {
    this.#bounds = bounds;
  }

  /** @throws Error if the chain cannot be opened */
  async open(source: EmbeddedSource, dataDir: string, log: Logger): Promise<ObservedChain> {
    const { createExecutionPool, openEmbeddedChain } = await import('./engine-parts.ts');
    this.#pool ??= createExecutionPool(this.#bounds);
    return openEmbeddedChain(source, this.#pool, { dataDir, log });
  }

  /**
   * Prepares local execution of calls for a network of nodes.
   * @param config configured rules of the chain; undefined if nodes report them
   * @throws Error with the folder that cannot be written
   */
  async loadExecutions(
    network: string,
    options: NetworkOptions,
    config: ChainConfig | undefined,
    { dataDir, log }: { readonly dataDir: string; readonly log: Logger },
  ): Promise<OpenExecutions> {
    const { createExecutionPool, openCodes, openExecutions } = await import('./engine-parts.ts');
    if (this.#isClosed) throw new Error('the service is closing');
    this.#pool ??= createExecutionPool(this.#bounds);
    // Sampled calls are rare, so their contract codes are only cached in memory.
    if (options.execution !== 'node') this.#codes ??= openCodes(dataDir);
    return openExecutions(network, options, { pool: this.#pool, config, log });
  }

  /** Cache of a network's verified state: its size in bytes, and the disk store of contract codes once calls are executed locally. */
  get provenState(): { readonly bytes: number; readonly codes: LmdbCodes | undefined } {
    return { bytes: this.#bounds.provenState ?? DEFAULT_STATE_CACHE_BYTES, codes: this.#codes };
  }

  /** Returns the figures for metrics. */
  describe(): EngineFigures {
    return this.#pool?.describe() ?? NOTHING;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#pool?.close();
    await this.#codes?.close();
  }
}
