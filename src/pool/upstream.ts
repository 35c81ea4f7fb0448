import { DURATION_BOUNDS, Histogram } from '../observe/histogram.ts';
import type { AnswerMemory } from '../util/answer-memory.ts';
import type { FaultKind, UpstreamFault } from './fault.ts';
import type { Vote } from './heads/electorate.ts';
import type { HeadTracker, PollDemand } from './heads/head-tracker.ts';
import { Health } from './health.ts';
import type { Identity } from './identity.ts';
import { LogSpan } from './log-span.ts';
import { MethodSilences } from './method-silences.ts';
import { POLL_METHOD } from './node-feed.ts';
import { NodeMethods } from './node-methods.ts';
import {
  applyEvent,
  isAway,
  listEffects,
  type NodeEffect,
  type NodeEvent,
  type NodeRecord,
  type Standing,
  UNKNOWN_NODE,
} from './node-record.ts';
import type { OwnTransport } from './request-value.ts';
import type { Spend } from './spend/spend.ts';
import type { Transport } from './transport/transport.ts';

/** Members of the head tracker that the pool reads. */
export type TrackedHead = Pick<
  HeadTracker,
  | 'latest'
  | 'blockTime'
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
  /** Result of `findOperator`; it may contain a key, so it is only compared and never shown. */
  readonly operator: string;
  readonly tier: number;
  readonly transport: Transport;
  /** Transport for requests of the pool itself: heads and identity. */
  readonly control: Transport;
  /** Separate transport for announcements of heads, if configured. */
  readonly announcements?: Transport;
  readonly tracker: TrackedHead;
  /** Parts of the node's address and headers that must never be revealed. */
  readonly secrets: readonly string[];
  /** Secrets that cannot be guessed, which are masked in revert data too; none by default. */
  readonly credentials?: readonly string[];
  /** Opens the memory reservation of a response that is not counted in the memory of a caller. */
  readonly openMemory: () => AnswerMemory;
  /** Called when the node sent more than a request can need; by default, nothing happens. */
  readonly onExcessive?: (fault: UpstreamFault) => void;
  /** Credits that calls to the node cost; absent if they are free. */
  readonly spend?: Spend | undefined;
  readonly now: () => number;
};

/** One node of a pool, with its transports, its health and its record. */
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
  readonly spend: Spend | undefined;
  readonly health: Health;
  readonly methodSilences: MethodSilences;
  readonly methods: NodeMethods;
  readonly logSpan: LogSpan;
  /** Number of faults by kind. */
  readonly faults: Map<FaultKind, number> = new Map();
  /** Durations of requests in seconds, except for aborted requests. */
  readonly seconds: Histogram = new Histogram(DURATION_BOUNDS);
  /** Promise of the running identity check; undefined if none runs. */
  checking: Promise<void> | undefined;
  #record: NodeRecord = UNKNOWN_NODE;
  #isClosed = false;
  readonly #announcements: Transport | undefined;
  /**
   * Methods for which the node accepts only the first parameter. The set stays small, because only methods whose requests have `paramsAlone` are
   * added.
   */
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
    this.spend = parts.spend;
    this.health = new Health(parts.now);
    this.methodSilences = new MethodSilences(parts.now);
    this.logSpan = new LogSpan(parts.now);
    this.#announcements = parts.announcements;
    this.methods = new NodeMethods(parts.now);
  }

  get record(): NodeRecord {
    return this.#record;
  }

  /** Applies an event to the record. @returns the effects, which the caller must execute */
  apply(event: NodeEvent): readonly NodeEffect[] {
    const before = this.#record;
    this.#record = applyEvent(before, event);
    return listEffects(before, this.#record);
  }

  noteVote(vote: Vote): void {
    const before = this.vote;
    this.apply({ kind: 'voted', vote });
    // The node was polled rarely while other nodes decided the head.
    if (vote === 'votes' && before !== 'votes' && this.isReserve) void this.tracker.refresh();
  }

  /** Whether the budget of the node is used up, so that it is used, and votes on the head, only if no other node can be used. */
  get isReserve(): boolean {
    return this.spend?.isUsedUp === true;
  }

  /** Demand for polls of the node's head. A reserve is polled as often as its price allows only while it decides the head. */
  get pollDemand(): PollDemand {
    const { spend } = this;
    if (spend === undefined || spend.priceOf(POLL_METHOD) === 0) return 'usual';
    return spend.isUsedUp && (spend.isBarred || this.vote !== 'votes') ? 'idle' : 'priced';
  }

  get identity(): Identity | undefined {
    return this.#record.identity;
  }

  get hasMismatch(): boolean {
    return this.#record.hasMismatch;
  }

  get isAwaited(): boolean {
    return this.#record.isAwaited;
  }

  get standing(): Standing {
    return this.#record.standing;
  }

  get vote(): Vote {
    return this.#record.vote;
  }

  get isOnFork(): boolean {
    return this.#record.isOnFork;
  }

  /**
   * Whether the node takes part in the election of the head. Nodes take part if they belong to this chain and answer polls, unless they must be
   * identified again (`hasMismatch`). At the start, nodes that are not identified yet take part too. Nodes that an operator takes out of service do not,
   * nor do nodes beyond a hard budget.
   */
  get countsForHead(): boolean {
    if (this.#record.cordon !== 'none' || this.isOutOfUse) return false;
    return this.standing === 'verified' ? !this.isAway && !this.hasMismatch : this.isAwaited;
  }

  /** Whether the node has missed more than one poll in a row. */
  get isAway(): boolean {
    return isAway(this.#record);
  }

  /** Whether the node gets no new calls, because an operator has taken it out of service. */
  get isCordoned(): boolean {
    return this.#record.cordon === 'cordoned';
  }

  /** Whether clients get no answers of the node, because an operator has taken it out of service or its hard budget is used up. */
  get isOutOfUse(): boolean {
    return this.isCordoned || this.spend?.isBarred === true;
  }

  /** Whether the node belongs to this chain, answers polls, and is not cordoned. */
  get isUp(): boolean {
    return this.standing === 'verified' && !this.isAway && !this.isCordoned;
  }

  /** Whether the node is syncing or lagging, so that other nodes are preferred for recent blocks. */
  get isBehind(): boolean {
    return this.vote === 'syncing' || this.vote === 'lagging';
  }

  /** Whether the node accepts blocks by hash in parameters (EIP-1898). */
  get knowsHashParameters(): boolean {
    return this.identity?.knowsHashParameters === true;
  }

  /** Transport for requests of the service itself. */
  get own(): OwnTransport {
    return { transport: this.control, memory: this.openMemory };
  }

  /** Transport over which the node announces heads and pending transactions. */
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

  /** Whether this service has closed the connections to the node. Later failures are no failures of the node. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.tracker.stop();
    await this.transport.close();
    await this.control.close();
    await this.#announcements?.close();
    this.spend?.close();
  }

  countFault(kind: FaultKind): void {
    this.faults.set(kind, (this.faults.get(kind) ?? 0) + 1);
  }
}
