import type { MethodContext } from '../methods/method-context.ts';
import {
  MISSED_BLOCK_CREDITS,
  NOTIFICATION_CREDITS,
  nameMissedBlock,
  nameNotification,
} from '../methods/notification-credits.ts';
import { WORK_CREDITS } from '../methods/work-credits.ts';
import type { Method } from '../rpc/method.ts';

/** Credits of calls by name; `default` is for methods of nodes that have no price of their own. */
export type CreditTable = Readonly<Record<string, number>>;

/** A method that a network does not have weighs what most others do: asking for it is no way around a limit. */
const UNKNOWN_WEIGHT = 80;

/** What calls weigh: as the configuration says, or else the table of methods. */
export class CreditScale {
  readonly #table: CreditTable;
  /** The method that was weighed last: items of a batch are mostly of one. */
  #last: Method<MethodContext> | undefined;
  #lastWeight = UNKNOWN_WEIGHT;

  constructor(table: CreditTable) {
    this.#table = table;
  }

  /** @param method undefined: none that is served */
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

  /** Work beyond what calls cover. */
  weighWork(name: string, count: number): number {
    return count * (this.#table[name] ?? (WORK_CREDITS as CreditTable)[name] ?? 0);
  }

  /** @param kind of the subscription */
  weighNotification(kind: string): number {
    return this.#table[nameNotification(kind)] ?? NOTIFICATION_CREDITS[kind] ?? 0;
  }

  /** @param kind of the subscription that catches up */
  weighMissedBlock(kind: string): number {
    return this.#table[nameMissedBlock(kind)] ?? MISSED_BLOCK_CREDITS[kind] ?? 0;
  }
}
