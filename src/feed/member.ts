import type { CriteriaGroup } from './criteria-index.ts';
import { FeedError, type FeedListener, type FeedStep } from './feed.ts';

/** Cursor that serves a member. */
export type MemberHolder = { remove(member: Member): void };

/** Listener that has joined the feed. A listener receives nothing after its end. */
export class Member {
  readonly #listener: FeedListener;
  readonly #onOver: () => void;
  holder: MemberHolder | undefined;
  /** Group of the listener's criteria in the holder's index. */
  group: CriteriaGroup | undefined;
  #isOpen = true;

  /** @param onOver called after the listener has left or was ended */
  constructor(listener: FeedListener, onOver: () => void) {
    this.#listener = listener;
    this.#onOver = onOver;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get criteria(): NonNullable<FeedListener['logs']>['criteria'] | undefined {
    return this.#listener.logs?.criteria;
  }

  /** Delivers a step and its matching logs. An exception of the listener ends the listener. */
  hear(step: FeedStep): void {
    if (!this.#isOpen) return;
    try {
      this.#listener.onStep?.(step);
      const found = this.group?.found;
      if (found !== undefined && this.#isOpen) this.#listener.logs?.onLogs(found, step);
    } catch {
      this.end(new FeedError('closed', 'the listener has failed'));
    }
  }

  /** Returns a promise to await before the next past step is delivered; undefined if there is nothing to await. */
  waitUntilReady(): Promise<void> | undefined {
    return this.#isOpen ? this.#listener.waitUntilReady?.() : undefined;
  }

  /** Ends the listener, and calls its `onEnd` with the reason. */
  end(reason: FeedError): void {
    if (!this.#isOpen) return;
    this.leave();
    try {
      this.#listener.onEnd(reason);
    } catch {
      // The listener has already ended, so its exception is ignored.
    }
  }

  leave(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.holder?.remove(this);
    this.#onOver();
  }
}
