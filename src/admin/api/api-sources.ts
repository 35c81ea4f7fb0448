import type { KeyBook } from '../../access/keys/key-book.ts';
import type { ServiceVerdict } from '../../observe/verdict.ts';
import type { UsageQuery } from './usage-query.ts';
import type { UsageView } from './usage-view.ts';

/** Result of a reload of the configuration. */
export type ReloadAnswer =
  /** Options that differ, such as `networks.mainnet added` or `limits.batchItems changed`. */
  | { readonly outcome: 'applied'; readonly changes: readonly string[] }
  | { readonly outcome: 'refused'; readonly problems: readonly string[] };

/** Name of a node, and of its network. */
export type NodeName = { readonly network: string; readonly node: string };

/** A node of a network as the service uses it. */
export type NodeView = NodeName & {
  readonly state: 'up' | 'lagging' | 'down' | 'excluded';
  readonly reason?: string;
  readonly head?: number;
  readonly isCordoned: boolean;
  /** Number of requests of clients that the node has not answered completely, over all processes. */
  readonly inFlight: number;
};

/** Result of cordoning a node, or of ending the cordon. */
export type CordonAnswer =
  | { readonly outcome: 'done' }
  /** `unknown`: there is no such node. `conflict`: the node cannot be cordoned without `force`. */
  | { readonly outcome: 'unknown' | 'conflict'; readonly reason: string };

/** Operations of the service that the Admin API offers. */
export interface ApiSources {
  /** Runs work on the keys of the service. */
  useKeys<T>(work: (book: KeyBook) => Promise<T>): Promise<T>;
  /**
   * Reads the recorded usage of all processes.
   * @param left aborted when the client has disconnected
   * @throws AdminRefusal for too many rows, or if the table is unavailable
   */
  readUsage(query: UsageQuery, left: AbortSignal): Promise<UsageView>;
  /** Lists the nodes of all networks. @throws AdminRefusal if a process does not answer */
  listNodes(): Promise<readonly NodeView[]>;
  /** Takes a node out of service. @param isForced whether the node is cordoned even if no other node can answer in its place */
  cordon(name: NodeName, isForced: boolean): Promise<CordonAnswer>;
  uncordon(name: NodeName): Promise<CordonAnswer>;
  /** Names of the networks of the configuration in force. */
  listNetworks(): readonly string[];
  /** Removes the cached answers of a network, or of all networks, in every process. @returns false for an unknown network */
  evictCache(network: string | undefined): Promise<boolean>;
  /** Reloads the configuration file; undefined if the service runs without one. */
  reload(): Promise<ReloadAnswer | undefined>;
  readHealth(): Promise<ServiceVerdict>;
}
