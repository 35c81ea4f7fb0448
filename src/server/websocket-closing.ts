import type { WebSocket } from 'ws';
import type { Session } from '../gateway/admission.ts';
import { type BoundName, describeBoundRefusal } from '../util/bounds.ts';
import type { TransportShares } from './transport-shares.ts';

/** Close codes that the service sends (RFC 6455, section 7.4.1, and the IANA registry). */
export const CLOSE_CODES = {
  goingAway: 1001,
  policyViolation: 1008,
  internalError: 1011,
  /**
   * Close code for clients with subscriptions, when the service stops or a subscription cannot continue. A clean 1001 is not used, because web3.js
   * does not reconnect after it.
   */
  serviceRestart: 1012,
  tryAgainLater: 1013,
} as const;

/** Close reason for subscribers that read too slowly, without the name of the bound. A close reason has at most 123 bytes. */
const READ_TOO_SLOWLY = 'notifications are read too slowly: subscribe again after the last block';
/** Time limit for the peer to answer a close frame, ms. */
const CLOSE_GRACE_MS = 2_000;

export type WebSocketClosingParts = {
  readonly ws: WebSocket;
  readonly shares: TransportShares;
  /** Session of the last message. */
  readonly readSession: () => Session | undefined;
  /** Called before each close: aborts running work and drops waiting messages. */
  readonly abandon: () => void;
};

/** Closes one WebSocket immediately, with a code and a reason. If a bound is the cause, the bound is counted and named in the reason. */
export class WebSocketClosing {
  readonly #parts: WebSocketClosingParts;

  constructor(parts: WebSocketClosingParts) {
    this.#parts = parts;
  }

  /**
   * Sends a close frame, and terminates the connection after `CLOSE_GRACE_MS`, because the frame waits behind all bytes that the peer has not read.
   */
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

  /** Terminates the connection because of a bound. No close frame is sent, because the client reads nothing. */
  terminateByBound(bound: BoundName): void {
    const { ws, abandon } = this.#parts;
    this.#noteBound(bound);
    abandon();
    ws.terminate();
  }

  /** @param isCounted whether the refusal by this bound is already counted */
  endSlowSubscriber(bound: BoundName, isCounted: boolean): void {
    if (!isCounted) this.#noteBound(bound);
    this.#parts.shares.slowSubscribers++;
    this.end(CLOSE_CODES.policyViolation, `${READ_TOO_SLOWLY} (bound: ${bound})`);
  }

  /** Closes the connection because the key no longer gives access to the network. */
  lock(): void {
    const { ws, abandon } = this.#parts;
    abandon();
    ws.close(CLOSE_CODES.policyViolation, 'the api key is no longer valid');
  }

  /**
   * Closes the connection because the service stops. All running messages must have been answered.
   * @param hasSubscribed whether the connection had subscriptions, which selects the close code
   */
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
