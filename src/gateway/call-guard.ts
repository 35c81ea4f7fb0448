import type { Denial } from '../access/limits/account.ts';
import type { Limiter } from '../access/limits/limiter.ts';
import { findMethod } from '../methods/table.ts';
import { continueWith, type Eventual } from '../primitives/eventual.ts';
import type { Call, Notification } from '../rpc/envelope.ts';
import { type ErrorName, RpcError } from '../rpc/errors.ts';
import type { Session } from './admission.ts';
import { createLimitError } from './limit-error.ts';

/** What calls weigh, by the table's names where the configuration says otherwise than the table. */
export type CreditTable = Readonly<Record<string, number>>;

/** A method that this network does not have costs what most others do: asking for it is no way around a limit. */
const UNKNOWN_COST = 80;

/** Decides for each call whether the key may make it, and may make it now. */
export class CallGuard {
  readonly #limiter: Limiter;
  readonly #credits: CreditTable;

  constructor(limiter: Limiter, credits: CreditTable) {
    this.#limiter = limiter;
    this.#credits = credits;
  }

  /** What is wrong with a call; undefined when nothing is. Never throws or rejects. */
  check(
    { method: wireName, params }: Call | Notification,
    session: Session,
    now: number,
  ): Eventual<RpcError | undefined> {
    const { network, principal } = session;
    const { terms } = principal;
    if (terms === undefined && !this.#limiter.bounds(network.name)) return undefined;
    const method = findMethod(wireName, network);
    const rules = terms?.rules;
    if (rules !== undefined) {
      const isAllowed =
        rules.allowsMethod(wireName, method?.name ?? wireName) &&
        (method?.executes !== true || rules.allowsCall(params?.[0]));
      if (!isAllowed) return new RpcError('rejected');
    }
    const credits = this.#weigh(method?.name, method?.cost);
    // Clients keep connections alive with such calls.
    if (credits === 0) return undefined;
    return this.#take(session, credits, now);
  }

  #weigh(name: string | undefined, cost: number | undefined): number {
    if (name === undefined) return UNKNOWN_COST;
    return this.#credits[name] ?? cost ?? this.#credits['default'] ?? UNKNOWN_COST;
  }

  #take({ network, principal }: Session, credits: number, now: number): Eventual<RpcError | undefined> {
    const denial = this.#limiter.takeForKey(principal, credits, now);
    if (denial === undefined) return this.#takeForNetwork(network.name, now);
    return continueWith(denial, (found) =>
      found === undefined
        ? this.#takeForNetwork(network.name)
        : explain(found, found.reason === 'credits' ? 'creditsSpent' : 'rateLimited'),
    );
  }

  #takeForNetwork(network: string, now?: number): Eventual<RpcError | undefined> {
    const denial = this.#limiter.takeForNetwork(network, now);
    return denial === undefined
      ? undefined
      : continueWith(denial, (found) => explain(found, 'networkLimited'));
  }
}

function explain(denial: Denial | undefined, name: ErrorName): RpcError | undefined {
  return denial === undefined ? undefined : createLimitError(name, denial);
}
