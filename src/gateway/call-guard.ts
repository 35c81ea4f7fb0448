import { continueWith, type PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type { Denial } from '../access/limits/account.ts';
import type { Limiter } from '../access/limits/limiter.ts';
import { findMethod } from '../methods/table.ts';
import type { Call, Notification } from '../rpc/envelope.ts';
import { RpcError } from '../rpc/errors.ts';
import type { Session } from './admission.ts';
import type { CreditScale } from './credit-scale.ts';
import { createLimitError } from './limit-error.ts';

/** Body bytes that cost as much as one call of an unknown method. */
export const BYTES_PER_CALL: number = 128 * 1024;

/**
 * Calls and credits that were charged for a large body before it was read. Calls of the body use up these prepaid charges before the key is charged
 * again.
 */
export type Prepaid = { calls: number; credits: number };

/** Checks for each call whether the rules of the key permit the call, and whether its rate and credit limits allow the call now. */
export class CallGuard {
  readonly #limiter: Limiter;
  readonly #scale: CreditScale;

  constructor(limiter: Limiter, scale: CreditScale) {
    this.#limiter = limiter;
    this.#scale = scale;
  }

  /**
   * Returns the reason to refuse a call; undefined if the call is allowed and charged. Never throws or rejects.
   * @param prepaid charges already paid for the body of the call
   */
  check(
    call: Call | Notification,
    session: Session,
    now: number,
    prepaid?: Prepaid,
  ): PromiseOrValue<RpcError | undefined> {
    const { network, principal } = session;
    const { terms } = principal;
    if (terms === undefined && !this.#limiter.bounds(network.name)) return undefined;
    const { method: wireName } = call;
    const method = findMethod(wireName, network);
    const rules = terms?.rules;
    if (rules !== undefined) {
      const isAllowed =
        rules.allowsMethod(wireName, method?.name ?? wireName) &&
        (rules.maySend || method?.sends !== true) &&
        (!rules.bindsContracts ||
          method === undefined ||
          rules.allowsContracts(method.contractScope, call.params ?? []));
      if (!isAllowed) return new RpcError('rejected');
    }
    const credits = this.#scale.weigh(method);
    // A call that costs no credits is not limited, because clients send such calls to keep connections alive.
    if (credits === 0) return undefined;
    if (prepaid !== undefined) return this.#takePrepaid(session, credits, now, prepaid);
    return this.#take(session, credits, now, 1);
  }

  /**
   * Charges a large body before it is read: one call of an unknown method per `BYTES_PER_CALL`, rounded up. A key without `terms`
   * (restrictions and limits) pays nothing.
   * @returns the reason not to read the body, or the charges that the calls of the body need not pay again
   */
  chargeBody(bytes: number, session: Session, now: number): PromiseOrValue<RpcError | Prepaid> {
    if (session.principal.terms === undefined) return { calls: 0, credits: 0 };
    const calls = Math.ceil(bytes / BYTES_PER_CALL);
    const credits = calls * this.#scale.weigh(undefined);
    const denial = this.#limiter.takeForKey(session.principal, credits, now, calls);
    return continueWith(denial, (found) => explainDenial(found) ?? { calls, credits });
  }

  /** Charges unreadable input as a call of an unknown method. */
  chargeMalformed(
    session: Session,
    now: number,
    prepaid: Prepaid | undefined,
  ): PromiseOrValue<RpcError | undefined> {
    const credits = this.#scale.weigh(undefined);
    if (prepaid !== undefined) return this.#takePrepaid(session, credits, now, prepaid);
    return this.#take(session, credits, now, 1);
  }

  /** Charges the key one call of an unknown method, before the calls of the body are known. */
  chargeUnread(session: Session, now: number): PromiseOrValue<RpcError | undefined> {
    const denial = this.#limiter.takeForKey(session.principal, this.#scale.weigh(undefined), now, 1);
    return denial === undefined ? undefined : continueWith(denial, explainDenial);
  }

  /**
   * Charges the key for received notifications, without counting them as calls.
   * @returns whether the key had enough credits
   */
  chargeNotifications({ principal }: Session, credits: number, now: number): PromiseOrValue<boolean> {
    return continueWith(this.#limiter.takeForKey(principal, credits, now, 0), (denial) => {
      if (denial?.reason !== 'credits') return true;
      this.#limiter.spend(principal, credits);
      return false;
    });
  }

  /**
   * Charges the key for work that one of its calls needs, without counting the work as a call.
   * @returns the reason to refuse the work
   */
  chargeWork({ principal }: Session, credits: number): PromiseOrValue<RpcError | undefined> {
    const denial = this.#limiter.takeForKey(principal, credits, performance.now(), 0);
    return denial === undefined ? undefined : continueWith(denial, explainDenial);
  }

  /** Refunds a charge of `chargeUnread`. */
  returnUnread({ principal }: Session): void {
    this.#limiter.giveBack(principal, this.#scale.weigh(undefined));
  }

  /** Refunds a call that was allowed but could not be run. */
  giveBack(
    { method: wireName }: Call | Notification,
    { network, principal }: Session,
    prepaid: Prepaid | undefined,
  ): void {
    const credits = this.#scale.weigh(findMethod(wireName, network));
    if (credits === 0) return;
    if (prepaid === undefined) this.#limiter.giveBack(principal, credits);
    else {
      prepaid.calls++;
      prepaid.credits += credits;
    }
  }

  /** Uses up the prepaid charges first, and charges the key only for the rest. */
  #takePrepaid(
    session: Session,
    credits: number,
    now: number,
    prepaid: Prepaid,
  ): PromiseOrValue<RpcError | undefined> {
    const calls = prepaid.calls > 0 ? 1 : 0;
    const covered = Math.min(prepaid.credits, credits);
    prepaid.calls -= calls;
    prepaid.credits -= covered;
    if (calls === 1 && covered === credits) return this.#takeForNetwork(session, 0, 0, now);
    return this.#take(session, credits - covered, now, 1 - calls);
  }

  /** @param calls number of calls that count for the key's rate; 0 if they are prepaid */
  #take(session: Session, credits: number, now: number, calls: number): PromiseOrValue<RpcError | undefined> {
    const denial = this.#limiter.takeForKey(session.principal, credits, now, calls);
    if (denial === undefined) return this.#takeForNetwork(session, credits, calls, now);
    return continueWith(
      denial,
      (found) => explainDenial(found) ?? this.#takeForNetwork(session, credits, calls),
    );
  }

  #takeForNetwork(
    { network, principal }: Session,
    credits: number,
    calls: number,
    now?: number,
  ): PromiseOrValue<RpcError | undefined> {
    const denial = this.#limiter.takeForNetwork(network.name, now);
    if (denial === undefined) return undefined;
    return continueWith(denial, (found) => {
      if (found === undefined) return undefined;
      this.#limiter.giveBack(principal, credits, calls);
      return createLimitError(['networkLimited', 'network.rate'], found);
    });
  }
}

function explainDenial(denial: Denial | undefined): RpcError | undefined {
  if (denial === undefined) return undefined;
  return createLimitError(
    denial.reason === 'credits' ? ['creditsSpent', 'key.credits'] : ['rateLimited', 'key.rate'],
    denial,
  );
}
