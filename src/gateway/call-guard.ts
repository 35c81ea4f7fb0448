import type { Denial } from '../access/limits/account.ts';
import type { Limiter } from '../access/limits/limiter.ts';
import { findMethod } from '../methods/table.ts';
import { continueWith, type Eventual } from '../primitives/eventual.ts';
import type { Call, Notification } from '../rpc/envelope.ts';
import { type ErrorName, RpcError } from '../rpc/errors.ts';
import type { Session } from './admission.ts';
import type { CreditScale } from './credit-scale.ts';
import { createLimitError } from './limit-error.ts';

/** Decides for each call whether the key may make it, and may make it now. */
export class CallGuard {
  readonly #limiter: Limiter;
  readonly #scale: CreditScale;

  constructor(limiter: Limiter, scale: CreditScale) {
    this.#limiter = limiter;
    this.#scale = scale;
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
        (method?.executes !== true || rules.allowsCall(params ?? [], method.isPassedThrough === true));
      if (!isAllowed) return new RpcError('rejected');
    }
    const credits = this.#scale.weigh(method);
    // Clients keep connections alive with such calls.
    if (credits === 0) return undefined;
    return this.#take(session, credits, now);
  }

  /** A call that was let through and could not be made: it costs nothing. */
  giveBack({ method: wireName }: Call | Notification, { network, principal }: Session): void {
    const credits = this.#scale.weigh(findMethod(wireName, network));
    if (credits > 0) this.#limiter.giveBack(principal, credits);
  }

  #take(session: Session, credits: number, now: number): Eventual<RpcError | undefined> {
    const denial = this.#limiter.takeForKey(session.principal, credits, now);
    if (denial === undefined) return this.#takeForNetwork(session, credits, now);
    return continueWith(denial, (found) =>
      found === undefined
        ? this.#takeForNetwork(session, credits)
        : explain(found, found.reason === 'credits' ? 'creditsSpent' : 'rateLimited'),
    );
  }

  #takeForNetwork(
    { network, principal }: Session,
    credits: number,
    now?: number,
  ): Eventual<RpcError | undefined> {
    const denial = this.#limiter.takeForNetwork(network.name, now);
    if (denial === undefined) return undefined;
    return continueWith(denial, (found) => {
      if (found !== undefined) this.#limiter.giveBack(principal, credits);
      return explain(found, 'networkLimited');
    });
  }
}

function explain(denial: Denial | undefined, name: ErrorName): RpcError | undefined {
  return denial === undefined ? undefined : createLimitError(name, denial);
}
