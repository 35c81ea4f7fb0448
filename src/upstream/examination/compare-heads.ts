import type { ExaminedNode } from './examination.ts';
import type { NodeReport } from './network-report.ts';

/** A node counts as behind from this many blocks on, and only if they are this much older: chains differ in pace. */
const MIN_BLOCKS = 3;
const MIN_SECONDS = 5;

/** The usable nodes, the highest head first. */
export function listByHead(
  nodes: readonly NodeReport[],
): readonly (NodeReport & { examination: ExaminedNode })[] {
  const usable = nodes.filter(
    (node): node is NodeReport & { examination: ExaminedNode } => node.standing === 'usable',
  );
  return usable.toSorted((a, b) => (a.lag ?? 0) - (b.lag ?? 0));
}

/** Whether a lag is more than the moment that passed between two questions. */
export function isBehind(node: ExaminedNode, best: ExaminedNode): boolean {
  if (node.latest === undefined || best.latest === undefined) return false;
  const blocks = best.latest.number - node.latest.number;
  return blocks >= MIN_BLOCKS && best.latest.timestamp - node.latest.timestamp >= MIN_SECONDS;
}

/** `1 block`, `17 blocks` */
export function countBlocks(count: bigint | number): string {
  return Number(count) === 1 ? '1 block' : `${count} blocks`;
}
