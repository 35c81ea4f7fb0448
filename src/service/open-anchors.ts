import { ChainError } from '../chain/errors.ts';
import type { NetworkOptions } from '../config/network-options.ts';
import type { Logger } from '../observe/logger.ts';
import type { AnchorFigures } from '../observe/sources.ts';
import type { AnchorOptions } from '../rollup/options.ts';
import { RequestScope } from '../util/request-scope.ts';
import type { ObservedChain } from './open-chain.ts';

/** Interval between reads of layer 1, ms; after a failure the interval is shorter, and each further failure doubles it. */
const READ_MS = 600_000;
const FIRST_RETRY_MS = 15_000;
/** Maximum interval while no node has the block that layer 1 commits to, ms: in this state, no answer of the network is verified. */
const CONTRADICTED_MS = 60_000;
/** Time limit for reading layer 1 and finding the rollup's block, ms. The work is a few proofs, then a header from each node and one more proof. */
const READ_LIMIT_MS = 30_000;

/** Maximum wait until recent blocks of both networks are verified for the first time, ms. */
const CALIBRATE_LIMIT_MS = 15_000;

/** Anchored rollup, its layer 1 network, and the layer 1 contract with the output roots. */
type AnchoredNetwork = {
  readonly name: string;
  readonly chain: ObservedChain;
  readonly l1: ObservedChain;
  readonly options: AnchorOptions;
};

/** Reads the layer 1 of each anchored rollup of a configuration periodically. */
export class Anchors {
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #scopes = new Set<RequestScope>();
  readonly #log: Logger;
  #isClosed = false;

  constructor(
    networks: Readonly<Record<string, NetworkOptions>>,
    chains: ReadonlyMap<string, ObservedChain>,
    log: Logger,
  ) {
    this.#log = log;
    for (const [name, { rollup }] of Object.entries(networks)) {
      const chain = chains.get(name);
      const l1 = chains.get(rollup?.l1 ?? '');
      if (rollup?.anchor === undefined || chain === undefined || l1 === undefined) continue;
      void this.#read({ name, chain, l1, options: rollup.anchor }, FIRST_RETRY_MS);
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    for (const scope of this.#scopes) scope.abort();
  }

  /** @param retryMs time to the next read if this read fails, ms */
  async #read(network: AnchoredNetwork, retryMs: number): Promise<void> {
    const { name, chain, l1, options } = network;
    // The anchor is read only after the state of layer 1 is verified. If a node is still unreachable after the time limit, the read reports the
    // error.
    await this.#waitAtMost(name, Promise.all([chain.calibrated, l1.calibrated]), CALIBRATE_LIMIT_MS);
    if (this.#isClosed) return;
    const scope = new RequestScope(performance.now() + READ_LIMIT_MS);
    this.#scopes.add(scope);
    try {
      await anchorOnce(chain, l1, options, scope);
    } catch (error) {
      this.#log.error({ network: name, err: error }, 'layer 1 cannot be read because of an internal error');
    }
    this.#scopes.delete(scope);
    if (this.#isClosed) return;
    const pause = choosePause(chain.describe().verification?.anchor, retryMs);
    this.#plan(network, pause);
  }

  /** Schedules the next read: after the interval, or as soon as unreachable nodes answer again. */
  #plan(network: AnchoredNetwork, { waitMs, retryMs }: ReadingPause): void {
    const { name, chain, l1 } = network;
    const canRead = (): boolean => chain.isAnswerable && l1.isAnswerable;
    const begin = (nextRetryMs: number): void => {
      for (const stop of stops) stop();
      clearTimeout(timer);
      if (!this.#isClosed) void this.#read(network, nextRetryMs);
    };
    const timer = setTimeout(() => begin(retryMs), waitMs);
    timer.unref();
    this.#timers.set(name, timer);
    const stops = canRead()
      ? []
      : [chain, l1].map(({ heads }) => heads.watch(() => canRead() && begin(FIRST_RETRY_MS)));
  }

  /** Resolves when the work is done, or after the time limit. */
  #waitAtMost(name: string, work: Promise<unknown>, limitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, limitMs);
      timer.unref();
      this.#timers.set(name, timer);
      void work.finally(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}

type ReadingPause = {
  readonly waitMs: number;
  /** Time to the next read if the next read fails again, ms. */
  readonly retryMs: number;
};

/**
 * Returns the time to the next read of layer 1.
 * @param figures result of the last read
 * @param retryMs time to the next read after a failure, ms
 */
export function choosePause(figures: AnchorFigures | undefined, retryMs: number): ReadingPause {
  if (figures?.reason === undefined) return { waitMs: READ_MS, retryMs: FIRST_RETRY_MS };
  const longestMs = figures.state === 'contradicted' ? CONTRADICTED_MS : READ_MS;
  const waitMs = Math.min(retryMs, longestMs);
  return { waitMs, retryMs: Math.min(2 * waitMs, longestMs) };
}

/** Reads layer 1 and anchors the chain in the output root that layer 1 has; failures are noted in the figures of the chain. */
export async function anchorOnce(
  chain: ObservedChain,
  l1: ObservedChain,
  options: AnchorOptions,
  scope: RequestScope,
): Promise<void> {
  // Loaded on demand: most configurations have no anchored rollup.
  const { NoAnchor, readAnchor } = await import('./node-parts.ts');
  const { layer1 } = chain;
  try {
    await layer1?.anchor(await readAnchor(l1, options, chain.chainId, scope), scope);
  } catch (error) {
    if (!(error instanceof NoAnchor || error instanceof ChainError)) throw error;
    const { message } = error;
    if (!scope.aborted)
      layer1?.noteUnanchored(error instanceof NoAnchor ? message : `layer 1 cannot be read: ${message}`);
  }
}
