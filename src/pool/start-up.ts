import { setTimeout as wait } from 'node:timers/promises';
import type { CancelSource } from '../util/cancel-source.ts';
import { completeWithin } from '../util/complete-within.ts';
import {
  agreeOnChain,
  type ChainIdentity,
  type ConfiguredChain,
  countOperators,
  findMajorityChain,
} from './chain-claims.ts';
import type { NetworkHead } from './heads/network-head.ts';
import type { Membership } from './membership.ts';
import type { NetworkChainId } from './network-chain-id.ts';
import type { PoolOptions } from './options.ts';
import type { Upstream } from './upstream.ts';

/** Maximum wait for a majority of the operators to report the genesis block if the configuration has only the chain id, ms. */
const NAMED_PATIENCE_MS = 1_500;
/** Maximum wait for the first head at the start, ms. If there is no head after this time, the first requests wait for the head. */
const HEAD_LIMIT_MS = 3_000;
const HEAD_CHECK_MS = 10;

/** Startup time of upstreams after the chain id is known, ms. The first head waits at most this long for upstreams that are not identified. */
const AWAIT_MS = 1_500;
/** Startup time of upstreams, counted from the opening of the chain, ms. `OPEN_AWAIT_MS` is equal to the time limit of one identification. */
const OPEN_AWAIT_MS = 5_000;
/**
 * Maximum time for which `startChain` waits for the nodes, ms. Most nodes answer in a tenth of this time; the first requests then find a head and
 * need not wait.
 */
const OPEN_LIMIT_MS = 500;
/** Maximum time for which `refreshHeads` waits for nodes that do not report their heads, ms. */
const REFRESH_LIMIT_MS = 500;

/** Requests the heads of the healthy upstreams now. Never rejects. */
export async function refreshHeads(upstreams: readonly Upstream[]): Promise<void> {
  const healthy = upstreams.filter(({ isUp }) => isUp);
  const polls = Promise.all(healthy.map(({ tracker }) => tracker.refresh()));
  await waitAtMost(polls, REFRESH_LIMIT_MS);
}

export type StartParts = {
  readonly pool: PoolOptions;
  readonly upstreams: readonly Upstream[];
  readonly membership: Membership;
  readonly chainId: NetworkChainId;
  readonly head: NetworkHead;
  readonly stopping: CancelSource;
  /** Called when the input of the head election has changed. */
  readonly onChange: () => void;
  /** Determines which kinds of data are verifiable on this chain; called when there may be a head. */
  readonly calibrate: () => Promise<void>;
};

/**
 * Starts the identification of the nodes and the tracking of their heads; both continue until the chain is closed. Resolves when the network can be
 * served, when it cannot be served now, or after half a second. Never rejects.
 */
export async function startChain(parts: StartParts): Promise<void> {
  const { pool } = parts;
  limitPatience(parts, OPEN_AWAIT_MS);
  const { chainId } = pool;
  const started =
    chainId === undefined
      ? followReported(parts)
      : identifyNamedChain(parts.upstreams, parts.membership, { ...pool, chainId }).then((identity) =>
          follow(identity, parts),
        );
  await completeWithin(started, OPEN_LIMIT_MS);
}

/**
 * Follows the chain that more than half of the operators report, as soon as they do.
 * @returns a promise that resolves when the heads are followed, or when every node has answered or exceeded its startup time
 */
function followReported(parts: StartParts): Promise<void> {
  const { pool, upstreams, membership, chainId, stopping } = parts;
  const configured = readConfigured(pool);
  return new Promise((resolve) => {
    const stopLooking = membership.reports.add(() => {
      const identity = findMajorityChain(upstreams, configured);
      chainId.noteChange();
      if (identity !== undefined) {
        stopLooking();
        limitPatience(parts, AWAIT_MS);
        chainId.learn(identity.chainId);
        void follow(identity, parts).then(resolve);
      } else if (upstreams.every((upstream) => upstream.identity !== undefined || !upstream.isAwaited)) {
        resolve();
      }
    });
    stopping.addEventListener('abort', () => resolve());
    void membership.requestAll(() => false);
  });
}

/** Ends the startup time of all upstreams after `limitMs`, so that the first head no longer waits for unidentified ones. */
function limitPatience({ upstreams, membership, stopping, onChange }: StartParts, limitMs: number): void {
  const timer = setTimeout(() => {
    for (const upstream of upstreams) upstream.apply({ kind: 'startTimeExceeded' });
    // A vote of an operator may count from now on, because it no longer waits for nodes that exceeded their startup time.
    membership.reports.notify();
    onChange();
  }, limitMs);
  timer.unref();
  stopping.addEventListener('abort', () => clearTimeout(timer));
}

async function follow(identity: ChainIdentity, parts: StartParts): Promise<void> {
  const { upstreams, membership, head, stopping, onChange, calibrate } = parts;
  if (stopping.aborted) return;
  membership.begin(identity);
  onChange();
  for (const { tracker } of upstreams) tracker.start();
  await waitForHeads(head, upstreams, stopping);
  await calibrate();
}

/**
 * Waits until there is a head, and every upstream that may answer has reported its blocks. Without this wait, a single fast upstream would determine
 * the head.
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

/** Reads the configured identity of the chain; the upstreams determine the missing parts. */
export function readConfigured({ chainId, genesisHash }: PoolOptions): ConfiguredChain {
  return {
    ...(chainId !== undefined && { chainId }),
    ...(genesisHash !== undefined && { genesisHash }),
  };
}

/**
 * Requests the identity of every upstream once, for a configuration with a chain id. If the configuration has no genesis hash, it is the first hash
 * that a majority of the operators reports.
 */
async function identifyNamedChain(
  upstreams: readonly Upstream[],
  membership: Membership,
  pool: PoolOptions & { readonly chainId: bigint },
): Promise<ChainIdentity> {
  const { chainId, genesisHash } = pool;
  const findMajority = (): ChainIdentity | undefined => {
    const agreed = agreeOnChain(upstreams, readConfigured(pool));
    return agreed !== undefined && agreed.votes > countOperators(upstreams) / 2 ? agreed.identity : undefined;
  };
  await waitAtMost(
    membership.requestAll(() => findMajority() !== undefined),
    NAMED_PATIENCE_MS,
  );
  return findMajority() ?? { chainId, genesisHash };
}

/** Waits until the work is done or the time limit is reached. */
async function waitAtMost(work: Promise<unknown>, limitMs: number): Promise<void> {
  const limit = new AbortController();
  const timeUp = wait(limitMs, undefined, { signal: limit.signal }).catch(() => {});
  await Promise.race([work, timeUp]);
  limit.abort();
}
