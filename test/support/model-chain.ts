import type { PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type { BlockLog, BlockPlace, Chain, LogReads } from '../../src/chain/chain.ts';
import type { BlockReference } from '../../src/chain/requests.ts';
import { createFakeChain } from './fake-chain.ts';

export type ModelBlock = {
  readonly number: bigint;
  readonly hash: string;
  readonly parentHash: string;
  readonly header: string;
  readonly logs: readonly BlockLog[];
};

/** Purpose of a read. */
export type ModelRead = { readonly kind: 'header' | 'logs'; readonly block: BlockReference };

const HASH_DIGITS = 64;
const ADDRESS_DIGITS = 40;

/** Address of a contract by its number. */
export function modelAddress(contract: number): string {
  return `0x${contract.toString(16).padStart(ADDRESS_DIGITS, '0')}`;
}

/** Topic by its number. */
export function modelTopic(topic: number): string {
  return `0x${topic.toString(16).padStart(HASH_DIGITS, '0')}`;
}

/**
 * A chain that a test grows and reorganises: all blocks that ever existed, of which the served ones are the chain. All reads pass through
 * `answer`, which may fail, be late, or return something else.
 */
export class ModelChain {
  readonly #blocks: Map<string, ModelBlock>;
  readonly #listeners = new Set<() => void>();
  readonly #pending = new Set<(hashes: readonly string[]) => void>();
  /** Served blocks, lowest first. */
  served: ModelBlock[] = [];
  isServed = true;
  /** Whether removed blocks are still answered. */
  keepsRemoved = true;
  /** Reads so far, by purpose. */
  readonly reads: ModelRead[] = [];
  /** Derives the answer of a read from the correct one. */
  answer: <T>(right: () => T, read: ModelRead) => PromiseOrValue<T> = (right) => right();
  #made = 0;

  /** @param of a chain whose blocks are shared while others of them are served: the chain as another process sees it */
  constructor(length: number, of?: ModelChain) {
    this.#blocks = of === undefined ? new Map() : of.#blocks;
    this.served = of === undefined ? [] : [...of.served];
    for (let number = 0; number < length; number++) this.#add();
  }

  get head(): ModelBlock {
    return this.served.at(-1) as ModelBlock;
  }

  /** Number of watchers of the head. */
  get watchers(): number {
    return this.#listeners.size;
  }

  get pendingWatchers(): number {
    return this.#pending.size;
  }

  find(hash: string): ModelBlock | undefined {
    return this.#blocks.get(hash);
  }

  /** All blocks that ever existed. */
  get all(): readonly ModelBlock[] {
    return [...this.#blocks.values()];
  }

  /** Blocks from block 0 to this one. */
  listAncestors(hash: string): ModelBlock[] {
    const blocks: ModelBlock[] = [];
    for (let block = this.find(hash); block !== undefined; block = this.find(block.parentHash))
      blocks.unshift(block);
    return blocks;
  }

  grow(count: number): this {
    for (let added = 0; added < count; added++) this.#add();
    return this;
  }

  /** Removes blocks from the head and adds others. Block 0 stays. */
  reorganise(removed: number, added: number): this {
    this.served = this.served.slice(0, Math.max(1, this.served.length - removed));
    return this.grow(added);
  }

  /** Whether the block is on the served chain. */
  serves(hash: string): boolean {
    const block = this.find(hash);
    return block !== undefined && this.served[Number(block.number)] === block;
  }

  /** Serves the chain that ends with this block. */
  serve(hash: string): this {
    this.served = this.listAncestors(hash);
    return this;
  }

  /** Notifies the watchers. */
  announce(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  announcePending(hashes: readonly string[]): void {
    for (const listener of [...this.#pending]) listener(hashes);
  }

  /** The chain as its readers see it. */
  readonly chain: Chain = createFakeChain({
    heads: this.#createHeads(),
    blocks: {
      getHeaderObject: (block) =>
        this.#read({ kind: 'header', block }, () => this.#find(block)?.header ?? null),
      findHeaderObject: (hash) => {
        const block: BlockReference = { kind: 'hash', hash, requireCanonical: false };
        return this.#read({ kind: 'header', block }, () => this.#find(block)?.header ?? null);
      },
    },
    logs: { getBlockLogs: (hash) => this.#readLogs(hash) } satisfies Pick<LogReads, 'getBlockLogs'>,
  });

  #createHeads(): Chain['heads'] {
    const chain = this;
    return {
      explainAbsence: () => 'no head is served',
      get served(): BlockPlace | undefined {
        return chain.isServed ? { number: chain.head.number, hash: chain.head.hash } : undefined;
      },
      watch(listener) {
        const entry = (): void => listener();
        chain.#listeners.add(entry);
        return () => chain.#listeners.delete(entry);
      },
      watchPending(listener) {
        chain.#pending.add(listener);
        return () => chain.#pending.delete(listener);
      },
    };
  }

  #readLogs(hash: string): PromiseOrValue<readonly BlockLog[] | null> {
    const block: BlockReference = { kind: 'hash', hash, requireCanonical: false };
    return this.#read({ kind: 'logs', block }, () => this.#find(block)?.logs ?? null);
  }

  #read<T>(read: ModelRead, right: () => T): PromiseOrValue<T> {
    this.reads.push(read);
    return this.answer(right, read);
  }

  #find(block: BlockReference): ModelBlock | undefined {
    if (block.kind === 'number') return this.served[Number(block.number)];
    if (block.kind === 'tag') return this.head;
    const found = this.#blocks.get(block.hash);
    if (found === undefined || this.keepsRemoved) return found;
    return this.served[Number(found.number)] === found ? found : undefined;
  }

  #add(): void {
    const parent = this.served.at(-1);
    const number = BigInt(this.served.length);
    const made = ++this.#made;
    const hash = `0xb${made.toString(16).padStart(HASH_DIGITS - 1, '0')}`;
    const parentHash = parent?.hash ?? modelTopic(0);
    const header = JSON.stringify({ number: `0x${number.toString(16)}`, hash, parentHash });
    const block = { number, hash, parentHash, header, logs: makeLogs(hash, number, made) };
    this.#blocks.set(hash, block);
    this.served.push(block);
  }
}

/** Up to four logs, of three contracts and three events. */
function makeLogs(blockHash: string, blockNumber: bigint, seed: number): BlockLog[] {
  return Array.from({ length: seed % 5 }, (_, logIndex) => {
    const address = modelAddress((seed + logIndex) % 3);
    const topics = [modelTopic((seed * 7 + logIndex) % 3), modelTopic(seed % 4)].slice(
      0,
      (seed + logIndex) % 3,
    );
    const members = {
      address,
      topics,
      data: '0x',
      blockHash,
      blockNumber: `0x${blockNumber.toString(16)}`,
      transactionHash: modelTopic(seed),
      transactionIndex: '0x0',
      logIndex: `0x${logIndex.toString(16)}`,
    };
    return { address, topics, json: JSON.stringify({ ...members, removed: false }) };
  });
}
