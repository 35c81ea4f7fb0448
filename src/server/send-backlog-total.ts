import type { Duplex } from 'node:stream';
import { SharedBudget } from '../util/shared-budget.ts';
import type { ListenerLimits } from './options.ts';
import { type CutOff, SendBacklog } from './send-backlog.ts';

/**
 * Maximum interval between checks of connections with a send backlog, ms. The interval is `sendTimeout` / `INTERVALS`, but not outside of
 * `MIN_INTERVAL_MS` and `MAX_INTERVAL_MS`.
 */
const MAX_INTERVAL_MS = 1_000;
const MIN_INTERVAL_MS = 10;
const INTERVALS = 4;
/** A new call needs at least 1/64 of the bound free for its owner; with less room, its answer would probably close a connection. */
const ROOM_PART = 64;
/** Minimum interval between recounts of all backlogs while the bound is reached, ms. */
const RECOUNT_MS = 10;

/**
 * Send backlog of all connections. The size of an answer is unknown in advance, so an answer is counted once it exists. If an answer does not fit
 * into the bound, connections are closed, the ones with the largest backlog first. If the owner of the answer uses more than an equal share of the
 * bound, connections of this owner are closed; otherwise connections of the owner that uses most.
 */
export class SendBacklogTotal {
  readonly #budget: SharedBudget;
  readonly #sendTimeout: number;
  readonly #intervalMs: number;
  /** Minimum rate at which answers must be read, bytes per second. */
  readonly sendRate: number;
  /** Connections with a backlog. */
  readonly #flows = new Set<SendBacklog>();
  #timer: NodeJS.Timeout | undefined;
  #countedAt = 0;
  /** Number of connections closed by this class, by reason (`CutOff`). */
  readonly closed: { share: number; slow: number } = { share: 0, slow: 0 };
  /** Number of calls refused because of the send backlog. */
  refused = 0;

  readonly #onClosed: (bound: 'unsent.bytes' | 'send.rate') => void;

  /** @param onClosed called for each connection that is closed because its owner exceeds a share of the bound, or because its client reads slowly */
  constructor(
    { unsentBytes, ownerShare, sendTimeout, sendRate }: ListenerLimits,
    onClosed: (bound: 'unsent.bytes' | 'send.rate') => void = () => {},
  ) {
    this.#onClosed = onClosed;
    this.#budget = new SharedBudget(unsentBytes, ownerShare);
    this.#sendTimeout = sendTimeout;
    this.sendRate = sendRate;
    this.#intervalMs = Math.max(MIN_INTERVAL_MS, Math.min(MAX_INTERVAL_MS, sendTimeout / INTERVALS));
  }

  /** Total send backlog, bytes. */
  get bytes(): number {
    return this.#budget.used;
  }

  /** Maximum time between two measurements that counts as time of the client, ms; longer gaps mean that this process did not run. */
  get maxStepMs(): number {
    return 2 * this.#intervalMs;
  }

  /** Creates the send backlog of a connection. @param cutOff closes the connection */
  watch(socket: Duplex, cutOff: CutOff): SendBacklog {
    return new SendBacklog(this, socket, cutOff);
  }

  /** Whether a call of this owner is refused before it runs, because its answer would have no room. Counts the refusal. */
  refuses(owner: string): boolean {
    if (this.#hasRoomForAnswer(owner)) return false;
    this.#recount();
    if (this.#hasRoomForAnswer(owner)) return false;
    this.refused++;
    return true;
  }

  /** Whether no connection has a send backlog, so that every owner has room. */
  get isEmpty(): boolean {
    return this.#budget.used === 0;
  }

  /** Records the backlog of a connection, and closes connections if it does not fit. */
  note(flow: SendBacklog, owner: string, bytes: number): void {
    const budget = this.#budget;
    const before = owner === flow.owner ? flow.reserved : 0;
    const fits = bytes <= before || budget.hasRoom(owner, bytes - before);
    budget.giveBack(flow.owner, flow.reserved);
    budget.take(owner, bytes);
    flow.owner = owner;
    flow.reserved = bytes;
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
    // The memory of connections that are being closed counts as free here, because it is freed in a later iteration of the event loop.
    let leaving = 0;
    for (const flow of this.#flows) if (flow.isCutOff) leaving += flow.reserved;
    let excess = this.#budget.excessOf(owner) - leaving;
    while (excess > 0) {
      const victim = this.#findLargest(this.#chooseOwner(owner)) ?? this.#findLargest(owner);
      if (victim === undefined) return;
      excess -= victim.reserved;
      this.#close(victim, 'share');
    }
  }

  /** Returns the owner whose connections are closed: `owner` if it uses more than an equal share of the bound, otherwise the owner that uses most. */
  #chooseOwner(owner: string): string {
    const budget = this.#budget;
    if (budget.usedBy(owner) > budget.limit / (budget.owners + 1)) return owner;
    let largest = owner;
    for (const flow of this.#flows)
      if (budget.usedBy(flow.owner) > budget.usedBy(largest)) largest = flow.owner;
    return largest;
  }

  #findLargest(owner: string): SendBacklog | undefined {
    let largest: SendBacklog | undefined;
    for (const flow of this.#flows)
      if (!flow.isCutOff && flow.owner === owner && flow.reserved > (largest?.reserved ?? 0)) largest = flow;
    return largest;
  }

  #close(flow: SendBacklog, reason: 'share' | 'slow'): void {
    this.closed[reason]++;
    this.#onClosed(reason === 'share' ? 'unsent.bytes' : 'send.rate');
    flow.cutOff(reason);
    flow.update();
  }

  /** Counts the backlogs again, because the kernel accepts bytes without an event. */
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
