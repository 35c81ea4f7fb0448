import type { Session } from '../gateway/admission.ts';
import type { PromiseOrValue } from '../primitives/promise-or-value.ts';
import type { BoundName } from '../util/bounds.ts';
import { SharedBudget } from '../util/shared-budget.ts';
import { Compression } from './compression.ts';
import type { TransportLimits } from './options.ts';
import { UnsentAnswers } from './unsent-answers.ts';

/** What was refused or closed because its caller holds its share already. */
export type ShareRefusal = 'connections' | 'webSockets' | 'arriving' | 'unsent' | 'slow';

/** Called where a bound refuses or closes what gets no answer. */
export type OnRefused = (bound: BoundName, session?: Session) => void;

/** How much of the shared bounds is in use. */
export type ShareFigures = {
  readonly arrivingBytes: number;
  readonly unsentBytes: number;
  readonly subscriptions: number;
  readonly slowSubscribers: number;
  readonly refusals: Readonly<Record<ShareRefusal, number>>;
};

/** Smaller bodies are bounded by how many may be in work. */
const MIN_HELD_BYTES = 64 * 1024;

/** The transports' bounds over all callers, of each of which one caller may hold `limits.ownerShare`. */
export class TransportShares {
  /** Bytes of bodies and messages that are arriving, being decompressed or, where they are large, in work. */
  readonly arriving: SharedBudget;
  /** Answers that are not yet with the kernel. */
  readonly unsent: UnsentAnswers;
  /** WebSockets: by address until their key is known. */
  readonly webSockets: SharedBudget;
  readonly subscriptions: SharedBudget;
  /** Subscribers that were closed because they read too slowly. */
  slowSubscribers = 0;
  /** Upgrades in the check of their key, by the key as it was sent. */
  readonly upgrades: SharedBudget;
  readonly compression: Compression;
  /** TCP connections, by address. */
  readonly connections: SharedBudget;
  readonly #onRefused: OnRefused;
  /** Refused so far. */
  readonly #refused = { connections: 0, webSockets: 0, arriving: 0 };

  /** @param onRefused called where a bound refuses or closes what gets no answer */
  constructor(limits: TransportLimits, onRefused: OnRefused = () => {}) {
    this.#onRefused = onRefused;
    const { arrivingBytes, webSockets, subscriptions, connections, ownerShare } = limits;
    this.arriving = new SharedBudget(arrivingBytes, ownerShare);
    this.unsent = new UnsentAnswers(limits, (bound) => onRefused(bound));
    this.compression = new Compression(ownerShare);
    this.webSockets = new SharedBudget(webSockets, ownerShare);
    this.subscriptions = new SharedBudget(subscriptions, ownerShare);
    this.upgrades = new SharedBudget(webSockets, ownerShare);
    this.connections = new SharedBudget(connections, ownerShare);
  }

  /** Takes memory for what arrives, or notes that there is none for this owner. */
  takeArriving(owner: string, bytes: number): boolean {
    if (this.arriving.tryTake(owner, bytes)) return true;
    this.#refused.arriving++;
    return false;
  }

  /**
   * Counts a large body while it is in work, as what it holds does not shrink when it has arrived.
   * @param work may reject, never throws
   * @returns undefined, without a begin, where this owner has no room
   */
  holdWhile<T>(owner: string, bytes: number, work: () => PromiseOrValue<T>): PromiseOrValue<T> | undefined {
    if (bytes < MIN_HELD_BYTES) return work();
    if (!this.takeArriving(owner, bytes)) return undefined;
    const outcome = work();
    const release = (): void => this.arriving.giveBack(owner, bytes);
    if (outcome instanceof Promise) return outcome.finally(release);
    release();
    return outcome;
  }

  /** Notes that a bound has closed a connection. @param session whose it is, where that is known */
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
