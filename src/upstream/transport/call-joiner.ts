import { ExpirySweep } from '../../util/expiry-sweep.ts';
import type { UpstreamFault } from '../fault.ts';
import type { NodeCall, NodeReply } from '../node-call.ts';
import { BatchSize } from './batch-size.ts';
import type { Exchange } from './http-exchange.ts';
import { CALLER_ITEMS, JoinPolicy } from './join-policy.ts';
import { type BatchHost, JoinedBatch } from './joined-batch.ts';
import { JoinedCall } from './joined-call.ts';
import type { BatchAnswer } from './read-batch.ts';
import type { BatchOptions, SendOptions } from './transport.ts';

/** Parameters of a call that shares a request, UTF-16 units: the bodies of batches stay below what nodes and vendors take. */
const MAX_PARAMS_LENGTH = 4_096;
/** A turn with so many calls of one client's batch sends one of them alone, where it is not known how long one takes. */
const PROBE_ITEMS = 4;
/** Batches between two such calls, and which of them it is. */
const PROBE_BATCHES = 16;
const PROBE_BATCH = 4;

/** What becomes of a request. */
export type Settle<T> = {
  readonly resolve: (value: T) => void;
  readonly reject: (fault: UpstreamFault) => void;
};

/** The connections to the node. Each call holds a place until its request is over. */
export interface JoinHost {
  /** One call in a request of its own, for which a place is taken. */
  sendAlone(call: NodeCall, options: SendOptions, settle: Settle<NodeReply>): void;
  /** Several in one request, for each of which a place is taken. */
  sendJoined(calls: readonly NodeCall[], options: SendOptions, settle: Settle<BatchAnswer>): Exchange;
  takePlace(): void;
  releasePlace(): void;
}

/** Calls that were given in one turn of the event loop. */
type Turn = {
  readonly joinsCallers: boolean;
  /** Of different callers. */
  count: number;
  readonly ofCallers: JoinedCall[];
  readonly ofBatches: Map<object, JoinedCall[]>;
};

/**
 * Puts calls that are given in the same turn of the event loop into few requests: items of one client's batch always, calls of
 * different callers where the policy says so. The turn ends before the event loop waits again, so nothing waits for a call to come.
 */
export class CallJoiner implements BatchHost {
  readonly now: () => number;
  readonly #host: JoinHost;
  readonly #size: BatchSize;
  readonly #policy: JoinPolicy;
  readonly #sweep = new ExpirySweep<JoinedBatch>();
  #turn: Turn | undefined;
  #batches = 0;

  /** `now` is the clock of deadlines. */
  constructor(options: BatchOptions, host: JoinHost, now: () => number = () => performance.now()) {
    this.#host = host;
    this.now = now;
    this.#size = new BatchSize(options.items, now);
    this.#policy = new JoinPolicy(options.callers, now);
  }

  /** Takes a call that may share a request, and for which a place is taken; false where it is to be sent alone. */
  take(call: NodeCall, options: SendOptions, settle: Settle<NodeReply>): boolean {
    if (call.isSmall !== true || call.params.length > MAX_PARAMS_LENGTH) return false;
    const { batch, traceParent } = options;
    const isOfBatch = batch !== undefined;
    // A request has one trace context: that of a client's batch is the same for all of its items.
    if (!isOfBatch && (!this.#policy.mayJoinCallers || traceParent !== undefined)) return false;
    if (this.#size.limit < 2) return false;
    const turn = this.#turn ?? this.#beginTurn();
    if (isOfBatch) {
      const joined = new JoinedCall(call, options, settle.resolve, settle.reject);
      const items = turn.ofBatches.get(batch);
      if (items === undefined) turn.ofBatches.set(batch, [joined]);
      else items.push(joined);
      return true;
    }
    turn.count++;
    if (turn.joinsCallers) turn.ofCallers.push(new JoinedCall(call, options, settle.resolve, settle.reject));
    else this.#sendTimed(call, options, settle, turn);
    return true;
  }

  askAlone(
    { call, options, resolve, reject }: JoinedCall,
    onReply: (reply: NodeReply) => void,
    onFault: (fault: UpstreamFault) => UpstreamFault = (fault) => fault,
  ): void {
    this.#host.takePlace();
    this.#host.sendAlone(call, options, {
      resolve: (reply) => {
        onReply(reply);
        resolve(reply);
      },
      reject: (fault) => reject(onFault(fault)),
    });
  }

  noteDone({ count, isOfCallers }: JoinedBatch, ms: number): void {
    this.#policy.noteBatch(ms, count, isOfCallers);
  }

  noteRefused(count: number, isTooLarge: boolean): void {
    this.#size.refuse(count, isTooLarge);
  }

  forget(batch: JoinedBatch): void {
    this.#sweep.delete(batch);
  }

  #beginTurn(): Turn {
    const joinsCallers = this.#policy.decideTurn();
    const turn: Turn = { joinsCallers, count: 0, ofCallers: [], ofBatches: new Map() };
    this.#turn = turn;
    setImmediate(() => this.#endTurn(turn));
    return turn;
  }

  #endTurn(turn: Turn): void {
    this.#turn = undefined;
    const most = Math.min(this.#size.limit, this.#policy.items);
    for (const given of turn.ofBatches.values()) {
      const items = this.#keepWanted(given);
      this.#batches++;
      const isProbe = items.length >= PROBE_ITEMS && this.#batches % PROBE_BATCHES === PROBE_BATCH;
      const from = isProbe && this.#policy.lacksLoneCalls ? 1 : 0;
      if (from > 0) this.#send(items.slice(0, from), turn, false);
      this.#sendAll(items.slice(from), most, turn, false);
    }
    this.#sendAll(this.#keepWanted(turn.ofCallers), Math.min(most, CALLER_ITEMS), turn, true);
    // Those that are timed keep the turn.
    turn.ofCallers.length = 0;
    turn.ofBatches.clear();
  }

  /** In as few requests as `most` calls in each allow, of about the same size. */
  #sendAll(calls: readonly JoinedCall[], most: number, turn: Turn, isOfCallers: boolean): void {
    const requests = Math.ceil(calls.length / Math.max(1, most));
    for (let i = 0; i < requests; i++) {
      const from = Math.floor((i * calls.length) / requests);
      const to = Math.floor(((i + 1) * calls.length) / requests);
      this.#send(calls.slice(from, to), turn, isOfCallers);
    }
  }

  /** Those that were not aborted in this turn; the others give their places back. */
  #keepWanted(calls: readonly JoinedCall[]): readonly JoinedCall[] {
    return calls.filter(({ isOver }) => {
      if (isOver) this.#host.releasePlace();
      return !isOver;
    });
  }

  #send(calls: readonly JoinedCall[], turn: Turn, isOfCallers: boolean): void {
    const [first] = calls as readonly [JoinedCall];
    if (calls.length === 1) {
      if (first.leave()) this.#sendTimed(first.call, first.options, first, turn);
      return;
    }
    const batch = new JoinedBatch(calls, isOfCallers, this.#policy.splitAfterMs(calls.length), this);
    let deadline = first.options.deadline;
    for (const { options } of calls) if (options.deadline > deadline) deadline = options.deadline;
    const { traceParent } = first.options;
    const exchange = this.#host.sendJoined(
      calls.map(({ call }) => call),
      traceParent === undefined ? { deadline } : { deadline, traceParent },
      { resolve: (answer) => batch.answer(answer), reject: (fault) => batch.fail(fault) },
    );
    if (batch.isOver) return;
    batch.watch(exchange);
    this.#sweep.add(batch);
  }

  #sendTimed(call: NodeCall, options: SendOptions, { resolve, reject }: Settle<NodeReply>, turn: Turn): void {
    const startedAt = this.now();
    const settle = (reply: NodeReply): void => {
      this.#policy.noteAlone(this.now() - startedAt, turn.count > 1);
      resolve(reply);
    };
    this.#host.sendAlone(call, options, { resolve: settle, reject });
  }
}
