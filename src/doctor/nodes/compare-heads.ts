import { isFarBehind, isSyncClaimTrue } from '../../pool/heads/lag.ts';
import type { PoolOptions } from '../../pool/options.ts';
import type { ExaminedNode } from './examination.ts';
import type { NodeReport } from './network-report.ts';

/**
 * A node counts as behind if its head is at least `MIN_BLOCKS` lower and `MIN_SECONDS` older than the best head. The rule requires a distance in
 * blocks and in seconds, because block times differ between chains.
 */
const MIN_BLOCKS = 3;
const MIN_SECONDS = 5;

/** Usable nodes, highest head first. */
export function listByHead(
  nodes: readonly NodeReport[],
): readonly (NodeReport & { examination: ExaminedNode })[] {
  const usable = nodes.filter(
    (node): node is NodeReport & { examination: ExaminedNode } => node.standing === 'usable',
  );
  return usable.toSorted((a, b) => (a.lag ?? 0) - (b.lag ?? 0));
}

/** Whether the head of a node is far behind the best head. Smaller differences are due to the time between the requests to the two nodes. */
export function isBehind(node: ExaminedNode, best: ExaminedNode): boolean {
  if (node.latest === undefined || best.latest === undefined) return false;
  const blocks = best.latest.number - node.latest.number;
  return blocks >= MIN_BLOCKS && best.latest.timestamp - node.latest.timestamp >= MIN_SECONDS;
}

/** Whether a node reports that it is syncing, and its head confirms the report. */
export function isSyncing({ sync, latest }: ExaminedNode, { maxLagBlocks }: PoolOptions): boolean {
  return isSyncClaimTrue(sync, latest, maxLagBlocks);
}

/** Whether a node is so far behind that its head does not count in the choice of the network's head. */
export function isTooFarBehind(node: ExaminedNode, best: ExaminedNode, pool: PoolOptions): boolean {
  if (node.latest === undefined || best.latest === undefined) return false;
  const bounds = { maxLagBlocks: pool.maxLagBlocks, maxLagMs: pool.maxLagTime };
  return isFarBehind(node.latest, best.latest, Date.now(), bounds);
}

/**
 * Returns the nodes whose heads determine the head of the network.
 * @param examined nodes, highest head first
 */
export function listVoters(examined: readonly ExaminedNode[], pool: PoolOptions): readonly ExaminedNode[] {
  const synced = examined.filter((node) => !isSyncing(node, pool));
  const [best] = synced;
  const near = synced.filter((node) => best !== undefined && !isTooFarBehind(node, best, pool));
  const tier = Math.min(...near.map((node) => node.tier));
  return near.filter((node) => node.tier === tier);
}
