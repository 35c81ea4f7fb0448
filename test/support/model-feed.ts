/** Feed over a chain of a test: it grows, is reorganised, forgets, and fails where configured. */

import { encodeQuantity } from '../../packages/ethereum/primitives/quantity.ts';
import type { BlockLog } from '../../src/chain/chain.ts';
import {
  type FeedBlock,
  type FeedChanges,
  FeedError,
  type FeedStart,
  type FeedStep,
  type LogTest,
  type NetworkFeed,
} from '../../src/feed/feed.ts';

type ModelBlock = FeedBlock & { readonly logs: readonly BlockLog[] };

/** Addresses of the logs of a new block. */
type LogPlan = readonly string[];

export class ModelFeed implements NetworkFeed {
  readonly isSynced: boolean = true;
  /** Maximum number of blocks that `read` returns. */
  maxBlocks: number = Number.POSITIVE_INFINITY;
  /** Whether each answer comes in a later turn of the event loop. */
  isSlow = false;
  /** Error of the next requests. */
  fault: Error | undefined;
  readonly pending: Set<(hashes: readonly string[]) => void> = new Set();
  hasPending = true;
  /** Number of steps whose logs were read. */
  logReads = 0;
  readonly #blocks = new Map<string, ModelBlock>();
  #made = 0;
  #head: ModelBlock;

  constructor() {
    this.#head = this.#make(undefined, []);
  }

  get head(): FeedBlock {
    return this.#head;
  }

  /** Logs of the served chain from block 0 on. */
  get logs(): readonly string[] {
    return this.#path(this.#head).flatMap(({ logs }) => logs.map(({ json }) => json));
  }

  /** Hashes of the served chain from block 0 on. */
  get hashes(): readonly string[] {
    return this.#path(this.#head).map(({ hash }) => hash);
  }

  /** Adds a block. @returns its hash */
  grow(plan: LogPlan = []): string {
    this.#head = this.#make(this.#head, plan);
    return this.#head.hash;
  }

  /** Takes blocks off the head and adds others. */
  reorganise(depth: number, plans: readonly LogPlan[]): void {
    for (let i = 0; i < depth; i++) this.#head = this.#blocks.get(this.#head.parentHash) ?? this.#head;
    for (const plan of plans) this.grow(plan);
  }

  /** Makes the block unknown. */
  forget(hash: string): void {
    this.#blocks.delete(hash);
  }

  async join(): Promise<() => void> {
    throw new Error('no caller joins it');
  }

  async read(start: FeedStart): Promise<FeedChanges> {
    await this.#pause();
    const head = this.#head;
    const last = { number: head.number, hash: head.hash };
    if (start.kind === 'head') return { steps: [], last };
    if (start.kind === 'from') throw new Error('no filter asks by number');
    let from = this.#blocks.get(start.hash);
    if (from === undefined) throw new FeedError('unknownBlock', 'unknown block');
    const served = new Set(this.hashes);
    const steps: FeedStep[] = [];
    while (!served.has(from.hash)) {
      steps.push({ kind: 'removed', block: from });
      from = this.#blocks.get(from.parentHash) as ModelBlock;
    }
    const { number } = from;
    for (const block of this.#path(head)) if (block.number > number) steps.push({ kind: 'added', block });
    if (steps.length > this.maxBlocks) throw new FeedError('tooFar', 'too far');
    return { steps, last };
  }

  async readLogs({ kind, block }: FeedStep, matches: LogTest): Promise<readonly BlockLog[]> {
    this.logReads++;
    await this.#pause();
    const logs = (this.#blocks.get(block.hash)?.logs ?? []).filter(matches);
    if (kind === 'added') return logs;
    return logs
      .map((log) => ({ ...log, json: log.json.replace('"removed":false}', '"removed":true}') }))
      .reverse();
  }

  watchPending(listener: (hashes: readonly string[]) => void): (() => void) | undefined {
    if (!this.hasPending) return undefined;
    this.pending.add(listener);
    return () => this.pending.delete(listener);
  }

  announce(...hashes: readonly string[]): void {
    for (const listener of this.pending) listener(hashes);
  }

  watchSync(): () => void {
    return () => {};
  }

  close(): void {}

  #make(parent: ModelBlock | undefined, plan: LogPlan): ModelBlock {
    const hash = `0x${(++this.#made).toString(16).padStart(64, '0')}`;
    const number = parent === undefined ? 0n : parent.number + 1n;
    const logs = plan.map((address, i) => describeLog(address, hash, number, i));
    const parentHash = parent?.hash ?? `0x${'0'.repeat(64)}`;
    const block = { number, hash, parentHash, header: '{}', logs };
    this.#blocks.set(hash, block);
    return block;
  }

  #path(head: ModelBlock): ModelBlock[] {
    const path: ModelBlock[] = [];
    for (let at: ModelBlock | undefined = head; at !== undefined; at = this.#blocks.get(at.parentHash))
      path.push(at);
    return path.reverse();
  }

  async #pause(): Promise<void> {
    if (this.fault !== undefined) throw this.fault;
    if (this.isSlow) await new Promise((resolve) => setImmediate(resolve));
  }
}

function describeLog(address: string, blockHash: string, number: bigint, index: number): BlockLog {
  const topics = [`0x${'7'.repeat(64)}`];
  const log = {
    address,
    topics,
    data: '0x',
    blockHash,
    blockNumber: encodeQuantity(number),
    transactionHash: blockHash,
    transactionIndex: '0x0',
    logIndex: encodeQuantity(BigInt(index)),
    removed: false,
  };
  return { address, topics, json: JSON.stringify(log) };
}
