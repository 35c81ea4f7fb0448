import type { MethodContext } from '../methods/method-context.ts';
import {
  MISSED_BLOCK_CREDITS,
  NOTIFICATION_CREDITS,
  nameMissedBlock,
  nameNotification,
} from '../methods/notification-credits.ts';
import { WORK_CREDITS } from '../methods/work-credits.ts';
import type { Method } from '../rpc/method.ts';

/** Credits per call by method name. `default` applies to node methods that have no price in the table of methods. */
export type CreditTable = Readonly<Record<string, number>>;

/** Credits of a call of an unknown method, as for most known methods: calls of unknown methods must not bypass a limit. */
const UNKNOWN_WEIGHT = 80;

/** Credits of calls, from the configuration or else from the table of methods. */
export class CreditScale {
  readonly #table: CreditTable;
  /** Method of the last call, cached with its credits because items of a batch mostly have the same method. */
  #last: Method<MethodContext> | undefined;
  #lastWeight = UNKNOWN_WEIGHT;

  constructor(table: CreditTable) {
    this.#table = table;
  }

  /** @param method undefined if no such method is served */
  weigh(method: Method<MethodContext> | undefined): number {
    if (method === undefined) return UNKNOWN_WEIGHT;
    if (method === this.#last) return this.#lastWeight;
    const { name, cost, isNodeMethod, isPriced } = method;
    this.#last = method;
    this.#lastWeight =
      this.#table[name] ??
      (isNodeMethod === true && isPriced !== true ? this.#table['default'] : undefined) ??
      cost;
    return this.#lastWeight;
  }

  /** Returns the credits for work that the price of a call does not include. */
  weighWork(name: string, count: number): number {
    return count * (this.#table[name] ?? (WORK_CREDITS as CreditTable)[name] ?? 0);
  }

  /** @param kind kind of the subscription */
  weighNotification(kind: string): number {
    return this.#table[nameNotification(kind)] ?? NOTIFICATION_CREDITS[kind] ?? 0;
  }

  /** @param kind kind of the subscription that delivers the missed block */
  weighMissedBlock(kind: string): number {
    return this.#table[nameMissedBlock(kind)] ?? MISSED_BLOCK_CREDITS[kind] ?? 0;
  }
}
