import type { NetworkOptions } from '../config/network-options.ts';
import type { ExecutionPool, ExecutionPoolOptions } from '../engine/execution/execution-pool.ts';
import type { Logger } from '../observe/logger.ts';
import type { EngineFigures } from '../observe/sources.ts';
import type { ObservedChain } from './open-chain.ts';

/** What is executed on embedded chains is bounded by; what is absent is as by default. */
export type ExecutionBounds = Partial<ExecutionPoolOptions> &
  Pick<ExecutionPoolOptions, 'threads' | 'onFault'>;

/** Where an embedded chain is. */
export type EmbeddedSource = Pick<NetworkOptions, 'builtin' | 'embedded' | 'logs'>;

/** The engine has not been loaded. */
const NOTHING: EngineFigures = { places: [], queued: 0, running: 0, threads: 0 };

/** The embedded chains of a process, and the pool that their executions share. The engine is loaded with the first of them. */
export class EmbeddedChains {
  readonly #bounds: ExecutionBounds;
  #pool: ExecutionPool | undefined;

  constructor(bounds: ExecutionBounds) {
    this.#bounds = bounds;
  }

  /** @throws Error when it cannot be opened */
  async open(source: EmbeddedSource, dataDir: string, log: Logger): Promise<ObservedChain> {
    const { createPool, openEmbeddedChain } = await import('./open-embedded-chain.ts');
    this.#pool ??= createPool(this.#bounds);
    return openEmbeddedChain(source, this.#pool, { dataDir, log });
  }

  /** What metrics show. */
  describe(): EngineFigures {
    return this.#pool?.describe() ?? NOTHING;
  }

  async close(): Promise<void> {
    await this.#pool?.close();
  }
}
