import type { CriteriaGroup } from './criteria-index.ts';
import { FeedError, type FeedListener, type FeedStep } from './feed.ts';

/** What members are served by. */
export type MemberHolder = { remove(member: Member): void };

/** A listener that has joined. It hears nothing after its end. */
export class Member {
  readonly #listener: FeedListener;
  readonly #onOver: () => void;
  holder: MemberHolder | undefined;
  /** Its criteria, as the holder has them. */
  group: CriteriaGroup | undefined;
  #isOpen = true;

  /** @param onOver it has left, or was ended */
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

  /** Hears a step, and those of its logs that it means; what it throws ends it. */
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

  /** What to wait for before it gets more of what has happened already. */
  waitUntilReady(): Promise<void> | undefined {
    return this.#isOpen ? this.#listener.waitUntilReady?.() : undefined;
  }

  /** It cannot go on. */
  end(reason: FeedError): void {
    if (!this.#isOpen) return;
    this.leave();
    try {
      this.#listener.onEnd(reason);
    } catch {
      // It has ended already.
    }
  }

  leave(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.holder?.remove(this);
    this.#onOver();
  }
}
