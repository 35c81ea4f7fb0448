import type { CordonAnswer, NodeName, NodeView } from '../admin/api/api-sources.ts';
import { SerialQueue } from '../util/serial-queue.ts';
import type { ObservedChain } from './open-chain.ts';

/** Chains of the networks of one configuration, by network name. */
export type ChainTable = ReadonlyMap<string, ObservedChain>;

const UNKNOWN: CordonAnswer = { outcome: 'unknown', reason: 'no node of the service has this name' };

/** Cordoned nodes of one process. A node remains cordoned when a new configuration opens it again. */
export class Cordons {
  /** Names of cordoned nodes, by network. */
  readonly #names = new Map<string, Set<string>>();
  /** Two changes at once could take both nodes of a network out of service, or undo each other. */
  readonly #changes = new SerialQueue();

  /** @param names nodes that are cordoned from the start */
  constructor(names: readonly NodeName[] = []) {
    for (const name of names) this.#add(name);
  }

  /** Cordons the nodes of newly opened chains, before the chains get calls. */
  apply(chains: ChainTable): void {
    for (const [network, nodes] of this.#names)
      for (const node of nodes) chains.get(network)?.nodes?.cordonNow(node);
  }

  /**
   * Cordons a node.
   * @param findChains returns the chains of the configuration in force, which may change during the call
   * @param isForced whether the node is cordoned even if the other nodes cannot answer in its place
   */
  cordon(findChains: () => ChainTable, name: NodeName, isForced: boolean): Promise<CordonAnswer> {
    return this.#changes.run(async () => {
      const nodes = findChains().get(name.network)?.nodes;
      if (nodes?.has(name.node) !== true) return UNKNOWN;
      const reason = await nodes.cordon(name.node, isForced);
      if (reason !== undefined) return { outcome: 'conflict', reason };
      this.#add(name);
      const now = findChains().get(name.network)?.nodes;
      if (now !== nodes) now?.cordonNow(name.node);
      return { outcome: 'done' };
    });
  }

  /** @param findChains returns the chains of the configuration in force */
  uncordon(findChains: () => ChainTable, { network, node }: NodeName): Promise<CordonAnswer> {
    return this.#changes.run((): CordonAnswer => {
      const isNoted = this.#names.get(network)?.delete(node) === true;
      const nodes = findChains().get(network)?.nodes;
      if (nodes?.has(node) !== true) return isNoted ? { outcome: 'done' } : UNKNOWN;
      nodes.uncordon(node);
      return { outcome: 'done' };
    });
  }

  #add({ network, node }: NodeName): void {
    const known = this.#names.get(network);
    if (known === undefined) this.#names.set(network, new Set([node]));
    else known.add(node);
  }
}

/** Lists the nodes of all networks, as this process uses them. */
export function listNodes(chains: ChainTable): NodeView[] {
  return [...chains].flatMap(([network, chain]) => {
    const { upstreams } = chain.describe();
    return (chain.nodes?.list() ?? []).map((use, i): NodeView => {
      const { state = 'down', reason, head } = upstreams[i] ?? {};
      return {
        network,
        ...use,
        state,
        ...(reason !== undefined && { reason }),
        ...(head !== undefined && { head }),
      };
    });
  });
}

/** Merges the lists of several processes with the same networks. */
export function mergeNodes(lists: readonly (readonly NodeView[])[]): NodeView[] {
  const merged = new Map<string, NodeView>();
  for (const node of lists.flat()) {
    const name = JSON.stringify([node.network, node.node]);
    const known = merged.get(name);
    const inFlight = node.inFlight + (known?.inFlight ?? 0);
    const isCordoned = node.isCordoned && known?.isCordoned !== false;
    merged.set(name, { ...(known ?? node), inFlight, isCordoned });
  }
  return [...merged.values()];
}
