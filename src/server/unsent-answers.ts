import type { Duplex } from 'node:stream';
import { SharedBudget } from '../util/shared-budget.ts';
import type { TransportLimits } from './options.ts';
import { type CutOff, Outflow } from './outflow.ts';

/** How often connections with unsent answers are looked at: at most, and in parts of `sendTimeout`. */
const MAX_INTERVAL_MS = 1_000;
const MIN_INTERVAL_MS = 10;
const INTERVALS = 4;
/** A call is refused where its owner has no room for this part of the bound: its answer would close a connection. */
const ROOM_PART = 64;
/** Between two counts because a bound is reached, milliseconds. */
const RECOUNT_MS = 10;

/**
 * Answers that are not yet with the kernel, of all connections. They exist before their size is known, so they are counted
 * when they are there. Where they do not fit, connections are closed, those with the most unsent first: the owner's own when
 * it holds more than an equal part of the bound, else those of the owner that holds most.
 */
export class UnsentAnswers {
  readonly #budget: SharedBudget;
  readonly #sendTimeout: number;
  readonly #intervalMs: number;
  /** The least rate at which answers are to be read, bytes per second. */
  readonly sendRate: number;
  /** Connections that hold something. */
  readonly #flows = new Set<Outflow>();
  #timer: NodeJS.Timeout | undefined;
  #countedAt = 0;
  /** Connections closed, by reason. */
  readonly closed: { share: number; slow: number } = { share: 0, slow: 0 };
  /** Calls that were refused because earlier answers are unsent. */
  refused = 0;

  readonly #onClosed: (bound: 'unsent.bytes' | 'send.rate') => void;

  /** @param onClosed called for each connection that is closed because it holds too much, or is read too slowly */
  constructor(
    { unsentBytes, ownerShare, sendTimeout, sendRate }: TransportLimits,
    onClosed: (bound: 'unsent.bytes' | 'send.rate') => void = () => {},
  ) {
    this.#onClosed = onClosed;
    this.#budget = new SharedBudget(unsentBytes, ownerShare);
    this.#sendTimeout = sendTimeout;
    this.sendRate = sendRate;
    this.#intervalMs = Math.max(MIN_INTERVAL_MS, Math.min(MAX_INTERVAL_MS, sendTimeout / INTERVALS));
  }

  /** Of all connections. */
  get bytes(): number {
    return this.#budget.used;
  }

  /** More time than this between two looks is not the clients', milliseconds. */
  get maxStepMs(): number {
    return 2 * this.#intervalMs;
  }

  /** Watches a connection. */
  watch(socket: Duplex, cutOff: CutOff): Outflow {
    return new Outflow(this, socket, cutOff);
  }

  /** Whether a call of this owner is to be refused before it is executed, since its answer could not be held. */
  refuses(owner: string): boolean {
    if (this.#hasRoomForAnswer(owner)) return false;
    this.#recount();
    if (this.#hasRoomForAnswer(owner)) return false;
    this.refused++;
    return true;
  }

  /** Whether nothing at all is unsent: then there is room for each owner. */
  get isEmpty(): boolean {
    return this.#budget.used === 0;
  }

  /** Counts what a connection holds now; closes connections where that is too much. */
  note(flow: Outflow, owner: string, bytes: number): void {
    const budget = this.#budget;
    const before = owner === flow.owner ? flow.held : 0;
    const fits = bytes <= before || budget.hasRoom(owner, bytes - before);
    budget.giveBack(flow.owner, flow.held);
    budget.take(owner, bytes);
    flow.owner = owner;
    flow.held = bytes;
    if (bytes === 0) this.#flows.delete(flow);
    else this.#flows.add(flow);
    this.#timer ??= this.#flows.size > 0 ? this.#startTimer() : undefined;
    if (!fits) this.#makeRoom(owner);
  }

  #hasRoomForAnswer(owner: string): boolean {
    return this.#budget.hasRoom(owner, Math.ceil(this.#budget.limit / ROOM_PART));
  }

  #makeRoom(owner: string): void {
    this.#recount();
    // What is being closed already makes room in a later turn.
    let leaving = 0;
    for (const flow of this.#flows) if (flow.isCutOff) leaving += flow.held;
    let excess = this.#budget.excessOf(owner) - leaving;
    while (excess > 0) {
      const victim = this.#findLargest(this.#chooseOwner(owner)) ?? this.#findLargest(owner);
      if (victim === undefined) return;
      excess -= victim.held;
      this.#close(victim, 'share');
    }
  }

  /** The owner that gives way: this one, unless it holds no more than an equal part. */
  #chooseOwner(owner: string): string {
    const budget = this.#budget;
    if (budget.usedBy(owner) > budget.limit / (budget.owners + 1)) return owner;
    let largest = owner;
    for (const flow of this.#flows)
      if (budget.usedBy(flow.owner) > budget.usedBy(largest)) largest = flow.owner;
    return largest;
  }

  #findLargest(owner: string): Outflow | undefined {
    let largest: Outflow | undefined;
    for (const flow of this.#flows)
      if (!flow.isCutOff && flow.owner === owner && flow.held > (largest?.held ?? 0)) largest = flow;
    return largest;
  }

  #close(flow: Outflow, reason: 'share' | 'slow'): void {
    this.closed[reason]++;
    this.#onClosed(reason === 'share' ? 'unsent.bytes' : 'send.rate');
    flow.cutOff(reason);
    flow.update();
  }

  /** The kernel takes bytes without saying so. */
  #recount(): void {
    const now = performance.now();
    if (now - this.#countedAt < RECOUNT_MS) return;
    this.#countedAt = now;
    for (const flow of this.#flows) flow.update();
  }

  #startTimer(): NodeJS.Timeout {
    return setInterval(() => this.#look(), this.#intervalMs).unref();
  }

  #look(): void {
    for (const flow of this.#flows) {
      flow.update();
      if (flow.isTooSlow(this.#sendTimeout)) this.#close(flow, 'slow');
    }
    if (this.#flows.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
