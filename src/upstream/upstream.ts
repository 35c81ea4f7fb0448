import { DURATION_BOUNDS, Histogram } from '../observe/histogram.ts';
import type { AnswerMemory } from '../util/answer-memory.ts';
import type { OwnTransport } from './ask-value.ts';
import type { FaultKind, UpstreamFault } from './fault.ts';
import type { Vote } from './heads/electorate.ts';
import type { HeadTracker } from './heads/head-tracker.ts';
import { Health } from './health.ts';
import type { Identity } from './identity.ts';
import { LogSpan } from './log-span.ts';
import { MethodSilences } from './method-silences.ts';
import { NodeMethods } from './node-methods.ts';
import type { Transport } from './transport/transport.ts';

/**
 * Whether a node may be asked: `unverified` until its chain was seen to be the network's (again, after it was away),
 * `quarantined` when it is another chain's or gave an answer that its block refutes, `disputed` when it is not known which node has
 * the network's genesis block.
 */
export type Standing = 'unverified' | 'verified' | 'quarantined' | 'disputed';

const MISSED_POLLS = 2;

/** What the pool reads of an upstream's heads. */
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

/** What one upstream is made of. */
export type UpstreamParts = {
  readonly name: string;
  /** See `findOperator`: compared, never shown. */
  readonly operator: string;
  readonly tier: number;
  readonly transport: Transport;
  /** For what the pool asks on its own account: heads and identity. */
  readonly control: Transport;
  /** Where heads are announced, if that is not the same. */
  readonly announcements?: Transport;
  readonly tracker: TrackedHead;
  /** Parts of its address and headers that must never be revealed. */
  readonly secrets: readonly string[];
  /** Keys among them, which are masked in data of reverts too; by default none. */
  readonly credentials?: readonly string[];
  /** Opens what an answer of it holds, where no caller's memory counts it. */
  readonly openMemory: () => AnswerMemory;
  /** It sent more than a question can need; by default nothing comes of it. */
  readonly onExcessive?: (fault: UpstreamFault) => void;
  readonly now: () => number;
};

/** One node of a pool, and everything that is known about it. */
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
  /** Faults so far by kind. */
  readonly faults: Map<FaultKind, number> = new Map();
  /** Of requests, but for those that were given up. */
  readonly seconds: Histogram = new Histogram(DURATION_BOUNDS);
  standing: Standing = 'unverified';
  identity: Identity | undefined;
  /** Why it was not identified when it was asked last. */
  identityFault: FaultKind | undefined;
  /** How it differs from the network's chain, while it is quarantined; while it is disputed, from the other nodes. */
  mismatch: string | undefined;
  /** Why it is quarantined for a while, as the rest of a sentence about it: it gave a wrong answer, or one that breaks a bound. */
  evidence: string | undefined;
  /** Of the latest election of the head. */
  vote: Vote = 'silent';
  /** It reported another block than the one served, and has not since confirmed that it is of this chain. */
  isSuspected = false;
  /** Settled when its identity has been checked. */
  checking: Promise<void> | undefined;
  /** Its blocks contradict those that the network serves. */
  isOnFork = false;
  /** At the start, until it has identified itself or has had its time: the others are no majority without it. */
  isAwaited = true;
  /** Number of the latest block that it reported before. */
  lastHead: bigint | undefined;
  /** Polls for its head that failed since the last one that did not. */
  missedPolls = 0;
  readonly #announcements: Transport | undefined;
  /** Methods that the service itself knows: there are few. */
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

  /** Whether its head counts for the network's: it is of this chain and answers, or may yet turn out to. */
  get countsForHead(): boolean {
    return this.standing === 'verified' ? !this.isAway && !this.isSuspected : this.isAwaited;
  }

  /** It missed more than one poll in a row. */
  get isAway(): boolean {
    return this.missedPolls >= MISSED_POLLS;
  }

  /** Whether it may be asked and answers. */
  get isUp(): boolean {
    return this.standing === 'verified' && !this.isAway;
  }

  /** Whether it may be asked for recent blocks before others: a node that is behind knows less of them. */
  get isBehind(): boolean {
    return this.vote === 'syncing' || this.vote === 'lagging';
  }

  /** Whether blocks may be named by hash in parameters (EIP-1898). */
  get knowsHashParameters(): boolean {
    return this.identity?.knowsHashParameters === true;
  }

  /** The way to it for questions of the service itself. */
  get own(): OwnTransport {
    return { transport: this.control, memory: this.openMemory };
  }

  /** Where heads and transactions are announced, if anywhere. */
  get announcer(): Transport {
    return this.#announcements ?? this.control;
  }

  lacks(method: string): boolean {
    return this.methods.lacks(method);
  }

  /** Whether it takes the first parameter of this method and no more. */
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
