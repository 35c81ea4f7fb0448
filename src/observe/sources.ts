/** Sources of metrics and status other than calls. Their figures are read on demand. */
import type { Histogram } from './histogram.ts';
import type { BlockStatus, TrustCounts, UpstreamStatus } from './status.ts';

export type UpstreamFigures = UpstreamStatus & {
  readonly inFlight: number;
  readonly circuit: 'closed' | 'open' | 'halfOpen';
  /** Whether the node takes part in deciding the head. */
  readonly hasVote: boolean;
  /** Whether an operator has taken the node out of service. */
  readonly isCordoned: boolean;
  /** Faults so far by kind. */
  readonly faults: ReadonlyMap<string, number>;
  /** Durations of all requests to the node, cancelled ones excluded. */
  readonly seconds: Histogram;
  /** Credits that this process has spent at the node since its start; absent if calls to the node are free. */
  readonly creditsSpent?: number;
};

/** Verifiability of a network's answers, and the outcomes of verification. */
export type VerificationFigures = {
  /** Whether recent blocks have been examined. */
  readonly isCalibrated: boolean;
  readonly rows: readonly {
    readonly subject: string;
    readonly state: 'verified' | 'untested' | 'unverifiable';
    readonly reason?: string;
    /** First block of the newest range of unverifiable answers. Absent if no answers are unverifiable, or if all are. */
    readonly from?: number;
    /** Last block of an older range with unverifiable answers; newer blocks are verifiable. */
    readonly until?: number;
  }[];
  readonly counts: { readonly verified: number; readonly unproven: number; readonly refuted: number };
  /** Number of answers about blocks and state, by trust level. */
  readonly trust: TrustCounts;
  /** Figures of the anchor; absent where no layer 1 is configured as an anchor. */
  readonly anchor?: AnchorFigures;
};

/** The anchor of a rollup: the last block that its layer 1 commits to. */
export type AnchorFigures = {
  /** `contradicted`: no node has the block that layer 1 commits to. */
  readonly state: 'waiting' | 'anchored' | 'contradicted';
  readonly number?: number;
  /** Reason why no block, or no newer block, is anchored; phrased as the end of a sentence. */
  readonly reason?: string;
};

/** Comparisons of nodes' answers with local executions, by outcome. */
export type SampleCounts = {
  same: number;
  /** The node's answer differs from the local execution, and another node confirms the local execution. */
  refuted: number;
  /** The node's answer differs from the local execution, and no node confirms the local execution. */
  different: number;
  /** Not comparable: the state is unverifiable, or the outcome depends on choices of clients. */
  unknown: number;
};

/** State of a network verified by proofs of nodes. */
export type VerifiedStateFigures = {
  /** Number of heads at which often read accounts and slots were verified before the first request for them. */
  readonly warmed: number;
  /** Number of heads to which cached state was rolled forward by block access lists (EIP-7928). */
  readonly rolled: number;
  /** Memory use of the state, contract code included, bytes. */
  readonly bytes: number;
};

/** Local execution of calls on a network of nodes. */
export type ExecutionFigures = {
  /** `comparing`: nodes answer all calls, and local executions are compared with their answers. */
  readonly state: 'local' | 'comparing' | 'node';
  /** Reason for execution by nodes. */
  readonly reason?: string;
  readonly executed: number;
  /** Round trips in which calls requested state from nodes. */
  readonly roundTrips: number;
  /** Number of calls sent to nodes, by reason. */
  readonly left: Readonly<Record<string, number>>;
  /** Results of comparisons; absent where nodes' answers are not sampled. */
  readonly samples?: Readonly<SampleCounts>;
};

/** Agreement of the operators of a network's nodes. */
export type AgreementFigures = {
  /** Number of operators that must agree. */
  readonly needed: number;
  /** Number of configured operators. */
  readonly operators: number;
  /** Number of operators whose nodes have the newest block. Only nodes that count in the choice of the head are considered. */
  readonly voices: number;
  /** Whether answers of too few operators are refused. If not refused, answers of too few operators count as the answer of one node. */
  readonly isDemanded: boolean;
  /** Whether fewer operators than needed have had new blocks for some seconds. */
  readonly isMissing: boolean;
};

/** Figures of a network's chain. */
export type ChainFigures = {
  /** Absent until the chain id is known. */
  readonly chainId?: string;
  /** Reason why no call is answered now, as the end of a sentence; absent where calls are answered. */
  readonly outage?: string;
  readonly head: BlockStatus | undefined;
  /** Numbers of the blocks that are served as `safe` and `finalized`; absent while no block is served for the tag. */
  readonly safe?: number;
  readonly finalized?: number;
  /** Whether the only node is a development node, which makes blocks on demand. */
  readonly isDevelopment?: true;
  /** Usual time between blocks, ms, as in `NetworkStatus`. */
  readonly blockTime?: number;
  /** Milliseconds since a healthy node last had the head, as in `NetworkStatus`; absent for a network without nodes. */
  readonly unconfirmed?: number;
  readonly isExpired?: boolean;
  readonly upstreams: readonly UpstreamFigures[];
  /** Figures of verification; absent where nothing is verified. */
  readonly verification?: VerificationFigures;
  /** Figures of operators; absent where operators are not counted. */
  readonly agreement?: AgreementFigures;
  /** Figures of verified state; absent for a network without nodes. */
  readonly provenState?: VerifiedStateFigures;
  /** Figures of local execution; absent where no call is executed locally. */
  readonly execution?: ExecutionFigures;
};

export type NetworkSource = {
  readonly name: string;
  readonly hosts: readonly string[];
  readonly source: 'embedded' | 'upstream';
  /** Returns the rollup family; undefined until it is recognised, and for a network that is not a rollup. */
  readonly readFamily: () => string | undefined;
  readonly read: () => ChainFigures;
  /** Returns the calls waiting for a network slot. */
  readonly readWaiting: () => number;
};

export type CacheFigures = {
  readonly tier: 'memory' | 'shared';
  readonly hits: number;
  readonly misses: number;
  /** Size of the cache; undefined if other processes share the cache, because its size is then unknown here. */
  readonly bytes: number | undefined;
  readonly entries: number | undefined;
  readonly evictions: number | undefined;
  readonly faults: number | undefined;
};

/** Execution figures of one kind of thread: the thread that reads requests (`inline`), or threads for heavy calls (`thread`). */
export type ExecutionPlace = {
  readonly where: 'inline' | 'thread';
  readonly executions: number;
  readonly gas: number;
  readonly seconds: number;
};

export type EngineFigures = {
  readonly places: readonly ExecutionPlace[];
  readonly queued: number;
  readonly running: number;
  readonly threads: number;
};

export type ServerFigures = {
  /** Whether the server is closing, so that readiness probes fail. */
  readonly isDraining: boolean;
  readonly connections: number;
  readonly webSockets: number;
  /** Number of request bodies in progress. */
  readonly inFlight: number;
  /** Bytes of arriving request bodies, and bytes of answers that clients have not read. Each number has a bound that all clients share. */
  readonly arrivingBytes: number;
  readonly unsentBytes: number;
  /** Subscribers closed for reading too slowly. */
  readonly slowSubscribers: number;
  /** Number of refused requests and closed connections, by bound, because a caller had used its whole share of the bound. */
  readonly shareRefusals: Readonly<Record<string, number>>;
};

/** All sources of one process. */
export type Sources = {
  readonly networks: readonly NetworkSource[];
  readonly readCaches: () => readonly CacheFigures[];
  readonly readEngine: () => EngineFigures;
  readonly readServer: () => ServerFigures;
  /** Returns whether the Valkey or Redis server of keys and limits answers; absent where keys and limits are in files. */
  readonly isStoreUp?: (() => boolean) | undefined;
};
