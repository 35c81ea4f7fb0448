import type { ServiceVerdict } from './verdict.ts';

/**
 * Status of a service at a moment, as shown by the status page. The status is plain JSON, which processes can send
 * to each other, and contains no secrets. Times are Unix milliseconds, durations milliseconds, sizes bytes.
 */
export type ServiceStatus = {
  readonly version: string;
  readonly at: number;
  readonly startedAt: number;
  readonly verdict: ServiceVerdict;
  readonly processes: readonly ProcessStatus[];
  readonly networks: readonly NetworkStatus[];
  readonly cache: CacheStatus;
  readonly keys: readonly KeyStatus[];
  /** Calls of the last minutes, one sample per second, oldest first. */
  readonly traffic: readonly TrafficSample[];
  /** Latest failures of the service or of nodes, newest first. */
  readonly errors: readonly ErrorEntry[];
};

export type ProcessStatus = {
  readonly pid: number;
  readonly startedAt: number;
  /** Whether the process is stopping, so that its readiness probes fail. */
  readonly isDraining: boolean;
  /** Present while the Valkey or Redis server of keys and limits does not answer this process. */
  readonly isStoreAway?: true;
  readonly connections: number;
  readonly webSockets: number;
  /** Number of request bodies in progress. */
  readonly inFlight: number;
  /** Calls waiting for a slot of their network, or for the execution engine. */
  readonly queued: number;
  /** Timer delay over about the last minute, 99th percentile. */
  readonly eventLoopDelay: number;
  readonly residentBytes: number;
  readonly heapBytes: number;
};

export type NetworkStatus = {
  readonly name: string;
  readonly hosts: readonly string[];
  readonly source: 'embedded' | 'upstream';
  /** Rollup family; absent for other networks. */
  readonly family?: string;
  /** Absent until the chain id is known. */
  readonly chainId?: string;
  /** Reason why no call is answered now; absent where calls are answered. */
  readonly outage?: string;
  /** Number of processes that cannot answer calls, with the reason of one of them; present only if another process can answer. */
  readonly partialOutage?: { readonly processes: number; readonly total: number; readonly reason: string };
  /** Absent until the network has had a block. */
  readonly head?: BlockStatus;
  /** Numbers of the blocks that are served as `safe` and `finalized`; absent while no block is served for the tag. */
  readonly safe?: number;
  readonly finalized?: number;
  /** Whether the only node is a development node, which makes blocks on demand. */
  readonly isDevelopment?: true;
  /** Usual time between blocks: configured, or measured. Absent while unknown, and for chains that make blocks on demand. */
  readonly blockTime?: number;
  /** Milliseconds since a healthy node last had the head; 0 while a healthy node has the head. */
  readonly unconfirmed?: number;
  /** Whether the head is no longer served because no healthy node has had it for too long. */
  readonly isExpired?: boolean;
  /**
   * Three numbers of operators: needed for agreement on the newest block, configured in total, and having the newest block. `agreement` is absent
   * where operators are not counted.
   */
  readonly agreement?: {
    readonly needed: number;
    readonly operators: number;
    readonly voices: number;
    /** Whether answers of too few operators are refused. */
    readonly isDemanded: boolean;
    /** Whether fewer operators than needed have had new blocks for some seconds. */
    readonly isMissing: boolean;
  };
  /** Absent where answers of nodes are not verified. */
  readonly verification?: VerificationStatus;
  /** The rollup's last block that layer 1 commits to; absent where no layer 1 is configured as an anchor. */
  readonly anchor?: {
    readonly state: 'waiting' | 'anchored' | 'contradicted';
    readonly number?: number;
    readonly reason?: string;
  };
  /** Where calls are executed, and the reason if nodes execute them; absent where local execution is not configured. */
  readonly execution?: { readonly state: 'local' | 'comparing' | 'node'; readonly reason?: string };
  readonly upstreams: readonly UpstreamStatus[];
  readonly subscriptions: SubscriptionStatus;
  /** Calls per second and their latencies over the last ten seconds. */
  readonly traffic: TrafficSample;
};

/** Verifiability of a network's answers. */
export type VerificationStatus = {
  /** Whether recent blocks have been examined. Until then, no answer is verified. */
  readonly isCalibrated: boolean;
  /** Subjects whose answers are verified. */
  readonly verified: readonly string[];
  /** Subjects that no examined block contained. */
  readonly untested: readonly string[];
  /** Subjects for which answers of nodes are unverifiable, with reasons. */
  readonly unverifiable: readonly string[];
  /** Number of answers since the start, by the values of `X-Portcullis-Trust`. */
  readonly trust: TrustCounts;
};

export type TrustCounts = { readonly proven: number; readonly agreed: number; readonly single: number };

export type SubscriptionStatus = {
  readonly open: number;
  /** Number of notifications since the start. */
  readonly sent: number;
  /** Delay between learning of the latest head and sending its last notification; absent where none was sent. */
  readonly lag?: number;
};

export type BlockStatus = { readonly number: number; readonly hash: string; readonly timestamp: number };

export type UpstreamStatus = {
  /** A name or a host: never a path, a query or credentials. */
  readonly name: string;
  readonly state: 'up' | 'lagging' | 'down' | 'excluded';
  /** Reason why the node is not used like other nodes, if any. */
  readonly reason?: string;
  readonly head?: number;
  /** Blocks behind the served head. */
  readonly lag?: number;
  /**
   * Average latency, and share of failures (0 to 1), over about the last minute. Both are absent if no request was sent to the node in this time,
   * and for nodes that do not answer or are excluded. The latency is also absent if every request failed.
   */
  readonly latency?: number;
  readonly errorRate?: number;
  /** Absent if calls to the node are free. */
  readonly spend?: SpendStatus;
};

/** Credits that the calls to a node cost in the current period. */
export type SpendStatus = {
  /** Credits of all processes at this node. */
  readonly credits: number;
  /** Beginning of the period, and beginning of the next period, Unix ms. */
  readonly from: number;
  readonly until: number;
  /** Budget in credits. This member and the following ones are absent for a node without a budget. */
  readonly budget?: number;
  readonly per?: 'month' | 'day';
  readonly remaining?: number;
  readonly isUsedUp?: boolean;
  /** Account whose nodes share the budget. */
  readonly account?: string;
};

export type CacheStatus = { readonly hits: number; readonly misses: number; readonly bytes: number };

export type KeyStatus = {
  readonly id: string;
  readonly name: string;
  /** Calls since the processes started. */
  readonly calls: number;
  readonly credits: number;
  /** Calls refused by a limit. */
  readonly limited: number;
};

export type TrafficSample = {
  readonly at: number;
  readonly callsPerSecond: number;
  readonly errorsPerSecond: number;
  /** Latency percentiles; absent without calls. */
  readonly p50?: number;
  readonly p99?: number;
};

export type ErrorEntry = {
  readonly at: number;
  readonly network: string;
  readonly method: string;
  /** Name of a row of the error table. */
  readonly error: string;
  readonly count: number;
};
