import { DURATION_BOUNDS, Histogram } from '../observe/histogram.ts';
import type { AnswerMemory } from '../util/answer-memory.ts';
import type { FaultKind, UpstreamFault } from './fault.ts';
import type { Vote } from './heads/electorate.ts';
import type { HeadTracker } from './heads/head-tracker.ts';
import { Health } from './health.ts';
import type { Identity } from './identity.ts';
import { LogSpan } from './log-span.ts';
import { MethodSilences } from './method-silences.ts';
import { NodeMethods } from './node-methods.ts';
import type { OwnTransport } from './request-value.ts';
import type { Transport } from './transport/transport.ts';

/**
 * Whether a node may be used. `unverified`: its chain is not yet known to be the network's, at the start or after it was away. `quarantined`: it is
 * of another chain, sent an answer that its block refutes, or broke a bound. `disputed`: it is undecided which nodes have the network's genesis
 * block.
 */
export type Standing = 'unverified' | 'verified' | 'quarantined' | 'disputed';

const MISSED_POLLS = 2;

/** Members of the head tracker that the pool reads. */
export type TrackedHead = Pick<
  HeadTracker,
  | 'latest'
  | 'safe'
  | 'finalized'
  | 'hasMarks'
  | 'isSyncing'
  | 'isExpected'
  | 'hasShown'
  | 'syncTarget'
  | 'hashAt'
  | 'headerAt'
  | 'numberOf'
  | 'holds'
  | 'refresh'
  | 'refreshAnew'
  | 'showBlock'
  | 'start'
  | 'stop'
>;

/** Components of one upstream. */
export type UpstreamParts = {
  readonly name: string;
  /** See `findOperator`: only compared, never shown. */
  readonly operator: string;
  readonly tier: number;
  readonly transport: Transport;
  /** Transport for requests of the pool itself: heads and identity. */
  readonly control: Transport;
  /** Transport for announcements of heads, if it is a separate one. */
  readonly announcements?: Transport;
  readonly tracker: TrackedHead;
  /** Parts of the node's address and headers that must never be revealed. */
  readonly secrets: readonly string[];
  /** Keys among the secrets, which are masked in revert data too; none by default. */
  readonly credentials?: readonly string[];
  /** Opens the memory reservation of a response, if no memory of a caller accounts for it. */
  readonly openMemory: () => AnswerMemory;
  /** Called when the node sent more than a request can need; by default, nothing happens. */
  readonly onExcessive?: (fault: UpstreamFault) => void;
  readonly now: () => number;
};

/** One node of a pool, with its state and its record. */
export class Upstream {
  readonly name: string;
  readonly operator: string;
  readonly tier: number;
  readonly transport: Transport;
  readonly control: Transport;
  readonly tracker: TrackedHead;
  readonly secrets: readonly string[];
  readonly credentials: readonly string[];
  readonly openMemory: () => AnswerMemory;
  readonly onExcessive: (fault: UpstreamFault) => void;
  readonly health: Health;
  readonly methodSilences: MethodSilences;
  readonly methods: NodeMethods;
  readonly logSpan: LogSpan;
  /** Number of faults by kind. */
  readonly faults: Map<FaultKind, number> = new Map();
  /** Durations of requests in seconds, except for aborted requests. */
  readonly seconds: Histogram = new Histogram(DURATION_BOUNDS);
  standing: Standing = 'unverified';
  identity: Identity | undefined;
  /** Kind of fault of the last failed identification. */
  identityFault: FaultKind | undefined;
  /** Difference from the chain of the network while the node is quarantined, or from the other nodes while it is disputed. */
  mismatch: string | undefined;
  /** Reason for a temporary quarantine, as the rest of a sentence about the node: it sent a wrong answer, or one that breaks a bound. */
  evidence: string | undefined;
  /** Result of the latest election of the head. */
  vote: Vote = 'silent';
  /** Whether the node reported another block than the served one, and its chain has not been confirmed since then. */
  hasMismatch = false;
  /** Resolves when the running check of the node's identity has ended. */
  checking: Promise<void> | undefined;
  /** Whether the node's blocks contradict the blocks that the network serves. */
  isOnFork = false;
  /** Set at the start until the node has identified itself or exceeded its startup time: until then, the other nodes are no majority without it. */
  isAwaited = true;
  /** Number of the latest block that the node reported before. */
  lastHead: bigint | undefined;
  /** Number of consecutive failed polls for the node's head. */
  missedPolls = 0;
  readonly #announcements: Transport | undefined;
  /** Methods for which the node accepts only the first parameter; only methods that the service itself knows, so the set is small. */
  readonly #takesOne = new Set<string>();

  constructor(parts: UpstreamParts) {
    this.name = parts.name;
    this.operator = parts.operator;
    this.tier = parts.tier;
    this.transport = parts.transport;
    this.control = parts.control;
    this.tracker = parts.tracker;
    this.secrets = parts.secrets;
    this.credentials = parts.credentials ?? [];
    this.openMemory = parts.openMemory;
    this.onExcessive = parts.onExcessive ?? (() => {});
    this.health = new Health(parts.now);
    this.methodSilences = new MethodSilences(parts.now);
    this.logSpan = new LogSpan(parts.now);
    this.#announcements = parts.announcements;
    this.methods = new NodeMethods(parts.now);
  }

  /** Whether the node's head counts for the network's head: the node is of this chain and answers, or may still prove to be. */
  get countsForHead(): boolean {
    return this.standing === 'verified' ? !this.isAway && !this.hasMismatch : this.isAwaited;
  }

  /** Whether the node has missed more than one poll in a row. */
  get isAway(): boolean {
    return this.missedPolls >= MISSED_POLLS;
  }

  /** Whether the node may be used and answers. */
  get isUp(): boolean {
    return this.standing === 'verified' && !this.isAway;
  }

  /** Whether the node is syncing or lagging, so that other nodes are preferred for recent blocks. */
  get isBehind(): boolean {
    return this.vote === 'syncing' || this.vote === 'lagging';
  }

  /** Whether blocks may be named by hash in parameters (EIP-1898). */
  get knowsHashParameters(): boolean {
    return this.identity?.knowsHashParameters === true;
  }

  /** Transport for requests of the service itself. */
  get own(): OwnTransport {
    return { transport: this.control, memory: this.openMemory };
  }

  /** Transport of announced heads and transactions. */
  get announcer(): Transport {
    return this.#announcements ?? this.control;
  }

  lacks(method: string): boolean {
    return this.methods.lacks(method);
  }

  /** Whether the node accepts only the first parameter of this method. */
  takesOneOf(method: string): boolean {
    return this.#takesOne.has(method);
  }

  noteTakesOne(method: string): void {
    this.#takesOne.add(method);
  }

  noteUnsupported(method: string): void {
    this.methods.noteLacks(method);
  }

  async close(): Promise<void> {
    this.tracker.stop();
    await this.transport.close();
    await this.control.close();
    await this.#announcements?.close();
  }

  countFault(kind: FaultKind): void {
    this.faults.set(kind, (this.faults.get(kind) ?? 0) + 1);
  }
}
