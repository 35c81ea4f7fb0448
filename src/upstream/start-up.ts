import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from '../observe/logger.ts';
import type { CancelSource } from '../util/cancel-source.ts';
import { settleWithin } from '../util/settle-within.ts';
import { agreeOnChain, type ChainIdentity, type ConfiguredChain } from './chain-claims.ts';
import type { NetworkHead } from './heads/network-head.ts';
import type { Membership } from './membership.ts';
import { explainOutage } from './node-state.ts';
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

/** How long the first head waits for upstreams that are not identified. */
const AWAIT_MS = 1_500;
/** The same, from the opening of a chain that the configuration names: as long as an identification may take. */
const NAMED_AWAIT_MS = 5_000;
/** How long a start waits for the nodes where it can do without them; most answer in a tenth of it. */
const OPEN_LIMIT_MS = 500;
/** How long a refresh waits for a node that does not report its head. */
const REFRESH_LIMIT_MS = 500;

/** Asks the healthy upstreams for their heads now. Never rejects. */
export async function refreshHeads(upstreams: readonly Upstream[]): Promise<void> {
  const healthy = upstreams.filter(({ isUp }) => isUp);
  const polls = Promise.all(healthy.map(({ tracker }) => tracker.refresh()));
  await waitAtMost(polls, REFRESH_LIMIT_MS);
}

export type StartParts = {
  readonly network: string;
  readonly log: Logger;
  readonly pool: PoolOptions;
  readonly upstreams: readonly Upstream[];
  readonly membership: Membership;
  readonly head: NetworkHead;
  readonly stopping: CancelSource;
  /** What counts for the head has changed. */
  readonly onChange: () => void;
  /** Finds out what can be verified, once there may be a head. */
  readonly calibrate: () => Promise<void>;
};

/**
 * Finds out which chain the nodes are of, and begins to follow them. Where the configuration names the chain, a start waits for
 * that only as long as most nodes take.
 * @returns the chain id
 * @throws Error when no upstream answers in time and the configuration does not name the chain
 */
export async function startChain(parts: StartParts): Promise<bigint> {
  const { network, log, pool, upstreams, membership } = parts;
  const { chainId } = pool;
  if (chainId !== undefined) {
    limitPatience(parts, NAMED_AWAIT_MS);
    const identifying = identifyNamedChain(upstreams, membership, { ...pool, chainId });
    await settleWithin(
      identifying.then((identity) => follow(identity, parts)),
      OPEN_LIMIT_MS,
    );
    return chainId;
  }
  const identity = await watchWait(identifyChain(upstreams, membership, pool), () =>
    log.warn(
      { network, reason: explainOutage(upstreams) },
      'waiting for the nodes of the network to report their chain; with pool.chainId a start does not wait',
    ),
  );
  limitPatience(parts, AWAIT_MS);
  await follow(identity, parts);
  return identity.chainId;
}

/** After this time the first head does not wait for upstreams that are not identified. */
function limitPatience({ upstreams, stopping, onChange }: StartParts, limitMs: number): void {
  const timer = setTimeout(() => {
    for (const upstream of upstreams) upstream.isAwaited = false;
    onChange();
  }, limitMs);
  timer.unref();
  stopping.addEventListener('abort', () => clearTimeout(timer));
}

async function follow(identity: ChainIdentity, parts: StartParts): Promise<void> {
  const { network, log, upstreams, membership, head, stopping, onChange, calibrate } = parts;
  if (stopping.aborted) return;
  membership.begin(identity);
  onChange();
  for (const { tracker } of upstreams) tracker.start();
  await waitForHeads(head, upstreams, stopping);
  await calibrate();
  if (stopping.aborted) return;
  const { number } = head.head ?? {};
  const fields = { network, chainId: `${identity.chainId}`, head: `${number ?? 'unknown'}` };
  if (number !== undefined) log.info(fields, 'network is served by its nodes');
  else log.warn({ ...fields, reason: explainOutage(upstreams) }, 'network cannot be served yet');
}

/**
 * Until there is a head, and every upstream that will answer has reported its heads: the first one must not decide alone.
 * The timer keeps the process alive: nothing listens yet.
 */
async function waitForHeads(
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
async function identifyNamedChain(
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
async function identifyChain(
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
