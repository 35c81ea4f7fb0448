import type { JsonText } from '../../packages/ethereum/primitives/json-result.ts';
import type { PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type { RequestReport } from '../observe/request-report.ts';
import type { NotificationPort } from '../rpc/notifier.ts';
import type { BoundName } from '../util/bounds.ts';
import type { RequestScope } from '../util/request-scope.ts';
import type { Refusal, Session } from './admission.ts';
import type { Answer, TextAnswer } from './answer.ts';
import type { ConfiguredGateway, Gateway } from './gateway.ts';
import type { RefusalReason, TransportBound } from './refusals.ts';
import type { Visitor } from './visitor.ts';

/**
 * Gateway that passes each request to the gateway of the active configuration. A reload of the configuration may replace the active gateway between
 * any two requests.
 */
export class SwitchableGateway implements Gateway {
  #current: ConfiguredGateway;
  /** Previous gateways with bodies that are still running. */
  readonly #retired = new Set<ConfiguredGateway>();

  constructor(first: ConfiguredGateway) {
    this.#current = first;
  }

  get openRpc(): JsonText {
    return this.#current.openRpc;
  }

  get bodiesInFlight(): number {
    let bodies = this.#current.bodiesInFlight;
    for (const gateway of this.#retired) bodies += gateway.bodiesInFlight;
    return bodies;
  }

  /**
   * Activates `next`. Running requests stay with the previous gateway; `forget` drops that gateway when its requests have ended.
   * @returns the previous gateway
   */
  switchTo(next: ConfiguredGateway): ConfiguredGateway {
    const before = this.#current;
    this.#retired.add(before);
    this.#current = next;
    return before;
  }

  forget(gateway: ConfiguredGateway): void {
    this.#retired.delete(gateway);
  }

  admit(visitor: Visitor): PromiseOrValue<Session | Refusal> {
    return this.#current.admit(visitor);
  }

  admitProgram(network: string): Session | Refusal {
    return this.#current.admitProgram(network);
  }

  /** If the configuration was reloaded after the body was admitted, the current network with the same name handles the body. */
  handle(
    body: Uint8Array,
    session: Session,
    scope: RequestScope,
    report?: RequestReport,
    notifier?: NotificationPort,
  ): PromiseOrValue<Answer> {
    const renewed = this.#current.renew(session);
    return 'refused' in renewed
      ? renewed.refused
      : this.#current.handle(body, renewed, scope, report, notifier);
  }

  chargeNotifications(session: Session, credits: number): PromiseOrValue<boolean> {
    return this.#current.chargeNotifications(session, credits);
  }

  chargeUnread(session: Session): PromiseOrValue<TextAnswer | undefined> {
    return this.#current.chargeUnread(session);
  }

  returnUnread(session: Session): void {
    this.#current.returnUnread(session);
  }

  findRemainingCredits(session: Session): number | undefined {
    return this.#current.findRemainingCredits(session);
  }

  noteRefusal(bound: BoundName, session?: Session): void {
    this.#current.noteRefusal(bound, session);
  }

  refuse(reason: RefusalReason | TransportBound, session?: Session): TextAnswer {
    return this.#current.refuse(reason, session);
  }
}
