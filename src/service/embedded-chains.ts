import type { ChainConfig } from '../../packages/ethereum/codecs/chain-config.ts';
import type { ExecutionPool, ExecutionPoolOptions } from '../chains/embedded/execution/execution-pool.ts';
import { DEFAULT_STATE_CACHE_BYTES } from '../chains/embedded/options.ts';
import type { LmdbCodes } from '../chains/local-execution/proven/lmdb-codes.ts';
import type { NetworkOptions } from '../config/network-options.ts';
import type { Logger } from '../observe/logger.ts';
import type { EngineFigures } from '../observe/sources.ts';
import type { ObservedChain } from './open-chain.ts';
import type { OpenExecutions } from './open-executions.ts';

/** Limits of execution; an absent limit has its default. */
export type ExecutionBounds = Partial<ExecutionPoolOptions> &
  Pick<ExecutionPoolOptions, 'threads' | 'onFault'> & {
    /** Maximum size of the cache of verified state per network, bytes. */
    readonly provenState?: number;
  };

/** Options of a network that determine its embedded chain. */
export type EmbeddedSource = Pick<NetworkOptions, 'builtin' | 'embedded' | 'logs'>;

/** Engine figures that are reported before the engine is loaded. */
const NOTHING: EngineFigures = { places: [], queued: 0, running: 0, threads: 0 };

/** Embedded chains of a process, and the pool that executes their calls. Opening the first chain loads the engine. */
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
   * @param config configured fork rules of the chain; undefined if nodes report the rules
   * @throws Error that names the data folder if the folder cannot be written
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
    // Sampled calls are rare, so the contract codes that they use are cached only in memory.
    if (options.execution !== 'node') this.#codes ??= openCodes(dataDir);
    return openExecutions(network, options, { pool: this.#pool, config, log });
  }

  /**
   * Maximum size of each network's cache of verified state, bytes; and the disk store of contract codes, undefined until calls are executed locally.
   */
  get provenState(): { readonly bytes: number; readonly codes: LmdbCodes | undefined } {
    return { bytes: this.#bounds.provenState ?? DEFAULT_STATE_CACHE_BYTES, codes: this.#codes };
  }

  /** Returns the figures of the execution pool for metrics. */
  describe(): EngineFigures {
    return this.#pool?.describe() ?? NOTHING;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#pool?.close();
    await this.#codes?.close();
  }
}
