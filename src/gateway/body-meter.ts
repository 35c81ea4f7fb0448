import { continueWith, type PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type { WorkMeter } from '../util/request-scope.ts';
import type { Session } from './admission.ts';
import type { CallGuard } from './call-guard.ts';
import type { CallWatch } from './call-watch.ts';
import type { CreditScale } from './credit-scale.ts';

export type BodyMeterParts = {
  readonly guard: CallGuard;
  readonly scale: CreditScale;
  readonly watch: CallWatch | undefined;
};

/** Charges the key of a request body for extra work that its running calls need. */
export class BodyMeter implements WorkMeter {
  readonly #parts: BodyMeterParts;
  readonly #session: Session;

  constructor(parts: BodyMeterParts, session: Session) {
    this.#parts = parts;
    this.#session = session;
  }

  /** @throws RpcError (or rejects with it) if the key has no credits for the work */
  pay(keys: number, roundTrips: number): PromiseOrValue<void> {
    const { scale } = this.#parts;
    return this.#charge(
      scale.weighWork('execution_provenKey', keys) + scale.weighWork('execution_roundTrip', roundTrips),
    );
  }

  /** @throws RpcError (or rejects with it) if the key has no credits for the work */
  payFor(name: string, count: number): PromiseOrValue<void> {
    return this.#charge(this.#parts.scale.weighWork(name, count));
  }

  #charge(credits: number): PromiseOrValue<void> {
    const { guard, watch } = this.#parts;
    if (credits === 0) return undefined;
    return continueWith(guard.chargeWork(this.#session, credits), (problem) => {
      if (problem !== undefined) throw problem;
      watch?.noteSurcharge(this.#session, credits);
    });
  }
}
