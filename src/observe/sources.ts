/** What metrics and status are made of besides calls: plain figures, read on demand. */
import type { Histogram } from './histogram.ts';
import type { BlockStatus, UpstreamStatus } from './status.ts';

export type UpstreamFigures = UpstreamStatus & {
  readonly inFlight: number;
  readonly circuit: 'closed' | 'open' | 'halfOpen';
  /** Whether it takes part in deciding the head. */
  readonly hasVote: boolean;
  /** Faults so far by kind. */
  readonly faults: ReadonlyMap<string, number>;
  /** Of all requests to it that were not given up. */
  readonly seconds: Histogram;
};

/** What of a network's answers can be recomputed, and what came of those that were. */
export type VerificationFigures = {
  readonly rows: readonly {
    readonly subject: string;
    readonly state: 'verified' | 'untested' | 'unverifiable';
    readonly reason?: string;
    /** The first of the newest blocks of which it is not verifiable; absent where it is not of any. */
    readonly from?: number;
    /** The last of older blocks of which it is not verifiable, below newer ones of which it is. */
    readonly until?: number;
  }[];
  readonly counts: { readonly verified: number; readonly unproven: number; readonly refuted: number };
  /** Answers about blocks and state by how far they are to be believed. */
  readonly trust: { readonly proven: number; readonly agreed: number; readonly single: number };
  /** Absent where no layer 1 is configured to anchor it. */
  readonly anchor?: AnchorFigures;
};

/** A rollup's last block that its layer 1 commits to. */
export type AnchorFigures = {
  /** `contradicted`: no node has the block that layer 1 commits to. */
  readonly state: 'waiting' | 'anchored' | 'contradicted';
  readonly number?: number;
  /** Why there is none, or no newer one, as the rest of a sentence. */
  readonly reason?: string;
};

/** Answers of nodes to calls that were executed here too, by what came of it. */
export type SampleCounts = {
  same: number;
  /** Another node and the execution here have another outcome. */
  refuted: number;
  /** No node has the outcome of the execution here. */
  different: number;
  /** The state is not proven, or the outcome depends on what clients choose. */
  unknown: number;
};

/** State of a network that nodes have proven. */
export type ProvenStateFigures = {
  /** Heads at which hot accounts and slots were proven before the first read. */
  readonly warmed: number;
  /** Heads to which known state was rolled forward by access lists of blocks. */
  readonly rolled: number;
  /** In memory, with codes. */
  readonly bytes: number;
};

/** Calls of a network of nodes that are executed here. */
export type ExecutionFigures = {
  /** `comparing`: calls are compared with nodes' answers before one is answered from here. */
  readonly state: 'local' | 'comparing' | 'node';
  /** Why it is nodes. */
  readonly reason?: string;
  readonly executed: number;
  /** Turns in which calls asked nodes for parts of states. */
  readonly trips: number;
  /** Calls that nodes were asked for, by why. */
  readonly left: Readonly<Record<string, number>>;
  /** Absent where nodes' answers are not sampled. */
  readonly samples?: Readonly<SampleCounts>;
};

/** Whether the operators of a network's nodes agree. */
export type AgreementFigures = {
  /** Operators that must say the same, those that are configured, and those that have the newest block of the nodes that vote. */
  readonly needed: number;
  readonly operators: number;
  readonly voices: number;
  /** Whether what too few of them say is refused; otherwise it is one node's word. */
  readonly isDemanded: boolean;
  /** Whether for some seconds fewer operators than are needed have had anything new. */
  readonly isMissing: boolean;
};

/** Figures of a network's chain. */
export type ChainFigures = {
  /** Absent as long as it is not known. */
  readonly chainId?: string;
  /** Why no call is answered now, as the rest of a sentence; absent where calls are answered. */
  readonly outage?: string;
  readonly head: BlockStatus | undefined;
  /** As in `NetworkStatus`; absent without nodes. */
  readonly unconfirmed?: number;
  readonly isExpired?: boolean;
  readonly upstreams: readonly UpstreamFigures[];
  /** Absent where nothing is verified. */
  readonly verification?: VerificationFigures;
  /** Absent where operators are not counted. */
  readonly agreement?: AgreementFigures;
  /** Absent without nodes. */
  readonly provenState?: ProvenStateFigures;
  /** Absent where nothing is executed here. */
  readonly execution?: ExecutionFigures;
};

export type NetworkSource = {
  readonly name: string;
  readonly hosts: readonly string[];
  readonly source: 'embedded' | 'upstream';
  /** Rollup family; undefined as long as it has not been recognised, and where it is no rollup. */
  readonly readFamily: () => string | undefined;
  readonly read: () => ChainFigures;
  /** Calls that wait for their turn on it now. */
  readonly readWaiting: () => number;
};

export type CacheFigures = {
  readonly tier: 'memory' | 'shared';
  readonly hits: number;
  readonly misses: number;
  /** Undefined where that is not known: what others hold too. */
  readonly bytes: number | undefined;
  readonly entries: number | undefined;
  readonly evictions: number | undefined;
  readonly faults: number | undefined;
};

/** Where executions run: on the thread that reads requests, or on one for heavy calls. */
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
  /** What of bounds over all callers is in use, in bytes. */
  readonly arrivingBytes: number;
  readonly unsentBytes: number;
  /** Subscribers that were closed because they read too slowly. */
  readonly slowSubscribers: number;
  /** Refused or closed since a caller held its share: by what that was of. */
  readonly shareRefusals: Readonly<Record<string, number>>;
};

/** All of them, for one process. */
export type Sources = {
  readonly networks: readonly NetworkSource[];
  readonly readCaches: () => readonly CacheFigures[];
  readonly readEngine: () => EngineFigures;
  readonly readServer: () => ServerFigures;
};
