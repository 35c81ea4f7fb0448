import type { CallScope } from '../chain/chain.ts';
import type { JsonResult } from '../primitives/json-result.ts';
import { encodeQuantity } from '../primitives/quantity.ts';
import { Lru } from '../util/lru.ts';
import { UpstreamFault } from './fault.ts';
import type { Block, BlockHeader } from './heads/block.ts';
import type { NetworkHead } from './heads/network-head.ts';
import { parseBlock } from './heads/parse-block.ts';
import type { Exchange, Handler, RoutedCall, Witness } from './routed-call.ts';
import type { Upstream } from './upstream.ts';

/** A block of 200 transactions takes about 20 KB here. */
const MAX_BLOCKS = 1_024;
const MAX_NUMBERS = 16_384;
/** How long the hash of a height is believed that has left the window of recent blocks. */
const NUMBER_TTL_MS = 300_000;

/** What blocks contain, asked once: their hashes, and how many transactions and uncles they have. */
export class BlockDirectory {
  readonly #ask: Handler;
  readonly #head: NetworkHead;
  readonly #blocks = new Lru<string, Block>(MAX_BLOCKS, Number.POSITIVE_INFINITY);
  readonly #hashes = new Lru<bigint, string>(MAX_NUMBERS, NUMBER_TTL_MS);

  #mergedFrom: bigint | undefined;

  constructor(ask: Handler, head: NetworkHead) {
    this.#ask = ask;
    this.#head = head;
  }

  /** The canonical hash of a height, as far as it is known without asking. */
  hashOf(number: bigint): string | undefined {
    return this.#head.hashAt(number) ?? this.#hashes.get(number);
  }

  /**
   * A block at or below the served head; null when two nodes say that there is none. The hash of a recent height is
   * known from the heads of the share; that of an older one is believed when two nodes tell the same, if there are two.
   */
  async findByNumber(number: bigint, scope: CallScope): Promise<Block | null> {
    const hash = this.hashOf(number);
    const known = hash === undefined ? undefined : this.#blocks.get(hash);
    if (known !== undefined) return known;
    const call: RoutedCall = {
      method: 'eth_getBlockByNumber',
      params: `["${encodeQuantity(number)}",false]`,
      block: { number, hash },
      nulls: 'doubt',
      isWhole: true,
      check: checkBlock((block) => block.number === number && (hash === undefined || block.hash === hash)),
      sharedAs: `block:${number}:${hash}`,
    };
    const block = hash === undefined ? await this.#agree(call, scope) : await this.#fetch({ call, scope });
    if (block !== null) this.#hashes.set(number, block.hash);
    return block;
  }

  /** What a node takes for its safe or finalized block; null when it knows none, or one that is not served. */
  async findByTag(tag: 'safe' | 'finalized', scope: CallScope): Promise<Block | null> {
    const call: RoutedCall = {
      method: 'eth_getBlockByNumber',
      params: `["${tag}",false]`,
      nulls: 'claim',
      isWhole: true,
      sharedAs: `block:${tag}`,
      check: checkBlock(() => true),
    };
    const block = await this.#fetch({ call, scope });
    const latest = this.#head.head;
    if (block === null || latest === undefined || block.number > latest.number) return null;
    const hash = this.hashOf(block.number);
    return hash === undefined || hash === block.hash ? block : null;
  }

  /** A block by its hash, canonical or not; null when there is none. */
  async findByHash(hash: string, scope: CallScope): Promise<Block | null> {
    const known = this.#blocks.get(hash);
    if (known !== undefined) return known;
    const call: RoutedCall = {
      method: 'eth_getBlockByHash',
      params: `["${hash}",false]`,
      nulls: 'claim',
      isWhole: true,
      check: checkBlock((block) => block.hash === hash),
      sharedAs: `block:${hash}`,
    };
    return this.#fetch({ call, scope });
  }

  /**
   * Whether a height is known to lie after the merge, where blocks have no uncles. All heights above one with
   * difficulty 0 do; block 0 itself is made up and says nothing.
   */
  isMergedAt(number: bigint): boolean {
    const { head } = this.#head;
    if (head !== undefined) this.#noteMerge(head);
    return this.#mergedFrom !== undefined && number >= this.#mergedFrom;
  }

  /** Forgets heights that may have other blocks now. */
  forgetNumbers(): void {
    this.#hashes.clear();
  }

  /** One question of many that are asked at the same time about the same height. */
  async #agree(call: RoutedCall, scope: CallScope): Promise<Block | null> {
    const { sharedAs: _, ...unshared } = call;
    const asked = new Set<Upstream>();
    const told: Block[] = [];
    for (;;) {
      const block = await this.#askAnother({ call: unshared, scope, except: asked }, told.length > 0);
      if (block === undefined) break;
      if (block === null || told.some(({ hash }) => hash === block.hash)) return block;
      told.push(block);
    }
    if (told.length === 1) return told[0] as Block;
    throw new UpstreamFault('wrong', 'the nodes tell different blocks of the same height');
  }

  /** Asks one that is not among `except`, and adds it there; undefined when there is none left that can answer. */
  async #askAnother(
    exchange: Exchange & { readonly except: Set<Upstream> },
    isOptional: boolean,
  ): Promise<Block | null | undefined> {
    const witness: Witness = {};
    try {
      const block = await this.#fetch({ ...exchange, witness });
      if (witness.upstream !== undefined) exchange.except.add(witness.upstream);
      return block;
    } catch (error) {
      if (isOptional && error instanceof UpstreamFault && error.kind !== 'aborted') return undefined;
      throw error;
    }
  }

  async #fetch(exchange: Exchange): Promise<Block | null> {
    const result = await this.#ask(exchange);
    if (result === 'null') return null;
    const block = parseBlock(JSON.parse(result as string));
    this.#blocks.set(block.hash, block);
    this.#noteMerge(block);
    return block;
  }

  #noteMerge({ number, difficulty }: BlockHeader): void {
    if (difficulty !== 0n || number === 0n) return;
    if (this.#mergedFrom === undefined || number < this.#mergedFrom) this.#mergedFrom = number;
  }
}

function checkBlock(isExpected: (block: Block) => boolean): (result: JsonResult) => JsonResult {
  return (result) => {
    if (!isExpected(parseBlock(JSON.parse(result as string)))) {
      throw new UpstreamFault('wrong', 'the node tells of another block than the one asked for');
    }
    return result;
  };
}
