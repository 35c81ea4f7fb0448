import { ExpirySweep } from '../../util/expiry-sweep.ts';
import { POLLS } from '../../util/poll-clock.ts';
import type { UpstreamFault } from '../fault.ts';
import type { NodeCall, NodeReply } from '../node-call.ts';
import { BatchSize } from './batch-size.ts';
import { type BatchHost, type BatchOrigin, CoalescedBatch } from './coalesced-batch.ts';
import { type CoalescedCall, SingleCall } from './coalesced-call.ts';
import { CoalescingPolicy } from './coalescing-policy.ts';
import type { RunningRequest } from './http-request.ts';
import { packCallers, type SubmittedCalls } from './pack-callers.ts';
import type { NodeBatchAnswer } from './read-batch.ts';
import type { BatchOptions, OnComplete, SendOptions } from './transport.ts';

/**
 * Maximum length of the parameters of a call that shares a request, UTF-16 units. The limit keeps the bodies of batches below the size limits of
 * nodes and vendors.
 */
const MAX_PARAMS_LENGTH = 4_096;
/**
 * Minimum number of calls in a client's batch of which one call is sometimes sent alone. The latencies of single calls and of batches are thus
 * measured at the same time.
 */
const PROBE_ITEMS = 4;
/** In every `PROBE_BATCHES` batches of clients, the one at position `PROBE_BATCH` has one call sent alone, as a measurement. */
const PROBE_BATCHES = 16;
const PROBE_BATCH = 4;

/** Origin of a batch whose calls come from one caller, and whose latency is not compared. */
const OF_ONE: BatchOrigin = { callers: 1, apart: undefined };

/** Connections to the node, as the coalescer uses them. Each call occupies one of the `inFlight` places until its request has ended. */
export interface CoalescingHost {
  /** Sends one call in a separate request. The call must already occupy a place. */
  sendAlone(call: NodeCall, options: SendOptions, complete: OnComplete<NodeReply>): void;
  /** Sends several calls in one request. Each call must already occupy a place. */
  sendCoalescedBatch(
    calls: readonly NodeCall[],
    options: SendOptions,
    complete: OnComplete<NodeBatchAnswer>,
  ): RunningRequest;
  takePlace(): void;
  releasePlace(): void;
}

/** Calls of different callers in one iteration of the event loop. */
type Turn = {
  readonly coalescesCallers: boolean;
  /** Number of callers; a client's batch counts as one. */
  count: number;
  readonly joined: SubmittedCalls[];
};

/**
 * Coalesces calls that arrive at the same time into few requests. Items of one client's batch always share requests, which are sent when the
 * event-loop callback in which the items arrived ends. Calls of different callers, both single calls and batches, share requests if the policy allows
 * it. Calls that may share a request across callers are sent at the end of the iteration of the event loop. At the end of an iteration, the event
 * loop has not yet waited for I/O, so no call waits for later calls.
 */
export class CallCoalescer implements BatchHost {
  readonly now: () => number;
  readonly #host: CoalescingHost;
  readonly #size: BatchSize;
  readonly #policy: CoalescingPolicy;
  readonly #sweep = new ExpirySweep<CoalescedBatch>();
  #turn: Turn | undefined;
  /** Waiting items, by the client's batch to which they belong. */
  #items = new Map<object, CoalescedCall[]>();
  #batches = 0;

  /** @param now clock of the calls' deadlines, ms */
  constructor(options: BatchOptions, host: CoalescingHost, now: () => number = () => performance.now()) {
    this.#host = host;
    this.now = now;
    this.#size = new BatchSize(options.items, now);
    this.#policy = new CoalescingPolicy(options.callers, now);
  }

  /**
   * Takes a call that already occupies a place, if the call may share a request.
   * @returns false if the call must be sent alone
   */
  take(call: NodeCall, options: SendOptions, complete: OnComplete<NodeReply>): boolean {
    const { batch, traceParent } = options;
    const isOfBatch = batch !== undefined;
    // A call with a trace context is not coalesced with other callers, because a request can have only one trace context. Items of a client's batch
    // all have the trace context of the batch; calls of different callers have different ones.
    if (!isOfBatch && (!this.#policy.mayCoalesceCallers || traceParent !== undefined)) return false;
    if (!this.mayShare(call)) return false;
    if (isOfBatch) {
      this.takeItem(batch, new SingleCall(call, options, complete));
      return true;
    }
    const turn = this.#turn ?? this.#beginTurn();
    turn.count++;
    if (turn.coalescesCallers) turn.joined.push([new SingleCall(call, options, complete)]);
    else this.#sendTimed(call, options, complete, turn);
    return true;
  }

  /** Whether a call may share a request. */
  mayShare(call: NodeCall): boolean {
    return call.isSmall === true && call.params.length <= MAX_PARAMS_LENGTH && this.#size.limit >= 2;
  }

  sendSeparately(
    joined: CoalescedCall,
    onReply: (reply: NodeReply) => void,
    onFault: (fault: UpstreamFault) => UpstreamFault = (fault) => fault,
  ): void {
    this.#host.takePlace();
    this.#host.sendAlone(joined.call, joined.options, {
      resolve: (reply) => {
        onReply(reply);
        joined.resolve(reply);
      },
      reject: (fault) => joined.reject(onFault(fault)),
    });
  }

  noteDone({ count, origin }: CoalescedBatch, sentAt: number, isAnswered: boolean): void {
    const ms = this.now() - sentAt;
    const nodeMs = isAnswered ? POLLS.arrivedAt(sentAt) - sentAt : ms;
    this.#policy.noteBatch(ms, count, origin.callers, origin.apart?.count ?? 1, nodeMs);
  }

  noteRefused(count: number, isTooLarge: boolean): void {
    this.#size.refuse(count, isTooLarge);
  }

  forget(batch: CoalescedBatch): void {
    POLLS.unwatch();
    this.#sweep.delete(batch);
  }

  /** Takes an item of a client's batch that may share a request. The item must already occupy a place. */
  takeItem(batch: object, item: CoalescedCall): void {
    const items = this.#items.get(batch);
    if (items !== undefined) {
      items.push(item);
      return;
    }
    // The items are sent after all pending promise callbacks, because these callbacks may add items to the batch.
    if (this.#items.size === 0) queueMicrotask(() => process.nextTick(() => this.#sendItems()));
    this.#items.set(batch, [item]);
  }

  #sendItems(): void {
    const most = this.#most;
    const batches = this.#items;
    this.#items = new Map();
    for (const provided of batches.values()) {
      const items = this.#keepWanted(provided);
      const [first] = items;
      if (first === undefined) continue;
      this.#batches++;
      const isProbe = items.length >= PROBE_ITEMS && this.#batches % PROBE_BATCHES === PROBE_BATCH;
      if (isProbe) {
        this.#send(items.slice(0, 1), undefined);
        // The other items are sent as a batch even if the policy allows only single calls, so that the cost per added call is still measured.
        this.#sendBatch(items.slice(1), Math.max(most, 2), undefined);
      } else if (!this.#policy.mayCoalesceCallers || first.options.traceParent !== undefined) {
        this.#sendBatch(items, most, undefined);
      } else this.#giveBatch(items, most);
    }
  }

  /**
   * Sends a client's batch in requests of its own, or adds it to the calls that are sent at the end of the iteration. At the end of the iteration,
   * the batch can share a request with other callers.
   */
  #giveBatch(items: SubmittedCalls, most: number): void {
    const turn = this.#turn ?? this.#beginTurn();
    turn.count++;
    if (turn.coalescesCallers) turn.joined.push(items);
    else this.#sendBatch(items, most, turn);
  }

  #beginTurn(): Turn {
    const turn: Turn = { coalescesCallers: this.#policy.decideTurn(), count: 0, joined: [] };
    this.#turn = turn;
    setImmediate(() => this.#endTurn(turn));
    return turn;
  }

  #endTurn(turn: Turn): void {
    this.#turn = undefined;
    const most = this.#most;
    const fitting: SubmittedCalls[] = [];
    for (const provided of turn.joined) {
      const calls = this.#keepWanted(provided);
      if (calls.length > most) this.#sendBatch(calls, most, undefined);
      else if (calls.length > 0) fitting.push(calls);
    }
    for (const { calls, callers } of packCallers(fitting, most))
      this.#send(calls, turn, { callers, apart: undefined });
    // Measurements that still run reference the `Turn`, so its calls are removed to free their memory.
    turn.joined.length = 0;
  }

  /** Maximum number of calls in one request. */
  get #most(): number {
    return Math.max(1, Math.min(this.#size.limit, this.#policy.items));
  }

  /**
   * Sends items of a client's batch in as few requests as `most` calls per request allow; all requests have about the same size.
   * @param turn iteration in which calls of different callers are sent separately; undefined if the latency is not compared
   */
  #sendBatch(items: SubmittedCalls, most: number, turn: Turn | undefined): void {
    const requests = Math.ceil(items.length / most);
    // The latency is compared only if the batch fits into one request: if it needs several, its caller waits for all of them.
    const apart = requests === 1 ? turn : undefined;
    for (let i = 0; i < requests; i++) {
      const from = Math.floor((i * items.length) / requests);
      const to = Math.floor(((i + 1) * items.length) / requests);
      this.#send(items.slice(from, to), apart, { callers: 1, apart });
    }
  }

  /** Returns the calls that were not aborted while they waited, and frees the in-flight places of aborted calls. */
  #keepWanted(calls: SubmittedCalls): SubmittedCalls {
    return calls.filter(({ isOver }) => {
      if (isOver) this.#host.releasePlace();
      return !isOver;
    });
  }

  /** @param turn iteration of the event loop to which the latency of a single call is attributed; undefined if the latency is not compared */
  #send(calls: readonly CoalescedCall[], turn: Turn | undefined, origin: BatchOrigin = OF_ONE): void {
    const [first] = calls as readonly [CoalescedCall];
    if (calls.length === 1) {
      if (first.leave()) this.#sendTimed(first.call, first.options, first, turn);
      else this.#host.releasePlace();
      return;
    }
    const splitMs = this.#policy.splitAfterMs(calls.length);
    const batch = new CoalescedBatch(calls, origin, splitMs, this);
    POLLS.watch();
    let deadline = first.options.deadline;
    for (const { options } of calls) if (options.deadline > deadline) deadline = options.deadline;
    const { traceParent } = first.options;
    const running = this.#host.sendCoalescedBatch(
      calls.map(({ call }) => call),
      traceParent === undefined ? { deadline } : { deadline, traceParent },
      { resolve: (answer) => batch.answer(answer), reject: (fault) => batch.fail(fault) },
    );
    if (batch.isOver) return;
    batch.watch(running);
    this.#sweep.add(batch);
  }

  #sendTimed(
    call: NodeCall,
    options: SendOptions,
    complete: OnComplete<NodeReply>,
    turn: Turn | undefined,
  ): void {
    const sentAt = this.now();
    POLLS.watch();
    this.#host.sendAlone(call, options, {
      resolve: (reply) => {
        POLLS.unwatch();
        const nodeMs = POLLS.arrivedAt(sentAt) - sentAt;
        this.#policy.noteAlone(this.now() - sentAt, turn?.count ?? 1, nodeMs);
        complete.resolve(reply);
      },
      reject: (fault) => {
        POLLS.unwatch();
        complete.reject(fault);
      },
    });
  }
}
