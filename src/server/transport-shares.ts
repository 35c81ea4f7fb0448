import type { PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type { Session } from '../gateway/admission.ts';
import type { BoundName } from '../util/bounds.ts';
import { SharedBudget } from '../util/shared-budget.ts';
import { Compression } from './compression.ts';
import type { ListenerLimits } from './options.ts';
import { SendBacklogTotal } from './send-backlog-total.ts';

/** Reason why a connection or request is refused or closed: the caller has no room left in a shared bound, or reads too slowly. */
export type ShareRefusal = 'connections' | 'webSockets' | 'arriving' | 'unsent' | 'slow';

/** Called when a bound refuses a request or closes a connection without an answer. */
export type OnRefused = (bound: BoundName, session?: Session) => void;

/** Usage of the shared bounds. */
export type ShareFigures = {
  readonly arrivingBytes: number;
  readonly unsentBytes: number;
  readonly subscriptions: number;
  readonly slowSubscribers: number;
  readonly refusals: Readonly<Record<ShareRefusal, number>>;
};

/** Bound that refuses a body which has arrived. */
type BodyBound = 'unsent.bytes' | 'arriving.bytes';

/** Minimum size of a body whose memory is counted while the body is handled, bytes. Smaller bodies are limited by the number of bodies in flight. */
const MIN_RESERVED_BYTES = 64 * 1024;

/** Bounds that HTTP and WebSocket connections share. One caller may use up to the fraction `limits.ownerShare` of each bound. */
export class TransportShares {
  /** Bytes of bodies and messages that are arriving or being decompressed, and of large ones that are being handled. */
  readonly arriving: SharedBudget;
  /** Answers that the kernel has not accepted yet. */
  readonly unsent: SendBacklogTotal;
  /** WebSockets, counted by address until their key is checked, then by key. */
  readonly webSockets: SharedBudget;
  readonly subscriptions: SharedBudget;
  /** Number of subscribers that were disconnected because they read too slowly. */
  slowSubscribers = 0;
  /** Upgrades whose key is being checked, counted by the unchecked key. */
  readonly upgrades: SharedBudget;
  readonly compression: Compression;
  /** TCP connections, counted by address. */
  readonly connections: SharedBudget;
  readonly #onRefused: OnRefused;
  /** Number of refusals by bound. */
  readonly #refused = { connections: 0, webSockets: 0, arriving: 0 };

  /** @param onRefused called when a bound refuses a request or closes a connection without an answer */
  constructor(limits: ListenerLimits, onRefused: OnRefused = () => {}) {
    this.#onRefused = onRefused;
    const { arrivingBytes, webSockets, subscriptions, connections, ownerShare } = limits;
    this.arriving = new SharedBudget(arrivingBytes, ownerShare);
    this.unsent = new SendBacklogTotal(limits, (bound) => onRefused(bound));
    this.compression = new Compression(ownerShare);
    this.webSockets = new SharedBudget(webSockets, ownerShare);
    this.subscriptions = new SharedBudget(subscriptions, ownerShare);
    this.upgrades = new SharedBudget(webSockets, ownerShare);
    this.connections = new SharedBudget(connections, ownerShare);
  }

  /** Reserves memory for arriving bytes. Returns false, and counts a refusal, if the owner has no room. */
  takeArriving(owner: string, bytes: number): boolean {
    if (this.arriving.tryTake(owner, bytes)) return true;
    this.#refused.arriving++;
    return false;
  }

  /**
   * Serves the body of an owner. A large body is counted while `work` runs, because its memory stays in use after it has arrived.
   * @param work may reject, never throws
   * @returns the exceeded bound if the owner has too many unread answers or no room for the body; `work` is then not called
   */
  serveBody<T extends object>(
    owner: string,
    bytes: number,
    work: () => PromiseOrValue<T>,
  ): PromiseOrValue<T> | BodyBound {
    if (!this.unsent.isEmpty && this.unsent.refuses(owner)) return 'unsent.bytes';
    if (bytes < MIN_RESERVED_BYTES) return work();
    if (!this.takeArriving(owner, bytes)) return 'arriving.bytes';
    const outcome = work();
    const release = (): void => this.arriving.giveBack(owner, bytes);
    if (outcome instanceof Promise) return outcome.finally(release);
    release();
    return outcome;
  }

  /**
   * Reports that a bound closed a connection.
   * @param session session of the connection, if known
   */
  noteBound(bound: BoundName, session?: Session): void {
    this.#onRefused(bound, session);
  }

  noteRefusal(what: 'connections' | 'webSockets'): void {
    this.#refused[what]++;
  }

  get figures(): ShareFigures {
    const { closed, refused, bytes } = this.unsent;
    return {
      arrivingBytes: this.arriving.used,
      unsentBytes: bytes,
      subscriptions: this.subscriptions.used,
      slowSubscribers: this.slowSubscribers,
      refusals: { ...this.#refused, unsent: refused + closed.share, slow: closed.slow },
    };
  }
}
