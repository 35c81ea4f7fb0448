import { isWhole, type JsonResult, type JsonStream } from '../../packages/ethereum/primitives/json-result.ts';
import type { PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type { BatchItem } from '../rpc/envelope.ts';
import { RpcError } from '../rpc/errors.ts';
import { encodeSmallError } from '../rpc/response.ts';
import type { AnswerMemory } from '../util/answer-memory.ts';
import type { RequestScope } from '../util/request-scope.ts';
import { SCHEDULER, SLOT_MS } from '../util/slot-scheduler.ts';
import { BatchAnswer } from './batch-answer.ts';
import { bindStream } from './bound-stream.ts';
import { completeInTime } from './complete-in-time.ts';

export type BatchLimits = {
  /** Maximum number of items that run at the same time. */
  readonly concurrency: number;
  /** Maximum bytes of all responses with their commas; the item that exceeds the maximum and all later items get an error. */
  readonly answerBytes: number;
  /** Called for each item that gets an error because a bound leaves no room for its response. */
  readonly onRefused?: (error: RpcError) => void;
};

/**
 * Runs an item and returns its response; undefined for a notification. Never throws or rejects; a stream throws only RpcError. `now` is the current
 * time on the clock of `performance.now()`.
 */
export type RunItem = (
  item: BatchItem,
  now: number,
  position: number,
) => PromiseOrValue<JsonResult | undefined> | typeof LATER;

/** Returned by `RunItem` for an item whose response `Delivery` receives later; such an item needs no promise. */
export const LATER: unique symbol = Symbol('later');

/** Receives the response of each item for which `run` returned `LATER`, once per item. */
export type Delivery = {
  deliver(position: number, response: PromiseOrValue<JsonResult | undefined>): void;
};

/**
 * Begins calls that run as a group, for the items at positions `from` (inclusive) to `to` (exclusive). Called before the items of the range are run.
 * Never waits.
 */
export type PrepareItems = (from: number, to: number, now: number, delivery: Delivery) => void;

/**
 * Runs the items with bounded concurrency, and joins the responses in the order of the items; '' if there are none. The batch is answered
 * synchronously if no item must be awaited.
 * @param memory memory of the responses; after `runBatch` has returned, only a streamed answer uses this memory, until the stream ends
 * @param readEnd returns the time at which the last item ended. A time that was already read is sufficient, because reading the clock costs as much
 * as all other work of this class for one item.
 * @param prepare called before a range of items is run. A range has as many items as may run at the same time; items of the previous range may still
 * be running.
 */
export function runBatch(
  items: readonly BatchItem[],
  run: RunItem,
  limits: BatchLimits,
  scope: RequestScope,
  memory: AnswerMemory,
  readEnd: () => number = () => performance.now(),
  prepare?: PrepareItems,
): PromiseOrValue<JsonResult> {
  return new BatchRun(items, run, limits, scope, memory, readEnd, prepare).begin();
}

type OnComplete = {
  readonly resolve: (answer: JsonResult) => void;
  readonly reject: (error: unknown) => void;
};

/** One running batch. At most `concurrency` items run at the same time; no promise is created per item. */
class BatchRun implements Delivery {
  readonly #items: readonly BatchItem[];
  readonly #run: RunItem;
  readonly #concurrency: number;
  readonly #scope: RequestScope;
  readonly #readEnd: () => number;
  readonly #answer: BatchAnswer;
  readonly #prepare: PrepareItems | undefined;
  #next = 0;
  /** All items before this position are prepared. */
  #preparedTo = 0;
  /** Number of items that are awaited. */
  #inWork = 0;
  /**
   * Time at which the current scheduler slot ends, on the clock of `performance.now()`. Items that would begin after this time wait for the next
   * slot.
   */
  #sliceEnd = Number.NEGATIVE_INFINITY;
  #waitsForSlot = false;
  /** Resolver of the answer's promise; undefined if the answer is synchronous or already complete. */
  #complete: OnComplete | undefined;

  constructor(
    items: readonly BatchItem[],
    run: RunItem,
    limits: BatchLimits,
    scope: RequestScope,
    memory: AnswerMemory,
    readEnd: () => number,
    prepare: PrepareItems | undefined,
  ) {
    this.#items = items;
    this.#run = run;
    this.#concurrency = limits.concurrency;
    this.#scope = scope;
    this.#readEnd = readEnd;
    this.#prepare = prepare;
    this.#answer = new BatchAnswer(items, limits.answerBytes, memory, limits.onRefused);
  }

  begin(): PromiseOrValue<JsonResult> {
    const startedAt = performance.now();
    const hasTime = SCHEDULER.hasTime(this.#scope.owner ?? '');
    if (hasTime) this.#sliceEnd = startedAt + SLOT_MS;
    this.#runReady(startedAt);
    if (hasTime) SCHEDULER.spend((this.#isOver ? this.#readEnd() : performance.now()) - startedAt);
    if (this.#isOver) return this.#answer.join();
    return new Promise((resolve, reject) => {
      this.#complete = { resolve, reject };
    });
  }

  get #isOver(): boolean {
    return this.#inWork === 0 && this.#next >= this.#answer.end;
  }

  /** Runs items one after the other until the scheduler slot ends or `concurrency` items are awaited. */
  #runReady(startedAt: number): void {
    let now = startedAt;
    while (this.#next < this.#answer.end && this.#inWork < this.#concurrency && !this.#waitsForSlot) {
      if (now > this.#sliceEnd) {
        this.#waitsForSlot = true;
        SCHEDULER.enter(this.#scope.owner ?? '', this.#takeSlot);
        return;
      }
      if (this.#next >= this.#preparedTo) this.#prepareNext(now);
      const position = this.#next++;
      const outcome = this.#run(this.#items[position] as BatchItem, now, position);
      if (outcome === LATER) this.#inWork++;
      else if (outcome === undefined || typeof outcome === 'string') {
        if (outcome !== undefined) this.#answer.put(position, outcome);
        now = this.#readEnd();
      } else {
        this.#wait(position, outcome);
        now = performance.now();
      }
    }
  }

  #prepareNext(now: number): void {
    this.#preparedTo = Math.min(this.#next + this.#concurrency, this.#items.length);
    this.#prepare?.(this.#next, this.#preparedTo, now, this);
  }

  deliver(position: number, response: PromiseOrValue<JsonResult | undefined>): void {
    if (response instanceof Promise) response.then((found) => this.#receive(position, found), this.#fail);
    else this.#receive(position, response);
  }

  readonly #takeSlot = (): void => {
    this.#waitsForSlot = false;
    const startedAt = performance.now();
    this.#sliceEnd = startedAt + SLOT_MS;
    try {
      this.#goOn(startedAt);
    } catch (error) {
      this.#fail(error);
    }
  };

  #goOn(now: number): void {
    this.#runReady(now);
    if (this.#isOver) this.#takeCompletion()?.resolve(this.#answer.join());
  }

  #wait(position: number, outcome: Promise<JsonResult | undefined> | JsonStream): void {
    this.#inWork++;
    if (!(outcome instanceof Promise)) this.#collect(position, outcome);
    else outcome.then((response) => this.#receive(position, response), this.#fail);
  }

  #receive(position: number, response: JsonResult | undefined): void {
    if (response !== undefined && typeof response !== 'string' && !isWhole(response)) {
      this.#collect(position, response);
      return;
    }
    this.#finishOne(position, response);
  }

  #collect(position: number, response: JsonStream): void {
    const collected = this.#answer.collect(position, bindStream(response, this.#scope));
    completeInTime(collected, this.#scope).then(
      () => this.#finishOne(position, undefined),
      (error: unknown) => {
        const item = this.#items[position] as BatchItem;
        if (item.kind === 'notification' || !(error instanceof RpcError)) {
          this.#fail(error);
          return;
        }
        this.#finishOne(position, encodeSmallError(item.id, error));
      },
    );
  }

  /** @param response undefined if the item has no response, or if its response is already collected */
  #finishOne(position: number, response: JsonResult | undefined): void {
    this.#inWork--;
    try {
      if (response !== undefined) this.#answer.put(position, response);
      this.#goOn(this.#next < this.#answer.end ? performance.now() : 0);
    } catch (error) {
      this.#fail(error);
    }
  }

  readonly #fail = (error: unknown): void => {
    this.#answer.abandon();
    this.#takeCompletion()?.reject(error);
  };

  #takeCompletion(): OnComplete | undefined {
    const complete = this.#complete;
    this.#complete = undefined;
    return complete;
  }
}
