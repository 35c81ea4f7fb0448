import { setTimeout as wait } from 'node:timers/promises';
import type { CancelSource } from '../util/cancel-source.ts';
import type { NetworkHead } from './heads/network-head.ts';
import { agreeOnChain, type ChainIdentity, type ConfiguredChain, type Membership } from './membership.ts';
import type { PoolOptions } from './options.ts';
import type { Upstream } from './upstream.ts';

/** How long a start waits for an upstream that reports which chain this is. */
const START_LIMIT_MS = 15_000;
const START_RETRY_MS = 250;
/** A start that waits longer says so. */
const NOTICE_MS = 1_000;
/** How long it waits for more than half of them: a node of another chain that is up first must not decide. */
const PATIENCE_MS = 5_000;
/** The same where the configuration names the chain, and only its genesis block may be left open. */
const NAMED_PATIENCE_MS = 1_500;
/** How long a start waits for the head; without one the first requests wait. */
const HEAD_LIMIT_MS = 3_000;
const HEAD_CHECK_MS = 10;

/** How long a refresh waits for a node that does not report its head. */
const REFRESH_LIMIT_MS = 500;

/** Asks the healthy upstreams for their heads now. Never rejects. */
export async function refreshHeads(upstreams: readonly Upstream[]): Promise<void> {
  const healthy = upstreams.filter(({ isUp }) => isUp);
  const polls = Promise.all(healthy.map(({ tracker }) => tracker.refresh()));
  await waitAtMost(polls, REFRESH_LIMIT_MS);
}

/**
 * Until there is a head, and every upstream that will answer has reported its heads: the first one must not decide alone.
 * The timer keeps the process alive: nothing listens yet.
 */
export async function waitForHeads(
  head: NetworkHead,
  upstreams: readonly Upstream[],
  stopping: CancelSource,
): Promise<void> {
  const until = performance.now() + HEAD_LIMIT_MS;
  const mayReport = ({ isAwaited, standing, isAway }: Upstream): boolean =>
    isAwaited || (standing === 'verified' && !isAway);
  const isMissed = (upstream: Upstream): boolean =>
    upstream.isAwaited || (mayReport(upstream) && !upstream.tracker.hasMarks);
  const isWaiting = (): boolean =>
    head.head === undefined ? upstreams.some(mayReport) : upstreams.some(isMissed);
  while (!stopping.aborted && performance.now() < until && isWaiting()) await wait(HEAD_CHECK_MS);
}

/** Which chain the configuration names: all that is missing is what the upstreams agree on. */
export function readConfigured({ chainId, genesisHash }: PoolOptions): ConfiguredChain {
  return {
    ...(chainId !== undefined && { chainId }),
    ...(genesisHash !== undefined && { genesisHash }),
  };
}

/**
 * Asks every upstream once which chain it is of. The configuration names the chain: only which genesis block is meant may
 * be left open, to the first majority.
 */
export async function identifyNamedChain(
  upstreams: readonly Upstream[],
  membership: Membership,
  pool: PoolOptions & { readonly chainId: bigint },
): Promise<ChainIdentity> {
  const { chainId, genesisHash } = pool;
  const findMajority = (): ChainIdentity | undefined => {
    const agreed = agreeOnChain(upstreams, readConfigured(pool));
    return agreed !== undefined && agreed.votes > upstreams.length / 2 ? agreed.identity : undefined;
  };
  await waitAtMost(
    membership.askAll(() => findMajority() !== undefined),
    NAMED_PATIENCE_MS,
  );
  return findMajority() ?? { chainId, genesisHash };
}

/** Asks until it is known which chain this is. @throws Error when no upstream reports it in time */
export async function identifyChain(
  upstreams: readonly Upstream[],
  membership: Membership,
  pool: PoolOptions,
): Promise<ChainIdentity> {
  const { genesisHash } = pool;
  const until = performance.now() + START_LIMIT_MS;
  const patience = performance.now() + PATIENCE_MS;
  const configured = readConfigured(pool);
  for (;;) {
    await membership.askAll(() => (agreeOnChain(upstreams, configured)?.votes ?? 0) > upstreams.length / 2);
    const agreed = agreeOnChain(upstreams, configured);
    const isMajority = agreed !== undefined && agreed.votes > upstreams.length / 2;
    if (agreed !== undefined && isMajority) return agreed.identity;
    // Too few to decide on a genesis block: that is left open (see Membership).
    if (agreed !== undefined && performance.now() > patience) return { ...agreed.identity, genesisHash };
    if (performance.now() > until) {
      throw new Error('no upstream answers, and pool.chainId does not say which chain this is');
    }
    await wait(START_RETRY_MS);
  }
}

/** The work, and a notice when it takes long. */
export async function watchWait<T>(work: Promise<T>, onLong: () => void): Promise<T> {
  const timer = setTimeout(onLong, NOTICE_MS);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}

/** Until the work is done, or the time is up. */
async function waitAtMost(work: Promise<unknown>, limitMs: number): Promise<void> {
  const limit = new AbortController();
  const timeUp = wait(limitMs, undefined, { signal: limit.signal }).catch(() => {});
  await Promise.race([work, timeUp]);
  limit.abort();
}
