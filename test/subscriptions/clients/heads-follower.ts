/** A subscriber of `newHeads` that applies each notification to its own chain. */
import type { ForkBlock } from '../chain/fork-chain.ts';
import { FaultCount, type Follower } from './follower.ts';

type Header = {
  readonly hash: string;
  readonly parentHash: string;
  readonly number: string;
  readonly removed?: boolean;
};
type Place = { readonly hash: string; readonly parentHash: string; readonly number: number };

/** Start of the first subscription: after a block, at a number, or unspecified. */
export type HeadsStart = 'afterHash' | 'fromBlock' | 'none';

export class HeadsFollower implements Follower {
  readonly name: string;
  received = 0;
  readonly #count = new FaultCount();
  readonly #start: HeadsStart;
  /** The block below its first one; unknown until then when the start is unspecified. */
  #base: { readonly hash: string; readonly number: number } | undefined;
  readonly #chain: Place[] = [];
  /** Hashes of `#chain`. */
  readonly #hashes = new Set<string>();
  /** Whether the subscription names its start, so that the service reports removed blocks. */
  #isNamed: boolean;

  constructor(name: string, start: HeadsStart, head: ForkBlock) {
    this.name = name;
    this.#start = start;
    this.#isNamed = start !== 'none';
    this.#base = start === 'none' ? undefined : head;
  }

  get faults(): FaultCount['faults'] {
    return this.#count.faults;
  }

  get complaints(): readonly string[] {
    return this.#count.complaints;
  }

  get params(): readonly unknown[] {
    const tip = this.#tip;
    if (tip === undefined) return ['newHeads'];
    if (this.received === 0 && this.#start === 'fromBlock')
      return ['newHeads', { fromBlock: `0x${(tip.number + 1).toString(16)}` }];
    return ['newHeads', { afterHash: tip.hash }];
  }

  accept(result: unknown): void {
    const { hash, parentHash, number: text, removed } = result as Header;
    const number = Number(text);
    this.received++;
    const tip = this.#tip;
    if (removed === true) {
      if (tip?.hash === hash && this.#chain.length > 0) this.#pop();
      else if (tip?.hash === hash) this.#base = { hash: parentHash, number: number - 1 };
      else
        this.#count.add('disordered', `${number} ${hash} is removed, the tip is ${tip?.number} ${tip?.hash}`);
      return;
    }
    this.#base ??= { hash: parentHash, number: number - 1 };
    if (parentHash !== this.#tip?.hash) this.#resolve(hash, parentHash, number);
    this.#chain.push({ hash, parentHash, number });
    this.#hashes.add(hash);
  }

  interrupt(): void {
    // A header is one notification, so everything received so far is complete.
    if (this.#tip !== undefined) this.#isNamed = true;
  }

  refuse(reason: string): void {
    this.#count.add('refused', `${reason} to ${JSON.stringify(this.params)}`);
    this.#chain.length = 0;
    this.#hashes.clear();
    this.#base = undefined;
    this.#isNamed = false;
  }

  isAt(head: ForkBlock): boolean {
    return this.#tip?.hash === head.hash;
  }

  check(head: ForkBlock): void {
    const base = this.#base;
    if (base === undefined) {
      this.#count.add('lost', 'everything');
      return;
    }
    const has = new Set(this.#hashes);
    for (let at: ForkBlock | undefined = head; at !== undefined && at.number > base.number; at = at.parent)
      if (!has.delete(at.hash)) this.#count.add('lost', `block ${at.number} ${at.hash}`);
    if (has.size > 0) this.#count.add('kept', `${has.size} blocks, such as ${[...has][0]}`, has.size);
  }

  get #tip(): { readonly hash: string; readonly number: number } | undefined {
    return this.#chain.at(-1) ?? this.#base;
  }

  /** Handles a block that does not follow the tip: after a reorg, or a fault. */
  #resolve(hash: string, parentHash: string, number: number): void {
    const tip = this.#tip;
    const at = `${number} ${hash} after ${tip?.number} ${tip?.hash}`;
    if (this.#hashes.has(hash)) this.#count.add('doubled', at);
    const isBelow = this.#hashes.has(parentHash) || this.#base?.hash === parentHash;
    if (isBelow) {
      if (this.#isNamed) this.#count.add('disordered', `${at}, none was removed`);
      while (this.#chain.length > 0 && this.#tip?.hash !== parentHash) this.#pop();
      // A subscription without a named start may begin just before a reorg.
    } else if (this.#isNamed || number > (this.#base?.number ?? 0) + 1)
      this.#count.add('disordered', `${at}, a gap`);
    else {
      while (this.#chain.length > 0) this.#pop();
      this.#base = { hash: parentHash, number: number - 1 };
    }
  }

  #pop(): void {
    const popped = this.#chain.pop();
    if (popped !== undefined) this.#hashes.delete(popped.hash);
  }
}
