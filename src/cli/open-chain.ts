import type { Cache } from '../cache/cache.ts';
import { createMemoryCache } from '../cache/memory-cache.ts';
import type { Chain } from '../chain/chain.ts';
import { DEFAULT_LOG_LIMITS } from '../chain/log-range.ts';
import type { AnchoredChain } from '../chain/output-claim.ts';
import type { NetworkOptions } from '../config/network-options.ts';
import type { Logger } from '../observe/logger.ts';
import type { ChainFigures } from '../observe/sources.ts';
import type { HeightTable } from '../records/height-table.ts';
import type { RecordTable } from '../records/record-table.ts';
import {
  DEFAULT_VERIFY,
  DEFAULT_VERIFY_LOG_BLOCKS,
  poolOptionsSchema,
  type UpstreamOptions,
} from '../upstream/options.ts';
import { DEFAULT_SEND } from '../upstream/sending/options.ts';
import type { SharedBudget } from '../util/shared-budget.ts';
import { TURNS } from '../util/turn-queue.ts';
import type { EmbeddedChains } from './embedded-chains.ts';
import type { OpenExecutions } from './open-executions.ts';
import type { LoadExecutions } from './prepare-executions.ts';
import { SENDING_TOOLS } from './sending-tools.ts';

/** A chain that reports figures to metrics and the status page, and takes what its layer 1 holds where that is read. */
export type ObservedChain = Chain & {
  describe(): ChainFigures;
  readonly layer1?: AnchoredChain | undefined;
  /** Settles when recent blocks have been looked at for the first time; nothing is proven before. Absent without nodes. */
  readonly calibrated?: Promise<void> | undefined;
};

/** What chains of one process share. */
export type ChainBackends = {
  readonly dataDir: string;
  readonly engine: EmbeddedChains;
  readonly cache: Cache;
  readonly log: Logger;
  /** What processes that serve the same share. */
  readonly records?: RecordTable;
  /** Heights of their heads; absent where one process serves. */
  readonly heights?: HeightTable | undefined;
  /** Memory for what nodes have sent. */
  readonly nodeMemory?: SharedBudget;
};

/** The owner of the turns in which chains are opened. */
const TURN_OWNER = 'chains that are opened';
const NO_CACHE: Cache = createMemoryCache({ bytes: 0, entryBytes: 0 });

/** Opens the chain that a network's configuration names. @throws Error when that is not possible */
export async function openChain(
  name: string,
  options: NetworkOptions,
  backends: ChainBackends,
): Promise<ObservedChain> {
  const { upstreams } = options;
  if (upstreams !== undefined) {
    const { engine, log } = backends;
    const { prepareExecutions } = await import('./node-parts.ts');
    const load: LoadExecutions = (config) => engine.loadExecutions(name, options, config, backends);
    const { openExecutions, chainId } = await prepareExecutions(name, options, load, log);
    const pool = { ...options.pool, ...(chainId !== undefined && { chainId }) };
    const isAnchored = options.rollup?.anchor !== undefined;
    const { provenState } = engine;
    return openNodes(name, upstreams, backends, {
      ...options,
      pool,
      openExecutions,
      provenState,
      isAnchored,
    });
  }
  return backends.engine.open(options, backends.dataDir, backends.log);
}

/** Settings of a network of nodes; each as by default where it is absent. */
type NodeSettings = Partial<
  Pick<NetworkOptions, 'pool' | 'logs' | 'send' | 'verify' | 'verifyLogBlocks' | 'checkpoint' | 'agreement'>
> & {
  /** What executes calls here; absent where nodes execute. */
  readonly openExecutions?: OpenExecutions | undefined;
  /** Whether layer 1 is read for blocks that are on the chain. */
  readonly isAnchored?: boolean;
  readonly provenState?: EmbeddedChains['provenState'];
};

/**
 * Opens the chain that nodes know, whether they answer or not. Of chains that are opened together one begins in each turn of the event loop: other networks are
 * served meanwhile.
 */
export async function openNodes(
  name: string,
  upstreams: readonly UpstreamOptions[],
  {
    cache,
    log,
    records,
    heights,
    nodeMemory,
  }: Pick<ChainBackends, 'cache' | 'log' | 'records' | 'heights' | 'nodeMemory'>,
  {
    pool = poolOptionsSchema.parse(undefined),
    logs = DEFAULT_LOG_LIMITS,
    send = DEFAULT_SEND,
    verify = DEFAULT_VERIFY,
    verifyLogBlocks = DEFAULT_VERIFY_LOG_BLOCKS,
    checkpoint,
    agreement,
    openExecutions,
    isAnchored = false,
    provenState,
  }: NodeSettings = {},
): Promise<ObservedChain> {
  // HTTP and WebSocket clients take 0.1 s to load: not where there are no nodes.
  const { openUpstreamChain } = await import('./node-parts.ts');
  await TURNS.rejoin(TURN_OWNER);
  return openUpstreamChain({
    network: name,
    upstreams,
    pool,
    logs,
    verify,
    verifyLogBlocks,
    openExecutions,
    ...(provenState !== undefined && { provenState }),
    checkpoint,
    agreement,
    isAnchored,
    nodeMemory,
    heights,
    // The state of a development node changes without a new block.
    cache: pool.cache && !pool.development ? cache : NO_CACHE,
    log,
    sending: { options: send, tools: SENDING_TOOLS, ...(records !== undefined && { records }) },
  });
}
