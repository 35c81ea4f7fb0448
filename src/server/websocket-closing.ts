import type { WebSocket } from 'ws';
import type { Session } from '../gateway/admission.ts';
import { type BoundName, describeBoundRefusal } from '../util/bounds.ts';
import type { TransportShares } from './transport-shares.ts';

/** Codes that the service closes WebSockets with (RFC 6455, section 7.4.1, and the IANA registry). */
export const CLOSE_CODES = {
  goingAway: 1001,
  policyViolation: 1008,
  internalError: 1011,
  /** Clients that subscribed connect again on this one; web3.js takes a clean 1001 for an end. */
  serviceRestart: 1012,
  tryAgainLater: 1013,
} as const;

/** A close frame says at most 123 bytes. */
const READ_TOO_SLOWLY = 'notifications are read too slowly: subscribe again after the last block';
/** How long the peer may take to answer a close frame. */
const CLOSE_GRACE_MS = 2_000;

export type WebSocketClosingParts = {
  readonly ws: WebSocket;
  readonly shares: TransportShares;
  /** Of the last message. */
  readonly readSession: () => Session | undefined;
  /** Called before each close: ends what is in work, and drops what waits. */
  readonly abandon: () => void;
};

/** Closes one WebSocket for the service: with a code and a reason, at once. Bounds are counted and named in the reason. */
export class WebSocketClosing {
  readonly #parts: WebSocketClosingParts;

  constructor(parts: WebSocketClosingParts) {
    this.#parts = parts;
  }

  /** A close frame waits behind what the peer has not read, so it gets only a short grace. */
  end(code: number, reason: string): void {
    const { ws, abandon } = this.#parts;
    abandon();
    ws.close(code, reason);
    setTimeout(() => ws.terminate(), CLOSE_GRACE_MS).unref();
  }

  /** Ends the connection because of a bound, which the reason names. */
  endByBound(code: number, bound: BoundName): void {
    this.#noteBound(bound);
    this.end(code, describeBoundRefusal(bound));
  }

  /** Cuts the connection off because of a bound: its client reads nothing, and would not read why. */
  terminateByBound(bound: BoundName): void {
    const { ws, abandon } = this.#parts;
    this.#noteBound(bound);
    abandon();
    ws.terminate();
  }

  /** @param isCounted whether the bound has counted it already */
  endSlowSubscriber(bound: BoundName, isCounted: boolean): void {
    if (!isCounted) this.#noteBound(bound);
    this.#parts.shares.slowSubscribers++;
    this.end(CLOSE_CODES.policyViolation, `${READ_TOO_SLOWLY} (bound: ${bound})`);
  }

  /** The key does not open the network any more. */
  lock(): void {
    const { ws, abandon } = this.#parts;
    abandon();
    ws.close(CLOSE_CODES.policyViolation, 'the api key is no longer valid');
  }

  /** The service stops, and everything is answered. @param hasSubscribed whether there were subscriptions */
  shutDown(hasSubscribed: boolean): void {
    const { ws } = this.#parts;
    if (hasSubscribed) ws.close(CLOSE_CODES.serviceRestart, 'shutting down: connect again');
    else ws.close(CLOSE_CODES.goingAway, 'shutting down');
  }

  #noteBound(bound: BoundName): void {
    const { shares, readSession } = this.#parts;
    shares.noteBound(bound, readSession());
  }
}
