import type { Expiring } from '../../util/expiry-sweep.ts';
import { classifyError } from '../errors/classify-error.ts';
import { type FaultKind, UpstreamFault } from '../fault.ts';
import type { NodeError, NodeReply } from '../node-call.ts';
import { completeInSlot } from './answer-slots.ts';
import type { CoalescedCall, CoalescedRequest } from './coalesced-call.ts';
import type { RunningRequest } from './http-request.ts';
import { type NodeBatchAnswer, REFUSAL_BYTES } from './read-batch.ts';

/** Functions of the transport that a batch calls: to send calls, and to record measurements of the node. */
export interface BatchHost {
  readonly now: () => number;
  /**
   * Sends one call in a separate request, and completes the call with the reply. If the request fails, the call fails with the fault that `onFault`
   * returns.
   */
  sendSeparately(
    call: CoalescedCall,
    onReply: (reply: NodeReply) => void,
    onFault?: (fault: UpstreamFault) => UpstreamFault,
  ): void;
  /** Records that a batch was answered (`isAnswered`) or abandoned. @param sentAt time of sending, ms of `now()` */
  noteDone(batch: CoalescedBatch, sentAt: number, isAnswered: boolean): void;
  /**
   * Records that the node refused a batch of `count` calls.
   * @param isTooLarge whether fewer calls might have been accepted
   */
  noteRefused(count: number, isTooLarge: boolean): void;
  /** Ends the expiry watch of the batch. */
  forget(batch: CoalescedBatch): void;
}

/** Source of the calls of a batch. */
export type BatchOrigin = {
  /** Number of callers; a client's batch counts as one. */
  readonly callers: number;
  /**
   * Iteration of the event loop in which calls of different callers were sent in separate requests; `count` is the number of these callers. Undefined
   * if the latency is not compared.
   */
  readonly apart: { readonly count: number } | undefined;
};

/** Faults by which a node refuses further requests. If the request was a batch, such a fault may mean only that the node refuses batches. */
const PAUSES: ReadonlySet<string> = new Set<FaultKind>(['rateLimited', 'unauthorized']);
/** geth's error code of a revert. */
const REVERT = 3;
const INVALID_REQUEST = -32600;
/** Approximate bytes of replies that are delivered in one step. */
const COALESCED_BYTES = 16 * 1024;
/**
 * Matches errors about a batch: geth's (`batch too large`, `response too large`, `request timed out`), and similar ones of other nodes and vendors.
 */
const ABOUT_BATCH =
  /\bbatch(?:es)?\b|\b(?:response|request|payload|body)\b.{0,40}\btoo (?:large|big|long)\b|^request timed out\b/i;
const ABOUT_SIZE = /too (?:large|big|long|many)|exceed|limit|maxim|\bup to\b|timed out/i;

/**
 * Calls that share one request. If the answer is an error about the batch itself, it completes no call, and all calls are sent alone immediately. If
 * the batch takes much longer than expected, all calls are sent alone, because nodes execute the calls of a batch one after the other. If the node
 * may refuse either batches or all requests, one call is first sent alone to find out.
 */
export class CoalescedBatch implements Expiring, CoalescedRequest {
  readonly origin: BatchOrigin;
  readonly count: number;
  expiresAt: number = Number.POSITIVE_INFINITY;
  sweepIndex = -1;
  readonly #calls: readonly CoalescedCall[];
  readonly #host: BatchHost;
  readonly #splitMs: number;
  #running: RunningRequest | undefined;
  #startedAt: number;
  #splitAt: number;
  #left: number;
  #isOver = false;
  /** Set when the answer to a single call has shown that the node refused the batch. */
  #isRefused = false;

  /** @param splitMs time after which an unanswered batch is abandoned, ms */
  constructor(calls: readonly CoalescedCall[], origin: BatchOrigin, splitMs: number, host: BatchHost) {
    this.#calls = calls;
    this.count = calls.length;
    this.origin = origin;
    this.#splitMs = splitMs;
    this.#host = host;
    this.#left = calls.length;
    this.#startedAt = host.now();
    this.#splitAt = this.#startedAt + splitMs;
    for (const call of calls) call.request = this;
  }

  /** Whether the batch has ended, so that it needs no expiry timer. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /**
   * Sets the expiry time of the batch.
   * @param running the request that contains the batch
   */
  watch(running: RunningRequest): void {
    this.#running = running;
    this.#plan();
  }

  drop(): void {
    if (--this.#left > 0 || this.#isOver) return;
    this.#end();
    this.#running?.fail(new UpstreamFault('aborted', 'all calls of the batch were cancelled'));
  }

  answer(answer: NodeBatchAnswer): void {
    if (this.#isOver) return;
    const pauses = readPauses(this.#calls, answer);
    if (pauses !== undefined) {
      this.#sendOneFirst(() =>
        this.#calls.forEach((call, position) => {
          call.complete(pauses[position] as NodeReply);
        }),
      );
      return;
    }
    this.#end();
    this.#host.noteDone(this, this.#startedAt, true);
    this.#completeFrom(0, answer);
  }

  /** Completes the calls from this position on, about `COALESCED_BYTES` of replies in each scheduler slot. */
  #completeFrom(from: number, answer: NodeBatchAnswer): void {
    const { length } = this.#calls;
    let bytes = 0;
    for (let position = from; position < length; position++) {
      this.#completeOne(position, answer);
      bytes += answer.bytes[position] as number;
      if (bytes < COALESCED_BYTES || position + 1 === length) continue;
      completeInSlot(Number.POSITIVE_INFINITY, () => this.#completeFrom(position + 1, answer));
      return;
    }
  }

  #completeOne(position: number, { replies, refusal }: NodeBatchAnswer): void {
    const call = this.#calls[position] as CoalescedCall;
    const reply = replies[position];
    if (reply === undefined) this.#sendSeparately(call, refusal === undefined || isAboutSize(refusal));
    else if (reply.kind === 'error' && isAboutBatch(reply.error))
      this.#sendSeparately(call, isAboutSize(reply.error));
    else call.complete(reply);
  }

  /** Handles the failure of the request. */
  fail(fault: UpstreamFault): void {
    if (this.#isOver) return;
    const isBroken = fault.kind === 'unreachable' && this.#running?.isSent === true;
    if (isBroken || PAUSES.has(fault.kind)) {
      this.#sendOneFirst(() => {
        for (const call of this.#calls) call.fail(fault);
      }, fault);
      return;
    }
    this.#end();
    switch (fault.kind) {
      case 'tooLarge':
        this.#host.noteRefused(this.count, true);
        this.#sendAllAlone(true);
        break;
      case 'malformed':
        this.#sendAllAlone(false);
        break;
      case 'httpStatus':
        this.#sendAllAlone(/\b413$/.test(fault.message));
        break;
      default:
        for (const call of this.#calls) call.fail(fault);
    }
  }

  expire(): void {
    const now = this.#host.now();
    for (const call of this.#calls) {
      if (call.isOver || call.options.deadline > now) continue;
      call.fail(new UpstreamFault('timeout', 'the node did not answer in time'));
      this.drop();
    }
    if (this.#isOver) return;
    if (now >= this.#splitAt && this.#running?.isSent === true) {
      this.#giveUp(this.#running);
      return;
    }
    if (now >= this.#splitAt) {
      // The batch still waits for a connection, so sending its calls separately would not be faster.
      this.#startedAt = now;
      this.#splitAt = now + this.#splitMs;
    }
    this.#plan();
  }

  #giveUp(running: RunningRequest): void {
    this.#end();
    this.#host.noteDone(this, this.#startedAt, false);
    running.fail(new UpstreamFault('aborted', 'the batch takes too long'));
    this.#sendAllAlone(undefined);
  }

  #plan(): void {
    let next = this.#splitAt;
    for (const { isOver, options } of this.#calls)
      if (!isOver && options.deadline < next) next = options.deadline;
    this.expiresAt = next;
  }

  /** Does nothing if the batch has already ended: all its other calls may have been aborted while one call was sent alone. */
  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#host.forget(this);
  }

  /**
   * Sends one call alone after the connection broke, or after the node requested a pause or refused the credentials. If the node answers this call,
   * then it refuses only batches. Vendors refuse batches by breaking the connection, by rate limits and by refused credentials.
   * @param conclude completes the calls with the outcome of the batch; called if the single call also fails
   * @param fault fault of the batch request, if any; replaces a fault of the single call that has the same kind
   */
  #sendOneFirst(conclude: () => void, fault?: UpstreamFault): void {
    this.#running = undefined;
    this.#splitAt = Number.POSITIVE_INFINITY;
    this.#plan();
    const now = this.#host.now();
    const first = this.#calls.find(
      ({ isOver, options }) => !isOver && options.deadline > now && options.signal?.aborted !== true,
    );
    if (first === undefined) {
      this.#end();
      conclude();
      return;
    }
    const onReply = (reply: NodeReply): void => {
      this.#end();
      if (reply.kind === 'error' && isPause(reply.error, first.call.method)) {
        conclude();
        return;
      }
      this.#host.noteRefused(this.count, true);
      this.#sendAllAlone(undefined);
    };
    const onFault = (later: UpstreamFault): UpstreamFault => {
      // The caller of this call has disconnected, or the deadline of the call has passed. A fault that the caller caused shows nothing about the
      // node, so another call is sent alone.
      if (
        later.kind === 'aborted' ||
        (later.kind === 'timeout' && first.options.deadline <= this.#host.now())
      ) {
        if (!this.#isOver) this.#sendOneFirst(conclude, fault);
        return later;
      }
      this.#end();
      conclude();
      return fault !== undefined && later.kind === fault.kind ? fault : later;
    };
    this.#left--;
    first.leave();
    this.#host.sendSeparately(first, onReply, onFault);
  }

  /**
   * Sends all calls alone.
   * @param isTooLarge whether fewer calls might have been accepted; undefined if the node did not refuse the batch
   */
  #sendAllAlone(isTooLarge: boolean | undefined): void {
    for (const call of this.#calls) this.#sendSeparately(call, isTooLarge);
  }

  /**
   * Sends a call alone. If the node answers the call, the node is recorded as having refused the batch.
   * @param isTooLarge whether fewer calls might have been accepted; undefined if the node did not refuse the batch
   */
  #sendSeparately(call: CoalescedCall, isTooLarge: boolean | undefined): void {
    if (!call.leave()) return;
    this.#host.sendSeparately(call, (reply) => {
      if (this.#isRefused || isTooLarge === undefined) return;
      if (reply.kind === 'error' && isAboutBatch(reply.error)) return;
      this.#isRefused = true;
      this.#host.noteRefused(this.count, isTooLarge);
    });
  }
}

/**
 * Whether an error is about the whole batch, and not about one call. A revert is never an error about the batch, because a contract can choose the
 * message of a revert.
 */
function isAboutBatch({ code, message }: NodeError): boolean {
  return code === INVALID_REQUEST || (code !== REVERT && ABOUT_BATCH.test(message.slice(0, REFUSAL_BYTES)));
}

function isAboutSize({ message }: NodeError): boolean {
  return ABOUT_SIZE.test(message.slice(0, REFUSAL_BYTES));
}

/**
 * Whether an error is a rate limit or a refusal of the credentials, and not about batches. The error is classified with the method of its call. A
 * contract's message that looks like a rate limit thus counts as a revert.
 */
function isPause(error: NodeError, method: string): boolean {
  if (isAboutBatch(error)) return false;
  const { kind } = classifyError(error, method);
  return PAUSES.has(kind);
}

/** Returns the error reply for each call if all calls were refused by a rate limit or for their credentials; otherwise undefined. */
function readPauses(
  calls: readonly CoalescedCall[],
  { replies, bytes, refusal }: NodeBatchAnswer,
): readonly NodeReply[] | undefined {
  const pauses: NodeReply[] = [];
  for (const [position, { call }] of calls.entries()) {
    const reply: NodeReply | undefined =
      refusal === undefined ? replies[position] : { kind: 'error', error: refusal };
    if (reply?.kind !== 'error' || (bytes[position] as number) > REFUSAL_BYTES) return undefined;
    if (!isPause(reply.error, call.method)) return undefined;
    pauses.push(reply);
  }
  return pauses;
}
