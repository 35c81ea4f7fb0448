import type { Cache } from '../cache/cache.ts';
import { createMemoryCache } from '../cache/memory-cache.ts';
import type { Chain } from '../chain/chain.ts';
import { DEFAULT_LOG_LIMITS } from '../chain/log-range.ts';
import type { AnchoredChain } from '../chain/output-claim.ts';
import { DEFAULT_SEND } from '../chains/upstream/sending/options.ts';
import type { NetworkOptions } from '../config/network-options.ts';
import type { Logger } from '../observe/logger.ts';
import type { ChainFigures } from '../observe/sources.ts';
import type { NodeCordons } from '../pool/node-cordons.ts';
import {
  DEFAULT_VERIFY,
  DEFAULT_VERIFY_LOG_BLOCKS,
  poolOptionsSchema,
  type UpstreamOptions,
} from '../pool/options.ts';
import type { SpendLedger } from '../pool/spend/spend-ledger.ts';
import type { HeightTable } from '../shared-store/records/height-table.ts';
import type { RecordTable } from '../shared-store/records/record-table.ts';
import type { SharedBudget } from '../util/shared-budget.ts';
import { SCHEDULER } from '../util/slot-scheduler.ts';
import type { EmbeddedChains } from './embedded-chains.ts';
import type { OpenExecutions } from './open-executions.ts';
import type { LoadExecutions } from './prepare-executions.ts';
import { SENDING_TOOLS } from './sending-tools.ts';

/** Chain with figures for metrics and the status page. A rollup's chain may be anchored in its layer 1. */
export type ObservedChain = Chain & {
  describe(): ChainFigures;
  readonly layer1?: AnchoredChain | undefined;
  /** Resolves when recent blocks have been verified for the first time; earlier answers are not verified. Absent for a chain without nodes. */
  readonly calibrated?: Promise<void> | undefined;
  /** Takes nodes of the network out of service; absent for a chain without nodes. */
  readonly nodes?: NodeCordons | undefined;
};

/** Resources shared by the chains of one process. */
export type ChainBackends = {
  readonly dataDir: string;
  readonly engine: EmbeddedChains;
  readonly cache: Cache;
  readonly log: Logger;
  /** Records shared by the processes that serve this configuration. */
  readonly records?: RecordTable;
  /** Shared heights of the heads that the processes serve; absent if only one process serves. */
  readonly heights?: HeightTable | undefined;
  /** Budget for buffered bytes from nodes. */
  readonly nodeMemory?: SharedBudget;
  /** Counts the credits that calls to nodes cost at their providers. */
  readonly spending?: SpendLedger;
};

/** Owner of the scheduler slots in which chains are opened. */
const TURN_OWNER = 'chains that are opened';
const NO_CACHE: Cache = createMemoryCache({ bytes: 0, entryBytes: 0 });

/** Opens the chain of a network. @throws Error if the chain cannot be opened */
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

/** Options of a network of nodes; an absent option has its default. */
type NodeSettings = Partial<
  Pick<NetworkOptions, 'pool' | 'logs' | 'send' | 'verify' | 'verifyLogBlocks' | 'checkpoint' | 'agreement'>
> & {
  /** Opens local execution; absent if nodes execute calls. */
  readonly openExecutions?: OpenExecutions | undefined;
  /** Whether blocks are anchored in layer 1. */
  readonly isAnchored?: boolean;
  readonly provenState?: EmbeddedChains['provenState'];
};

/**
 * Opens a chain of nodes, whether the nodes answer or not. Each scheduler slot opens only one chain, so that other networks are served in the
 * meantime.
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
    spending,
  }: Pick<ChainBackends, 'cache' | 'log' | 'records' | 'heights' | 'nodeMemory' | 'spending'>,
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
  // Loaded on demand, because the HTTP and WebSocket clients take 0.1 s to load.
  const { openUpstreamChain } = await import('./node-parts.ts');
  await SCHEDULER.rejoin(TURN_OWNER);
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
    spending,
    // Answers of a development node are not cached, because its state changes without a new block.
    cache: pool.cache && !pool.development ? cache : NO_CACHE,
    log,
    sending: { options: send, tools: SENDING_TOOLS, ...(records !== undefined && { records }) },
  });
}
