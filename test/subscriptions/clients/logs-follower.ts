/**
 * A subscriber of `logs`. Each log is a separate notification, so a connection may end between two of a block. It then discards its logs of the last notified
 * block, and resumes after the block before, which is complete.
 */
import type { ChainLog, ForkBlock } from '../chain/fork-chain.ts';
import { FaultCount, type Follower } from './follower.ts';

export type Criteria = {
  readonly address?: string | readonly string[];
  readonly topics?: readonly (string | null | readonly string[])[];
};

type LogResult = {
  readonly blockHash: string;
  readonly blockNumber: string;
  readonly logIndex: string;
  readonly removed: boolean;
};
type Place = { readonly blockHash: string; readonly blockNumber: number; readonly logIndex: number };

const keyOf = ({ blockHash, logIndex }: Place): string => `${blockHash}/${logIndex}`;

export class LogsFollower implements Follower {
  readonly name: string;
  received = 0;
  readonly #count = new FaultCount();
  readonly #criteria: Criteria;
  #start: ForkBlock;
  readonly #logs: Place[] = [];
  readonly #keys = new Set<string>();
  #last: Place | undefined;
  /** The block at or below the start that is being removed, and its last removed log. */
  #leaving: { readonly block: ForkBlock; readonly place: Place } | undefined;

  /** @param start block after which it begins */
  constructor(name: string, criteria: Criteria, start: ForkBlock) {
    this.name = name;
    this.#criteria = criteria;
    this.#start = start;
  }

  get faults(): FaultCount['faults'] {
    return this.#count.faults;
  }

  get complaints(): readonly string[] {
    return this.#count.complaints;
  }

  get start(): ForkBlock {
    return this.#start;
  }

  /** A block was added: when the start is on another branch, the start moves to their common ancestor. */
  goTo(block: ForkBlock): void {
    let other: ForkBlock | undefined = block.parent;
    while (other !== undefined && other.hash !== this.#start.hash) {
      if (other.number > this.#start.number) other = other.parent;
      else if (this.#start.parent === undefined) return;
      else this.#start = this.#start.parent;
    }
  }

  get params(): readonly unknown[] {
    return ['logs', { ...this.#criteria, afterHash: this.#logs.at(-1)?.blockHash ?? this.#start.hash }];
  }

  accept(result: unknown): void {
    const { blockHash, blockNumber, logIndex, removed } = result as LogResult;
    const place = { blockHash, blockNumber: Number(blockNumber), logIndex: Number(logIndex) };
    this.received++;
    this.#last = place;
    const top = this.#logs.at(-1);
    const key = keyOf(place);
    const at = `${place.blockNumber} ${key} after ${top?.blockNumber} ${top === undefined ? '' : keyOf(top)}`;
    if (removed) {
      if (top !== undefined && keyOf(top) === key) this.#pop();
      else if (top === undefined && this.#takesBackStart(place)) return;
      else this.#count.add(this.#keys.has(key) ? 'disordered' : 'doubled', `removed: ${at}`);
      return;
    }
    if (this.#keys.has(key)) this.#count.add('doubled', at);
    else if (top !== undefined && !follows(top, place)) this.#count.add('disordered', at);
    this.#logs.push(place);
    this.#keys.add(key);
  }

  interrupt(): void {
    const last = this.#last;
    this.#last = undefined;
    while (last !== undefined && this.#logs.at(-1)?.blockHash === last.blockHash) this.#pop();
  }

  refuse(reason: string): void {
    this.#count.add('refused', `${reason} to ${JSON.stringify(this.params)}`);
    this.#logs.length = 0;
    this.#keys.clear();
  }

  isAt(head: ForkBlock): boolean {
    const expected = this.#expect(head);
    return expected.length === this.#keys.size && expected.every((log) => this.#keys.has(keyOf(log)));
  }

  check(head: ForkBlock): void {
    const has = new Set(this.#keys);
    for (const log of this.#expect(head))
      if (!has.delete(keyOf(log))) this.#count.add('lost', `${log.blockNumber} ${keyOf(log)}`);
    if (has.size > 0) this.#count.add('kept', `${has.size} logs, such as ${[...has][0]}`, has.size);
  }

  #expect(head: ForkBlock): ChainLog[] {
    const expected: ChainLog[] = [];
    let at: ForkBlock | undefined = head;
    for (; at !== undefined && at.number > this.#start.number; at = at.parent)
      expected.push(...at.logs.filter((log) => isMeant(this.#criteria, log)));
    return expected;
  }

  /** Handles removed logs from before a start whose branch left the chain: each is removed once, the last first. The start moves to the block below. */
  #takesBackStart(place: Place): boolean {
    const before = this.#leaving;
    if (before !== undefined && !follows(place, before.place)) return false;
    let block: ForkBlock | undefined = this.#start;
    if (before?.block.hash === place.blockHash) block = before.block;
    while (block !== undefined && block.number > place.blockNumber) block = block.parent;
    if (block?.parent === undefined || block.hash !== place.blockHash) return false;
    this.#leaving = { block, place };
    this.#start = block.parent;
    return true;
  }

  #pop(): void {
    const popped = this.#logs.pop();
    if (popped !== undefined) this.#keys.delete(keyOf(popped));
  }
}

function follows(before: Place, next: Place): boolean {
  if (before.blockNumber !== next.blockNumber) return before.blockNumber < next.blockNumber;
  return before.blockHash === next.blockHash && before.logIndex < next.logIndex;
}

function isMeant({ address, topics = [] }: Criteria, log: ChainLog): boolean {
  if (address !== undefined && ![address].flat().includes(log.address)) return false;
  if (topics.length > log.topics.length) return false;
  return topics.every((topic, at) => topic === null || [topic].flat().includes(log.topics[at] as string));
}
