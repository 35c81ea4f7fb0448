/**
 * Status of a service at a moment: what the status page shows. Plain JSON, so that processes can send it to each
 * other; nothing in it opens a door. Times are Unix milliseconds, durations milliseconds, sizes bytes.
 */
export type ServiceStatus = {
  readonly version: string;
  readonly at: number;
  readonly startedAt: number;
  readonly processes: readonly ProcessStatus[];
  readonly networks: readonly NetworkStatus[];
  readonly cache: CacheStatus;
  readonly keys: readonly KeyStatus[];
  /** Calls of the last minutes, one sample a second, oldest first. */
  readonly traffic: readonly TrafficSample[];
  /** The latest failures that were the service's or a node's, newest first. */
  readonly errors: readonly ErrorEntry[];
};

export type ProcessStatus = {
  readonly pid: number;
  readonly startedAt: number;
  readonly connections: number;
  readonly webSockets: number;
  /** Bodies in work. */
  readonly inFlight: number;
  /** Calls that wait: for their turn on a network, and of those that have it, for a place in the engine. */
  readonly queued: number;
  /** Of the last seconds: how late timers were, 99th percentile. */
  readonly eventLoopDelay: number;
  readonly residentBytes: number;
  readonly heapBytes: number;
};

export type NetworkStatus = {
  readonly name: string;
  readonly hosts: readonly string[];
  readonly source: 'embedded' | 'upstream';
  /** Rollup family, where it is one. */
  readonly family?: string;
  /** Absent as long as it is not known. */
  readonly chainId?: string;
  /** Why no call is answered now; absent where calls are answered. */
  readonly outage?: string;
  readonly head?: BlockStatus;
  /** Milliseconds since a healthy node had the head; 0 while one has it. */
  readonly unconfirmed?: number;
  /** Whether the head is not served any more because no healthy node has had it for too long. */
  readonly isExpired?: boolean;
  /** How many of the configured operators have the newest block, and how many have to; absent where they are not counted. */
  readonly agreement?: {
    readonly needed: number;
    readonly operators: number;
    readonly voices: number;
    /** Whether what too few of them say is refused. */
    readonly isDemanded: boolean;
    /** Whether for some seconds too few have had anything new. */
    readonly isMissing: boolean;
  };
  /** What of the answers of nodes cannot be recomputed, each with the reason; absent where nothing is verified. */
  readonly unverifiable?: readonly string[];
  /** The rollup's last block that layer 1 commits to; absent where layer 1 is not read for that. */
  readonly anchor?: {
    readonly state: 'waiting' | 'anchored' | 'contradicted';
    readonly number?: number;
    readonly reason?: string;
  };
  /** Where calls are executed, and why by nodes; absent where nothing else is wanted. */
  readonly execution?: { readonly state: 'local' | 'comparing' | 'node'; readonly reason?: string };
  readonly upstreams: readonly UpstreamStatus[];
  readonly subscriptions: SubscriptionStatus;
  /** Calls a second and their latencies over the last ten seconds. */
  readonly traffic: TrafficSample;
};

export type SubscriptionStatus = {
  readonly open: number;
  /** Notifications so far. */
  readonly sent: number;
  /** From the notice of the latest head to its last notification; absent where there was none. */
  readonly lag?: number;
};

export type BlockStatus = { readonly number: number; readonly hash: string; readonly timestamp: number };

export type UpstreamStatus = {
  /** A name or a host: never a path, a query or credentials. */
  readonly name: string;
  readonly state: 'up' | 'lagging' | 'down' | 'excluded';
  /** Why it is not used like any other, where it is not. */
  readonly reason?: string;
  readonly head?: number;
  /** Blocks behind the head that is served. */
  readonly lag?: number;
  /** Of its answers: median, and the share of failures (0 to 1), of the last minute or so. */
  readonly latency?: number;
  readonly errorRate?: number;
};

export type CacheStatus = { readonly hits: number; readonly misses: number; readonly bytes: number };

export type KeyStatus = {
  readonly id: string;
  readonly name: string;
  /** Since the processes started. */
  readonly calls: number;
  readonly credits: number;
  /** Calls that were refused for a limit. */
  readonly limited: number;
};

export type TrafficSample = {
  readonly at: number;
  readonly callsPerSecond: number;
  readonly errorsPerSecond: number;
  /** Of the calls' latencies; absent where there were none. */
  readonly p50?: number;
  readonly p99?: number;
};

export type ErrorEntry = {
  readonly at: number;
  readonly network: string;
  readonly method: string;
  /** Row of the table of errors. */
  readonly error: string;
  readonly count: number;
};
