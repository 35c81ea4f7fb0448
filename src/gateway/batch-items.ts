import type { JsonResult } from '../../packages/ethereum/primitives/json-result.ts';
import type { PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type { MethodContext } from '../methods/method-context.ts';
import { findMethod } from '../methods/table.ts';
import type { BatchItem, Call } from '../rpc/envelope.ts';
import type { RpcError } from '../rpc/errors.ts';
import type { Method } from '../rpc/method.ts';
import { TEXT_PIECE } from '../rpc/text-pieces.ts';
import { SCHEDULER } from '../util/slot-scheduler.ts';
import { type Delivery, LATER } from './batch.ts';
import type { BodyContext } from './body-context.ts';
import type { CallRunner } from './call-runner.ts';
import type { CallResponse } from './running-call.ts';

/** Bytes of responses delivered per scheduler slot; delivery takes 1 ms, or 3 ms if all bytes are JSON-escaped. */
const BYTES_PER_SLOT = 2 * TEXT_PIECE;

/** Calls of one method that are dispatched with one `invokeMany`. */
type Group = {
  readonly calls: readonly Call[];
  /** Positions of the calls in the batch. */
  readonly positions: readonly number[];
  /** Start time on the clock of `performance.now()`. */
  readonly startedAt: number;
  /** Responses in the order of the calls, when all are complete; rejects on a fault of this program. */
  responses: readonly CallResponse[] | Promise<never> | undefined;
};

/** State of an item between `prepare` and its response: the outcome of its steps, its group, and its index in the group. */
type Prepared = {
  readonly refusal: PromiseOrValue<RpcError | undefined>;
  readonly group: Group | undefined;
  readonly at: number;
  /** Whether the batch has run the item. */
  hasBegun: boolean;
};

/**
 * Items of a batch. Calls that a chain answers as a group begin in `prepare`, before the batch reaches them; all other items begin when the batch
 * reaches them. No item of a batch waits for another item.
 */
export class BatchItems {
  readonly #items: readonly BatchItem[];
  readonly #context: BodyContext;
  readonly #runner: CallRunner;
  readonly #prepared: (Prepared | undefined)[];

  constructor(items: readonly BatchItem[], context: BodyContext, runner: CallRunner) {
    this.#items = items;
    this.#context = context;
    this.#runner = runner;
    this.#prepared = new Array(items.length);
  }

  /** Begins the calls of one method at positions `from` (inclusive) to `to` (exclusive), and dispatches them as a group. */
  prepare(from: number, to: number, now: number, delivery: Delivery): void {
    const context = this.#context;
    const runner = this.#runner;
    const positions: number[] = [];
    const calls: Call[] = [];
    let method: Method<MethodContext> | undefined;
    for (let position = from; position < to; position++) {
      const item = this.#items[position] as BatchItem;
      if (item.kind !== 'call') continue;
      const own = findMethod(item.method, context.session.network);
      if (own?.invokeMany === undefined || (method ?? own) !== own) continue;
      method = own;
      const refusal = runner.begin(item, context, now);
      if (refusal !== undefined) {
        this.#prepared[position] = { refusal, group: undefined, at: 0, hasBegun: false };
        continue;
      }
      positions.push(position);
      calls.push(item);
    }
    if (method === undefined || calls.length === 0) return;
    const group: Group = { calls, positions, startedAt: now, responses: undefined };
    const begun = this.#begin(group, method, delivery) ? group : undefined;
    for (let at = 0; at < positions.length; at++)
      this.#prepared[positions[at] as number] = { refusal: undefined, group: begun, at, hasBegun: false };
  }

  /** @returns whether the calls run as a group; otherwise each call must run separately */
  #begin(group: Group, method: Method<MethodContext>, delivery: Delivery): boolean {
    const { calls, startedAt } = group;
    const { reservedSlots } = this.#context;
    const { length } = calls;
    // Items of other methods may have used all network slots of the batch; each call then waits for its own slot.
    if (reservedSlots?.reserve(length) === false) return false;
    const running = this.#runner.runMany(method, calls, this.#context, startedAt);
    if (!(running instanceof Promise)) {
      group.responses = running;
      return running !== undefined;
    }
    reservedSlots?.handOn(length);
    running.then(
      (responses) => {
        reservedSlots?.takeBack(length, responses.filter((response) => response === undefined).length);
        group.responses = responses;
        this.#deliver(group, delivery);
      },
      (error: unknown) => {
        reservedSlots?.takeBack(length, 0);
        group.responses = Promise.reject(error);
        // Marks a rejection as handled: once the batch has ended, no item reads this promise.
        group.responses.catch(() => {});
        this.#deliver(group, delivery);
      },
    );
    return true;
  }

  /**
   * Delivers the responses of a group, from group index `from` on, to items that the batch has already run. All other items take their responses in
   * `run`. Long responses are delivered in scheduler slots of the batch's owner.
   */
  #deliver(group: Group, delivery: Delivery, from = 0): void {
    const { positions } = group;
    let bytes = 0;
    for (let at = from; at < positions.length; at++) {
      if (bytes > BYTES_PER_SLOT) {
        SCHEDULER.resumeLater(this.#context.scope.owner ?? '', () => this.#deliver(group, delivery, at));
        return;
      }
      const position = positions[at] as number;
      const prepared = this.#prepared[position];
      if (prepared?.hasBegun !== true) continue;
      let response: PromiseOrValue<JsonResult | undefined>;
      try {
        response = this.#conclude(position, prepared, group);
      } catch (error) {
        response = Promise.reject(error);
      }
      delivery.deliver(position, response);
      bytes += measureFirst(response);
    }
  }

  /** Runs an item when its position is reached, and returns its response. */
  run(position: number, now: number): PromiseOrValue<JsonResult | undefined> | typeof LATER {
    const item = this.#items[position] as BatchItem;
    const prepared = this.#prepared[position];
    const runner = this.#runner;
    if (prepared === undefined || item.kind !== 'call') return runner.runItem(item, this.#context, now);
    const { refusal, group } = prepared;
    if (group === undefined) {
      this.#prepared[position] = undefined;
      return runner.runBegun(item, refusal, this.#context, now);
    }
    prepared.hasBegun = true;
    return group.responses === undefined ? LATER : this.#conclude(position, prepared, group);
  }

  /** Ends items that `prepare` has begun, but that the batch will not run because its answer is full. */
  abandon(): void {
    for (let position = 0; position < this.#prepared.length; position++) {
      const prepared = this.#prepared[position];
      const item = this.#items[position] as BatchItem;
      if (prepared === undefined || item.kind !== 'call') continue;
      this.#prepared[position] = undefined;
      this.#runner.abandon(item, prepared.refusal, this.#context, prepared.group?.startedAt ?? 0);
    }
  }

  /** Returns the response of an item from its group. If the group has no response for the item, the item is run separately. */
  #conclude(
    position: number,
    { at }: Prepared,
    { calls, responses, startedAt }: Group,
  ): PromiseOrValue<JsonResult | undefined> {
    this.#prepared[position] = undefined;
    if (responses instanceof Promise) return responses;
    const item = calls[at] as Call;
    const response = responses?.[at];
    // The duration of the call is measured from the start of its group, even if the call is run again separately.
    return response === undefined
      ? this.#runner.runBegun(item, undefined, this.#context, startedAt)
      : this.#runner.endItem(response, item, this.#context, startedAt);
  }
}

/** Returns about how many bytes are made synchronously when a response is delivered; a stream makes only its first piece at that time. */
function measureFirst(response: PromiseOrValue<JsonResult | undefined>): number {
  if (typeof response === 'string') return response.length;
  return response === undefined || response instanceof Promise
    ? 0
    : Math.min(response.reservedBytes ?? 0, TEXT_PIECE);
}
