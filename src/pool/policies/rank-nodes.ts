import type { Upstream } from '../upstream.ts';

/** Maximum share of recent calls that failed at a node that serves well. */
const MAX_ERROR_RATE = 0.1;
/** The latency of a node that serves well is at most the lowest latency times this factor, plus `SLACK_MS`. */
const MAX_SLOWNESS = 3;
const SLACK_MS = 100;

/**
 * Sorts nodes, best first: by rank and tier; among equals, cheaper nodes that serve well before dearer ones, and nodes that do not serve well last. Nodes
 * of the same price are sorted by score.
 * @param hasPrices whether calls to any node of the network have a price
 */
export function sortNodes(nodes: Upstream[], method: string, hasPrices: boolean): void {
  if (nodes.length < 2) return;
  if (!hasPrices || nodes.every(({ spend }) => spend === undefined)) {
    nodes.sort((a, b) => compareStanding(a, b, method) || a.health.score - b.health.score);
    return;
  }
  const costs = findCosts(nodes, method);
  const costOf = (node: Upstream): number => costs.get(node) ?? 0;
  nodes.sort(
    (a, b) =>
      compareStanding(a, b, method) ||
      compareNumbers(costOf(a), costOf(b)) ||
      a.health.score - b.health.score,
  );
}

/** Whether `node` has the rank and the tier of the best node, and is not dearer (`isDearer`). */
export function isAsGood(
  node: Upstream,
  best: Upstream,
  method: string,
  nodes: readonly Upstream[],
): boolean {
  if (node === best) return true;
  if (compareStanding(node, best, method) !== 0 || !nodes.includes(node)) return false;
  return !isDearer(node, best, method, nodes);
}

/**
 * Whether `best` has at least the rank and tier of `node`, serves well, and costs less. A node that does not serve well costs more than any other.
 */
export function isDearer(
  node: Upstream,
  best: Upstream,
  method: string,
  nodes: readonly Upstream[],
): boolean {
  if (node.spend === undefined || compareStanding(node, best, method) < 0) return false;
  const costs = findCosts(nodes, method);
  return (costs.get(node) ?? 0) > (costs.get(best) ?? 0);
}

/**
 * Returns the price of a call at each node. A node that does not serve well has an infinite price, so that its price is no reason to prefer it. Its
 * latency is compared with the latencies of the working nodes of the same rank and tier.
 */
function findCosts(nodes: readonly Upstream[], method: string): ReadonlyMap<Upstream, number> {
  const standings = new Map<Upstream, string>();
  const lowest = new Map<string, number>();
  for (const node of nodes) {
    if (!isWorking(node)) continue;
    const standing = `${rankTrust(node, method)}/${node.tier}`;
    const latency = node.health.measured?.latencyMs ?? Number.POSITIVE_INFINITY;
    standings.set(node, standing);
    lowest.set(standing, Math.min(latency, lowest.get(standing) ?? Number.POSITIVE_INFINITY));
  }
  const costOf = (node: Upstream): number => {
    const best = lowest.get(standings.get(node) ?? '');
    const isWell =
      best !== undefined && (node.health.measured?.latencyMs ?? 0) <= MAX_SLOWNESS * best + SLACK_MS;
    return isWell ? (node.spend?.priceOf(method) ?? 0) : Number.POSITIVE_INFINITY;
  };
  return new Map(nodes.map((node) => [node, costOf(node)]));
}

function isWorking({ health }: Upstream): boolean {
  return health.circuit === 'closed' && health.errorRate <= MAX_ERROR_RATE;
}

/** Compares without a subtraction, because infinite prices have no difference. */
function compareNumbers(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function compareStanding(a: Upstream, b: Upstream, method: string): number {
  return rankTrust(a, method) - rankTrust(b, method) || a.tier - b.tier;
}

/** Rank of a node that is not expected to answer. */
const UNRESPONSIVE = 3;

/**
 * Returns a rank from 0 (preferred) to 3. After the backoff of a circuit, one call at a time may test whether the node has recovered; for all other
 * calls, the node ranks after healthy nodes. Even for older blocks, a node that is behind ranks after healthy nodes, because it may lack state.
 */
function rankTrust(upstream: Upstream, method: string): number {
  const { health, isAway, isBehind, isOnFork } = upstream;
  if (isAway || isOnFork || !isResponsive(upstream, method)) return UNRESPONSIVE;
  if (isBehind) return 2;
  return health.circuit === 'halfOpen' && health.inFlight > 0 ? 1 : 0;
}

/** Whether the node is expected to answer, and not on a fork. */
export function mayAnswer(upstream: Upstream, method: string): boolean {
  return rankTrust(upstream, method) < UNRESPONSIVE;
}

/** Whether the node is expected to answer calls of the method: its circuit is not open, and it is not known to be silent on this method. */
export function isResponsive({ health, methodSilences }: Upstream, method: string): boolean {
  return health.circuit !== 'open' && !methodSilences.isSilent(method);
}
