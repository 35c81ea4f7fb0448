import { setTimeout as wait } from 'node:timers/promises';
import type { NetworkHead } from './heads/network-head.ts';
import { agreeOnChain, type ChainIdentity, type Membership } from './membership.ts';
import type { PoolOptions } from './options.ts';
import type { Upstream } from './upstream.ts';

/** How long a start waits for an upstream to say which chain this is. */
const START_LIMIT_MS = 15_000;
const START_RETRY_MS = 250;
/** How long it waits for more than half of them: a node of another chain that is up first must not decide. */
const PATIENCE_MS = 5_000;
/** How long a start waits for the head; without one the first requests wait. */
const HEAD_LIMIT_MS = 3_000;
const HEAD_CHECK_MS = 10;

/** How long a refresh waits for a node that does not tell its head. */
const REFRESH_LIMIT_MS = 500;

/** Asks the healthy upstreams for their heads now. Never rejects. */
export async function refreshHeads(upstreams: readonly Upstream[]): Promise<void> {
  const healthy = upstreams.filter(({ isUp }) => isUp);
  const polls = Promise.all(healthy.map(({ tracker }) => tracker.refresh()));
  const limit = new AbortController();
  const timeUp = wait(REFRESH_LIMIT_MS, undefined, { signal: limit.signal }).catch(() => {});
  await Promise.race([polls, timeUp]);
  limit.abort();
}

/**
 * Until there is a head, and every upstream that will answer has told its heads: whoever is first must not decide alone.
 * The timer keeps the process alive: nothing listens yet.
 */
export async function waitForHeads(head: NetworkHead, upstreams: readonly Upstream[]): Promise<void> {
  const until = performance.now() + HEAD_LIMIT_MS;
  const isMissed = ({ isAwaited, standing, isAway, tracker }: Upstream): boolean =>
    isAwaited || (standing === 'verified' && !isAway && !tracker.hasMarks);
  while (performance.now() < until && (head.head === undefined || upstreams.some(isMissed))) {
    await wait(HEAD_CHECK_MS);
  }
}

/** Asks until somebody knows which chain this is. */
export async function identifyChain(
  upstreams: readonly Upstream[],
  membership: Membership,
  { chainId, genesisHash }: PoolOptions,
): Promise<ChainIdentity> {
  const configured = {
    ...(chainId !== undefined && { chainId }),
    ...(genesisHash !== undefined && { genesisHash }),
  };
  const until = performance.now() + START_LIMIT_MS;
  const patience = performance.now() + PATIENCE_MS;
  for (;;) {
    await membership.askAll(() => (agreeOnChain(upstreams, configured)?.votes ?? 0) > upstreams.length / 2);
    const agreed = agreeOnChain(upstreams, configured);
    const isMajority = agreed !== undefined && agreed.votes > upstreams.length / 2;
    const isNamed = chainId !== undefined && genesisHash !== undefined;
    if (agreed !== undefined && (isMajority || isNamed)) return agreed.identity;
    // Too few to say which genesis is meant: that is left to the first majority.
    if (agreed !== undefined && performance.now() > patience) return { ...agreed.identity, genesisHash };
    if (performance.now() > until) {
      throw new Error('no upstream answers, and pool.chainId does not say which chain this is');
    }
    await wait(START_RETRY_MS);
  }
}
