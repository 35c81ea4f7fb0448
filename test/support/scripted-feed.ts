import type { BlockHeader, ReportedBlock } from '../../src/pool/heads/block.ts';
import type { HeadFeed, SyncClaim } from '../../src/pool/heads/head-feed.ts';
import type { Clock } from '../../src/util/clock.ts';
import type { TestChain } from './block-tree.ts';

type Wanted = Parameters<HeadFeed['getBlock']>[0];
type HeadWatcher = Parameters<NonNullable<HeadFeed['watch']>>[0];

/** An upstream that answers from a chain, or as a test scripts it. */
export class ScriptedFeed implements HeadFeed {
  chain: TestChain;
  /** Error of every request. */
  fault: Error | undefined;
  /** Answers for the tags; a number is a block of the chain. */
  safe: number | null | Error = null;
  finalized: number | null | Error = null;
  readonly requested: { readonly block: Wanted; readonly at: number }[] = [];
  /** Reported sync status, where it is requested. */
  sync: SyncClaim | Error;
  readonly getSync?: NonNullable<HeadFeed['getSync']>;
  readonly watch?: NonNullable<HeadFeed['watch']>;
  readonly watchers: Set<HeadWatcher> = new Set();
  readonly #clock: Clock;
  #reserved: (() => void)[] | undefined;

  constructor(
    clock: Clock,
    chain: TestChain,
    { announces = false, syncs = false }: { readonly announces?: boolean; readonly syncs?: boolean } = {},
  ) {
    this.#clock = clock;
    this.chain = chain;
    if (syncs) {
      this.getSync = async () => {
        if (this.sync instanceof Error) throw this.sync;
        return this.sync;
      };
    }
    if (!announces) return;
    this.watch = (watcher) => {
      this.watchers.add(watcher);
      return () => this.watchers.delete(watcher);
    };
  }

  async getBlock(block: Wanted): Promise<ReportedBlock | null> {
    this.requested.push({ block, at: this.#clock.now() });
    const answer = this.#find(block);
    if (this.#reserved !== undefined) await new Promise<void>((resolve) => this.#reserved?.push(resolve));
    if (answer instanceof Error) throw answer;
    return answer;
  }

  /** From now on answers are computed at once, but delivered on `release`. */
  hold(): void {
    this.#reserved ??= [];
  }

  release(): void {
    const reserved = this.#reserved ?? [];
    this.#reserved = undefined;
    for (const resolve of reserved) resolve();
  }

  announce(header: BlockHeader = this.chain.tip): void {
    for (const watcher of this.watchers) watcher.onHeader(header);
  }

  lose(): void {
    for (const watcher of this.watchers) watcher.onLost();
  }

  ready(): void {
    for (const watcher of this.watchers) watcher.onReady();
  }

  /** Times at which a block was requested, clock milliseconds. */
  timesOf(block: Wanted): number[] {
    return this.requested.filter((request) => request.block === block).map(({ at }) => at);
  }

  /** Blocks requested by number. */
  get numbersAsked(): bigint[] {
    return this.requested.map(({ block }) => block).filter((block) => typeof block === 'bigint');
  }

  #find(block: Wanted): ReportedBlock | null | Error {
    if (this.fault !== undefined) return this.fault;
    if (block === 'latest') return this.chain.tip;
    if (typeof block === 'bigint') return this.chain.blocks[Number(block)] ?? null;
    const mark = this[block];
    return typeof mark === 'number' ? this.chain.at(mark) : mark;
  }
}
