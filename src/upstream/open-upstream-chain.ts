import type { Cache } from '../cache/cache.ts';
import { ChainError } from '../chain/errors.ts';
import type { Logger } from '../observe/logger.ts';
import { CancelSource } from '../util/cancel-source.ts';
import { systemClock } from '../util/clock.ts';
import { BlockDirectory } from './block-directory.ts';
import { BlockQuestions } from './block-questions.ts';
import { BlockResolver } from './block-resolver.ts';
import { CallQuestions } from './call-questions.ts';
import { createUpstream } from './create-upstream.ts';
import { describeChain } from './describe-chain.ts';
import { UpstreamFault } from './fault.ts';
import { findMerge } from './find-merge.ts';
import { contradictsChain } from './heads/contradicts-chain.ts';
import { NetworkHead } from './heads/network-head.ts';
import { type ChainIdentity, Membership } from './membership.ts';
import type { PoolOptions, UpstreamOptions } from './options.ts';
import { OtherQuestions } from './other-questions.ts';
import { createPool } from './pool.ts';
import { identifyChain, refreshHeads, waitForHeads } from './start-up.ts';
import { UpstreamChain } from './upstream-chain.ts';

/** How long the first head waits for upstreams that have not said who they are. */
const AWAIT_MS = 1_500;
/** How long the served head outlives the last upstream that has it. */
const GIVE_UP_MS = 30_000;
const MERGE_LIMIT_MS = 60_000;

export type UpstreamChainOptions = {
  readonly network: string;
  readonly upstreams: readonly UpstreamOptions[];
  readonly pool: PoolOptions;
  readonly cache: Cache;
  readonly log: Logger;
};

/**
 * Opens the chain that a pool of nodes knows, after finding out which chain that is.
 * @throws Error when no upstream answers in time and the configuration does not name the chain
 */
export async function openUpstreamChain(options: UpstreamChainOptions): Promise<UpstreamChain> {
  const { network, pool, cache, log } = options;
  const update = (): void => {
    head.update();
    for (const upstream of upstreams) upstream.isOnFork = contradictsChain(head, upstream.tracker);
  };
  const upstreams = options.upstreams.map((row, position) =>
    createUpstream(row, position, pool, systemClock, {
      onHead(upstream) {
        // Another block at a served height: a reorg, or another chain. The node says which before it is believed.
        if (!upstream.isOnFork && contradictsChain(head, upstream.tracker)) {
          upstream.isOnFork = true;
          membership.suspectForked(upstream);
        }
        update();
      },
      onAway(upstream) {
        log.warn({ network, upstream: upstream.name }, 'upstream does not answer');
        update();
      },
      onBack(upstream) {
        upstream.health.encourage();
        membership.suspectReturned(upstream);
      },
    }),
  );
  const head = new NetworkHead({
    share: pool.headShare,
    giveUpMs: GIVE_UP_MS,
    reports: () => upstreams.filter((upstream) => upstream.countsForHead).map(({ tracker }) => tracker),
    onOrphaned(hashes) {
      for (const hash of hashes) cache.evictBlock(hash);
      directory.forgetNumbers();
      log.info({ network, blocks: hashes.length }, 'blocks left the chain');
    },
    onGivenUp(from, to) {
      const fields = { network, from: from.number.toString(), to: to.number.toString() };
      log.warn(fields, 'no upstream has the served head any more: it is given up');
    },
    clock: systemClock,
  });
  const ask = createPool({
    network,
    upstreams,
    options: pool,
    cache,
    isFinal: (height) => height <= (head.finalized?.number ?? -1n),
    log,
  });
  const directory = new BlockDirectory(ask, head);
  const membership = new Membership({ upstreams, network, log, onChange: update });
  const stopping = new CancelSource();
  let lateness: NodeJS.Timeout | undefined;
  const close = async (): Promise<void> => {
    stopping.abort();
    clearTimeout(lateness);
    membership.close();
    head.stop();
    await Promise.all(upstreams.map((upstream) => upstream.close()));
  };

  let identity: ChainIdentity;
  try {
    identity = await identifyChain(upstreams, membership, pool);
  } catch (error) {
    await close();
    throw error;
  }
  lateness = setTimeout(() => {
    for (const upstream of upstreams) upstream.isAwaited = false;
    update();
  }, AWAIT_MS);
  lateness.unref();
  membership.begin(identity);
  for (const { tracker } of upstreams) tracker.start();
  await waitForHeads(head, upstreams);
  const { chainId } = identity;
  log.info(
    { network, chainId: `${chainId}`, head: `${head.head?.number ?? 'unknown'}` },
    'network is served by its nodes',
  );

  void searchMerge(directory, head, stopping);
  const resolver = new BlockResolver({
    head,
    directory,
    tags: pool.tags,
    genesisHash: () => membership.genesisHash,
    mayBeKnown: () => upstreams.some(({ standing }) => standing !== 'quarantined'),
  });
  const parts = { chainId, ask, resolver, directory };
  return new UpstreamChain({
    chainId,
    calls: new CallQuestions(parts),
    blocks: new BlockQuestions(parts),
    others: new OtherQuestions(parts),
    isAnswerable: () => head.head !== undefined && upstreams.some(({ isUp }) => isUp),
    where: { headHash: () => head.head?.hash, refresh: () => refreshHeads(upstreams) },
    describe: () => describeChain(head, upstreams),
    close,
  });
}

/** Learns in the background from which block on there are no uncles. It can do without: then blocks are asked for. */
async function searchMerge(
  directory: BlockDirectory,
  head: NetworkHead,
  signal: CancelSource,
): Promise<void> {
  await head.whenKnown();
  if (head.head?.difficulty !== 0n) return;
  try {
    const deadline = performance.now() + MERGE_LIMIT_MS;
    await findMerge(directory, head.head.number, { deadline, signal });
  } catch (error) {
    if (!(error instanceof ChainError || error instanceof UpstreamFault)) throw error;
  }
}
