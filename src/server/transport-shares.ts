import { SharedBudget } from '../util/shared-budget.ts';
import { Compression } from './compression.ts';
import type { TransportLimits } from './options.ts';
import { UnsentAnswers } from './unsent-answers.ts';

/** What was refused or closed because its caller holds its share already. */
export type ShareRefusal = 'connections' | 'webSockets' | 'arriving' | 'unsent' | 'slow';

/** How much of the shared bounds is in use. */
export type ShareFigures = {
  readonly arrivingBytes: number;
  readonly unsentBytes: number;
  readonly refusals: Readonly<Record<ShareRefusal, number>>;
};

/** The transports' bounds over all callers, of each of which one caller may hold `limits.ownerShare`. */
export class TransportShares {
  /** Bytes of bodies and messages that are still arriving or being decompressed. */
  readonly arriving: SharedBudget;
  /** Answers that are not yet with the kernel. */
  readonly unsent: UnsentAnswers;
  /** WebSockets: by address until their key is known. */
  readonly webSockets: SharedBudget;
  /** Upgrades whose key is being checked, by the key as it was sent. */
  readonly upgrades: SharedBudget;
  readonly compression: Compression;
  /** TCP connections, by address. */
  readonly connections: SharedBudget;
  /** Refused so far. */
  readonly #refused = { connections: 0, webSockets: 0, arriving: 0 };

  constructor(limits: TransportLimits) {
    const { arrivingBytes, webSockets, connections, ownerShare } = limits;
    this.arriving = new SharedBudget(arrivingBytes, ownerShare);
    this.unsent = new UnsentAnswers(limits);
    this.compression = new Compression(ownerShare);
    this.webSockets = new SharedBudget(webSockets, ownerShare);
    this.upgrades = new SharedBudget(webSockets, ownerShare);
    this.connections = new SharedBudget(connections, ownerShare);
  }

  /** Takes memory for what arrives, or notes that there is none for this owner. */
  takeArriving(owner: string, bytes: number): boolean {
    if (this.arriving.tryTake(owner, bytes)) return true;
    this.#refused.arriving++;
    return false;
  }

  noteRefusal(what: 'connections' | 'webSockets'): void {
    this.#refused[what]++;
  }

  get figures(): ShareFigures {
    const { closed, refused, bytes } = this.unsent;
    return {
      arrivingBytes: this.arriving.used,
      unsentBytes: bytes,
      refusals: { ...this.#refused, unsent: refused + closed.share, slow: closed.slow },
    };
  }
}
