import type { BlockLog, BlockPlace, HeadReads } from '../../src/chain/chain.ts';
import {
  FeedError,
  type FeedListener,
  type FeedStart,
  type FeedStep,
  type NetworkFeed,
} from '../../src/feed/feed.ts';
import type { RequestScope } from '../../src/util/request-scope.ts';

export type FakeJoin = {
  readonly start: FeedStart;
  readonly listener: FeedListener;
  readonly scope: RequestScope;
};

/** Feed whose events are produced by the test. */
export class FakeFeed implements NetworkFeed {
  /** All joins so far, including those that left. */
  readonly joins: FakeJoin[] = [];
  readonly joined: Set<FakeJoin> = new Set();
  readonly pendingListeners: Set<(hashes: readonly string[]) => void> = new Set();
  readonly syncListeners: Set<(isSynced: boolean) => void> = new Set();
  hasPending = true;
  isSynced = true;
  /** Each join waits for it before it is confirmed. */
  gate: Promise<void> | undefined;
  /** Error of the next join. */
  failure: FeedError | undefined;
  /** Sent to each subscriber before its join is confirmed. */
  replay: readonly FeedStep[] = [];

  async join(start: FeedStart, listener: FeedListener, scope: RequestScope): Promise<() => void> {
    const join = { start, listener, scope };
    this.joins.push(join);
    await this.gate;
    if (this.failure !== undefined) throw this.failure;
    this.joined.add(join);
    for (const step of this.replay) listener.onStep?.(step);
    return () => {
      if (!this.joined.delete(join)) throw new Error('left twice');
    };
  }

  send(step: FeedStep, logs: readonly BlockLog[] = []): void {
    for (const { listener } of [...this.joined]) {
      listener.onStep?.(step);
      if (logs.length > 0) listener.logs?.onLogs(logs, step);
    }
  }

  fail(kind: FeedError['kind']): void {
    for (const { listener } of [...this.joined]) listener.onEnd(new FeedError(kind, 'ended by the test'));
  }

  announce(hashes: readonly string[]): void {
    for (const listener of this.pendingListeners) listener(hashes);
  }

  setSynced(isSynced: boolean): void {
    this.isSynced = isSynced;
    for (const listener of this.syncListeners) listener(isSynced);
  }

  read(): Promise<never> {
    throw new Error('unexpected read');
  }

  readLogs(): Promise<never> {
    throw new Error('unexpected readLogs');
  }

  watchPending(listener: (hashes: readonly string[]) => void): (() => void) | undefined {
    if (!this.hasPending) return undefined;
    this.pendingListeners.add(listener);
    return () => this.pendingListeners.delete(listener);
  }

  watchSync(listener: (isSynced: boolean) => void): () => void {
    this.syncListeners.add(listener);
    return () => this.syncListeners.delete(listener);
  }

  close(): void {
    this.fail('closed');
  }
}

/** Heads that the test moves. */
export class FakeHeads implements HeadReads {
  served: BlockPlace | undefined;
  readonly listeners: Set<() => void> = new Set();

  constructor(number: bigint) {
    this.served = { number, hash: hashOf(Number(number)) };
  }

  moveTo(number: bigint): void {
    this.move({ number, hash: hashOf(Number(number)) });
  }

  move(head: BlockPlace | undefined): void {
    this.served = head;
    for (const listener of this.listeners) listener();
  }

  watch(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  watchPending(): undefined {
    return undefined;
  }
}

/** A step whose header has only number and hash. @param filler length of an additional member, characters */
export function makeStep(kind: FeedStep['kind'], number: number, filler = 0): FeedStep {
  const hash = hashOf(number);
  const header = JSON.stringify({ number: `0x${number.toString(16)}`, hash, extra: 'x'.repeat(filler) });
  return { kind, block: { number: BigInt(number), hash, parentHash: hashOf(number - 1), header } };
}

export function makeLog(number: number, isRemoved = false): BlockLog {
  const address = `0x${'ab'.repeat(20)}`;
  return {
    address,
    topics: [],
    json: JSON.stringify({ address, topics: [], blockHash: hashOf(number), removed: isRemoved }),
  };
}

export function hashOf(number: number): string {
  return `0x${number.toString(16).padStart(64, '0')}`;
}
