/** Sources of metrics and status besides calls: plain figures, read on demand. */
import type { Histogram } from './histogram.ts';
import type { BlockStatus, UpstreamStatus } from './status.ts';

export type UpstreamFigures = UpstreamStatus & {
  readonly inFlight: number;
  readonly circuit: 'closed' | 'open' | 'halfOpen';
  /** Whether the node takes part in deciding the head. */
  readonly hasVote: boolean;
  /** Faults so far by kind. */
  readonly faults: ReadonlyMap<string, number>;
  /** Durations of all requests to it that were not abandoned. */
  readonly seconds: Histogram;
};

/** Verifiability of a network's answers, and the outcomes of verification. */
export type VerificationFigures = {
  readonly rows: readonly {
    readonly subject: string;
    readonly state: 'verified' | 'untested' | 'unverifiable';
    readonly reason?: string;
    /** First of the newest blocks whose answers are unverifiable; absent if none are verifiable. */
    readonly from?: number;
    /** Last of the older blocks whose answers are unverifiable, below newer verifiable ones. */
    readonly until?: number;
  }[];
  readonly counts: { readonly verified: number; readonly unproven: number; readonly refuted: number };
  /** Answers about blocks and state by trust. */
  readonly trust: { readonly proven: number; readonly agreed: number; readonly single: number };
  /** Absent where no layer 1 is configured as an anchor. */
  readonly anchor?: AnchorFigures;
};

/** The last block of a rollup that its layer 1 commits to. */
export type AnchorFigures = {
  /** `contradicted`: no node has the block that layer 1 commits to. */
  readonly state: 'waiting' | 'anchored' | 'contradicted';
  readonly number?: number;
  /** Reason for the absence of a block, or of a newer one, as the rest of a sentence. */
  readonly reason?: string;
};

/** Comparisons of nodes' answers with executions here, by outcome. */
export type SampleCounts = {
  same: number;
  /** Another node confirms the outcome of the execution here. */
  refuted: number;
  /** No node has the outcome of the execution here. */
  different: number;
  /** Not comparable: the state is unverifiable, or the outcome depends on choices of clients. */
  unknown: number;
};

/** State of a network verified by proofs of nodes. */
export type VerifiedStateFigures = {
  /** Heads at which hot accounts and slots were verified before the first read. */
  readonly warmed: number;
  /** Heads to which cached state was rolled forward by block access lists (EIP-7928). */
  readonly rolled: number;
  /** Memory, including codes. */
  readonly bytes: number;
};

/** Local execution of calls on a network of nodes. */
export type ExecutionFigures = {
  /** `comparing`: calls are compared with nodes' answers before any is answered locally. */
  readonly state: 'local' | 'comparing' | 'node';
  /** Reason for execution by nodes. */
  readonly reason?: string;
  readonly executed: number;
  /** Rounds of state requests to nodes by calls. */
  readonly roundTrips: number;
  /** Calls sent to nodes, by reason. */
  readonly left: Readonly<Record<string, number>>;
  /** Absent where nodes' answers are not sampled. */
  readonly samples?: Readonly<SampleCounts>;
};

/** Agreement of the operators of a network's nodes. */
export type AgreementFigures = {
  /**
   * Number of operators that must agree, of configured operators, and of those that have the newest block of the
   * voting nodes.
   */
  readonly needed: number;
  readonly operators: number;
  readonly voices: number;
  /** Whether answers of too few operators are refused; otherwise they count as one node's word. */
  readonly isDemanded: boolean;
  /** Whether for some seconds fewer operators than needed have had anything new. */
  readonly isMissing: boolean;
};

/** Figures of a network's chain. */
export type ChainFigures = {
  /** Absent until it is known. */
  readonly chainId?: string;
  /** Reason why no call is answered now, as the rest of a sentence; absent where calls are answered. */
  readonly outage?: string;
  readonly head: BlockStatus | undefined;
  /** Same as in `NetworkStatus`; absent without nodes. */
  readonly unconfirmed?: number;
  readonly isExpired?: boolean;
  readonly upstreams: readonly UpstreamFigures[];
  /** Absent where nothing is verified. */
  readonly verification?: VerificationFigures;
  /** Absent where operators are not counted. */
  readonly agreement?: AgreementFigures;
  /** Absent without nodes. */
  readonly provenState?: VerifiedStateFigures;
  /** Absent where nothing is executed here. */
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
  /** Undefined if unknown: for a cache shared with other processes. */
  readonly bytes: number | undefined;
  readonly entries: number | undefined;
  readonly evictions: number | undefined;
  readonly faults: number | undefined;
};

/** Execution figures by place: on the thread that reads requests, or on a thread for heavy calls. */
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
  readonly connections: number;
  readonly webSockets: number;
  /** Bodies in work. */
  readonly inFlight: number;
  /** Usage of the shared bounds, bytes. */
  readonly arrivingBytes: number;
  readonly unsentBytes: number;
  /** Subscribers closed for reading too slowly. */
  readonly slowSubscribers: number;
  /** Refusals and closes because a caller used its whole share, by bound. */
  readonly shareRefusals: Readonly<Record<string, number>>;
};

/** All sources of one process. */
export type Sources = {
  readonly networks: readonly NetworkSource[];
  readonly readCaches: () => readonly CacheFigures[];
  readonly readEngine: () => EngineFigures;
  readonly readServer: () => ServerFigures;
};
