import type { MethodContext } from '../methods/method-context.ts';
import { findMethod } from '../methods/table.ts';
import type { JsonResult } from '../primitives/json-result.ts';
import type { PromiseOrValue } from '../primitives/promise-or-value.ts';
import type { BatchItem, Call } from '../rpc/envelope.ts';
import type { RpcError } from '../rpc/errors.ts';
import type { Method } from '../rpc/method.ts';
import type { BodyContext } from './body-context.ts';
import type { CallRunner } from './call-runner.ts';
import type { CallResponse } from './running-call.ts';

/** What is known of an item before its turn: what its check said, and its response where it was run together with others. */
type Prepared = { readonly problem: PromiseOrValue<RpcError | undefined>; response: CallResponse };

/** The items of a batch: calls that a chain answers together are run before their turn comes, all others in it. */
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

  /** Checks and runs together what can be, from one position up to before another. @returns a promise where it has to be waited for */
  prepare(from: number, to: number, now: number): Promise<void> | undefined {
    const context = this.#context;
    const runner = this.#runner;
    if (!runner.hasRoom(context)) return undefined;
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
      this.#prepared[position] = { problem, response: undefined };
      if (problem !== undefined) continue;
      positions.push(position);
      calls.push(item);
    }
    if (method === undefined || calls.length === 0) return undefined;
    // Items of other methods may have used up the turns of the batch: each call waits for one of its own then.
    if (context.heldTurns?.reserve(calls.length) === false) return undefined;
    const take = (responses: readonly CallResponse[]): void =>
      positions.forEach((position, at) => {
        (this.#prepared[position] as Prepared).response = responses[at];
      });
    const responses = runner.runMany(method, calls, context, now);
    if (responses instanceof Promise) return responses.then(take);
    if (responses !== undefined) take(responses);
    return undefined;
  }

  /** The response to an item in its turn. */
  run(position: number, now: number): PromiseOrValue<JsonResult | undefined> {
    const item = this.#items[position] as BatchItem;
    const prepared = this.#prepared[position];
    const runner = this.#runner;
    if (prepared === undefined || item.kind !== 'call') return runner.runItem(item, this.#context, now);
    this.#prepared[position] = undefined;
    const { problem, response } = prepared;
    return response === undefined
      ? runner.runChecked(item, problem, this.#context, now)
      : runner.concludeItem(response, item, this.#context, now);
  }
}
