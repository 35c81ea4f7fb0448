import type { MethodContext } from '../methods/method-context.ts';
import { findMethod } from '../methods/table.ts';
import type { JsonResult } from '../primitives/json-result.ts';
import { continueWith, type PromiseOrValue } from '../primitives/promise-or-value.ts';
import type { BatchItem, Call } from '../rpc/envelope.ts';
import type { RpcError } from '../rpc/errors.ts';
import type { Method } from '../rpc/method.ts';
import type { BodyContext } from './body-context.ts';
import type { CallRunner } from './call-runner.ts';
import type { CallResponse } from './running-call.ts';

/** Calls that are run together. */
type Group = {
  /** In the order of the calls. */
  readonly responses: PromiseOrValue<readonly CallResponse[]>;
  /** On the clock of `performance.now()`. */
  readonly startedAt: number;
};

/** What is known of an item before its turn: what its check said, and its place among calls that are run together. */
type Prepared = {
  readonly problem: PromiseOrValue<RpcError | undefined>;
  readonly group?: Group;
  readonly at: number;
};

/** The items of a batch: calls that a chain answers together are begun before their turn comes, all others in it. None waits for those of another. */
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

  /** Checks, and begins to run together, what can be, from one position up to before another. */
  prepare(from: number, to: number, now: number): void {
    const context = this.#context;
    const runner = this.#runner;
    if (!runner.hasRoom(context)) return;
    const positions: number[] = [];
    const calls: Call[] = [];
    let method: Method<MethodContext> | undefined;
    for (let position = from; position < to; position++) {
      const item = this.#items[position] as BatchItem;
      if (item.kind !== 'call') continue;
      const own = findMethod(item.method, context.session.network);
      if (own?.invokeMany === undefined || (method ?? own) !== own) continue;
      method = own;
      const problem = runner.check(item, context, now);
      this.#prepared[position] = { problem, at: 0 };
      if (problem !== undefined) continue;
      positions.push(position);
      calls.push(item);
    }
    if (method === undefined || calls.length === 0) return;
    const responses = this.#runTogether(method, calls, now);
    if (responses === undefined) return;
    const group = { responses, startedAt: now };
    positions.forEach((position, at) => {
      this.#prepared[position] = { problem: undefined, group, at };
    });
  }

  /** @returns undefined where each is to be run by itself */
  #runTogether(
    method: Method<MethodContext>,
    calls: readonly Call[],
    now: number,
  ): PromiseOrValue<readonly CallResponse[]> | undefined {
    const { heldTurns } = this.#context;
    const { length } = calls;
    // Items of other methods may have used up the turns of the batch: each call waits for one of its own then.
    if (heldTurns?.reserve(length) === false) return undefined;
    const running = this.#runner.runMany(method, calls, this.#context, now);
    if (!(running instanceof Promise)) return running;
    heldTurns?.handOn(length);
    const responses = running.then(
      (answered) => {
        heldTurns?.takeBack(length, answered.filter((response) => response === undefined).length);
        return answered;
      },
      (error: unknown) => {
        heldTurns?.takeBack(length, 0);
        throw error;
      },
    );
    // A fault is thrown to the items. A batch that has ended before runs none of them.
    responses.catch(() => {});
    return responses;
  }

  /** The response to an item in its turn. */
  run(position: number, now: number): PromiseOrValue<JsonResult | undefined> {
    const item = this.#items[position] as BatchItem;
    const prepared = this.#prepared[position];
    const runner = this.#runner;
    if (prepared === undefined || item.kind !== 'call') return runner.runItem(item, this.#context, now);
    this.#prepared[position] = undefined;
    const { problem, group, at } = prepared;
    if (group === undefined) return runner.runChecked(item, problem, this.#context, now);
    return continueWith(group.responses, (responses) => {
      const response = responses[at];
      // The time that it has is counted from when it was first asked for.
      return response === undefined
        ? runner.runChecked(item, problem, this.#context, group.startedAt)
        : runner.concludeItem(response, item, this.#context, now);
    });
  }
}
