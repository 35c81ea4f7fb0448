import type { JsonResult } from '../primitives/json-result.ts';
import { parseJsonText } from '../primitives/parse-json.ts';
import type { PromiseOrValue } from '../primitives/promise-or-value.ts';
import { encodeQuantity } from '../primitives/quantity.ts';
import { BLOCK_LIFE, Lru } from '../util/lru.ts';
import { RequestScope } from '../util/request-scope.ts';
import type { AgreedLinks } from './agreement/agreed-links.ts';
import { UpstreamFault } from './fault.ts';
import type { Block, BlockHeader } from './heads/block.ts';
import type { NetworkHead } from './heads/network-head.ts';
import { parseBlock } from './heads/parse-block.ts';
import { parseText } from './parse-text.ts';
import { ReportedBlocks } from './reported-blocks.ts';
import {
  ABSENCE_UNVERIFIED,
  type Absence,
  type Ask,
  type Exchange,
  type NullMeaning,
  type RoutedCall,
  type Witness,
} from './routed-call.ts';
import type { Upstream } from './upstream.ts';
import type { CheckpointLinks } from './verifying/checkpoint-links.ts';
import type { JudgedBlock } from './verifying/verifier.ts';

/** Bytes of all blocks that are held: a header with its bloom, and a hash. Data beside them counts as long as it is. */
const MAX_BYTES = 20_000_000;
const HEADER_BYTES = 1_600;
const HASH_BYTES = 100;
const MAX_NUMBERS = 16_384;
/** Blocks that left the chain and are remembered. */
const MAX_DEPARTED = 4_096;
const TAG_WITNESSES = 3;
const AGREE_LIMIT_MS = 10_000;
/** How long the hash of a height is believed that has left the window of recent blocks. */
const NUMBER_TTL_MS = 300_000;

/** Blocks of a range that are asked for at the same time: calls of one turn travel as items of one batch. */
const RANGE_STEP = 32;

/** What is proven of blocks. */
export interface BlockProofs {
  /** Compares a block with its hash. @throws UpstreamFault where the answer is wrong */
  check(block: JudgedBlock, result: JsonResult, upstream: Upstream | undefined): JsonResult;
  /** A node gave another block of a height than this one. */
  noteOther(block: JudgedBlock, upstream: Upstream | undefined): void;
  /** A block that was recomputed to its hash, where it is remembered. */
  findHeader(hash: string): { readonly number: bigint } | undefined;
  /** What a checkpoint or layer 1 says of heights, where one is configured. */
  readonly links?: CheckpointLinks | undefined;
  /** What the state of an agreed head says of older heights; absent without agreement. */
  readonly agreed?: AgreedLinks | undefined;
  readonly absence: Absence;
  /** How many operators have to tell the hash of an old height; absent where two nodes are enough. */
  readonly voices?: { readonly needed: number } | undefined;
}

const NOTHING_PROVEN: BlockProofs = {
  check: (_, result) => result,
  noteOther: () => {},
  findHeader: () => undefined,
  absence: ABSENCE_UNVERIFIED,
};

/** What blocks contain, asked once: their hashes, and how many transactions and uncles they have. */
export class BlockDirectory {
  readonly #ask: Ask;
  readonly #head: NetworkHead;
  readonly #blocks = new Lru<string, Block>(MAX_BYTES, BLOCK_LIFE, undefined, weighBlock);
  readonly #findReported: (hash: string) => bigint | undefined;
  /** Hashes of blocks that were served and are not on the chain any more. */
  readonly #departed = new Lru<string, true>(MAX_DEPARTED, Number.POSITIVE_INFINITY);
  readonly #hashes = new Lru<bigint, string>(MAX_NUMBERS, NUMBER_TTL_MS);
  /** Hashes of old heights that two nodes, or as many operators as agreement demands, have told. */
  readonly #witnessed = new Lru<string, true>(MAX_NUMBERS, NUMBER_TTL_MS);
  readonly #proofs: BlockProofs;
  /** Heights that are being asked for, since the last reorg, by their parameters. */
  readonly #agreeing = new Map<string, Promise<Block | null>>();
  #mergedFrom: bigint | undefined;
  /** Counts reorgs: what was asked before the last one says nothing about heights. */
  #epoch = 0;

  /**
   * @param findReported number of a block by its hash, where some node has reported it, served or not
   */
  constructor(
    ask: Ask,
    head: NetworkHead,
    findReported: (hash: string) => bigint | undefined = () => undefined,
    proofs: BlockProofs = NOTHING_PROVEN,
  ) {
    this.#proofs = proofs;
    this.#ask = ask;
    this.#head = head;
    this.#findReported = findReported;
  }

  /**
   * Which nodes are asked for a block by its hash, or for what is in it, and what a null means then. Of a block that is known to exist, those that have it,
   * and a null is a node's fault; one that left the chain may be anywhere.
   * @param otherwise what a null means for a block of which nothing is known
   */
  route(
    hash: string,
    otherwise: NullMeaning = this.#proofs.absence.byHash,
  ): Pick<RoutedCall, 'block' | 'nulls'> {
    const proven = this.#proofs.findHeader(hash)?.number;
    const isServed = proven !== undefined && this.hashOf(proven) === hash;
    const number = this.#head.numberOf(hash) ?? this.#findReported(hash) ?? (isServed ? proven : undefined);
    if (number !== undefined) return { block: { number, hash }, nulls: 'fault' };
    const exists = proven !== undefined || this.#departed.get(hash) === true;
    return { nulls: otherwise === 'claim' && exists ? 'search' : otherwise };
  }

  /** Whether a block was served and left the chain; it may have come back. */
  hasDeparted(hash: string): boolean {
    return this.#departed.get(hash) === true;
  }

  /** The canonical hash of a height, as far as it is known without asking. */
  hashOf(number: bigint): string | undefined {
    return this.#proofs.links?.hashAt(number) ?? this.#findServed(number);
  }

  #findServed(number: bigint): string | undefined {
    return this.#head.hashAt(number) ?? this.#proofs.agreed?.hashAt(number) ?? this.#hashes.get(number);
  }

  /** Header of a canonical block, where it is known without asking: of a recent one, and of the safe and finalized blocks. */
  headerOf(number: bigint): BlockHeader | undefined {
    const { safe, finalized } = this.#head;
    return this.#head.headerAt(number) ?? [safe, finalized].find((header) => header?.number === number);
  }

  /**
   * A block at or below the served head; null when two nodes say that there is none. The hash of a recent height is
   * known from the heads of the share; that of an older one is believed when two nodes tell the same, if there are two.
   */
  findByNumber(number: bigint, scope: RequestScope): PromiseOrValue<Block | null> {
    const hash = this.hashOf(number);
    const known = hash === undefined ? undefined : this.#blocks.get(hash);
    return known ?? this.#askByNumber(number, hash, scope);
  }

  async #askByNumber(number: bigint, known: string | undefined, scope: RequestScope): Promise<Block | null> {
    const epoch = this.#epoch;
    const { links, agreed } = this.#proofs;
    const isOpen = known === undefined && (links ?? agreed) !== undefined;
    const hash = isOpen ? ((await links?.findHash(number)) ?? (await agreed?.findHash(number))) : known;
    const call = this.#aboutNumber(number, hash);
    const block = await (hash === undefined ? this.#agreeOnce(call) : this.#fetch({ call, scope }));
    if (block !== null && epoch === this.#epoch) this.#hashes.set(number, block.hash);
    return block;
  }

  /**
   * The blocks of a range, each the parent of the next one, up to the one that is served at its end. @param last at most the served head
   * @throws UpstreamFault where the nodes lack one
   */
  async listRange(first: bigint, last: bigint, scope: RequestScope): Promise<readonly Block[]> {
    const epoch = this.#epoch;
    let child = present(await this.findByNumber(last, scope));
    const blocks: Block[] = [child];
    while (child.number > first) {
      const count = Math.min(RANGE_STEP, Number(child.number - first));
      const below = child.number - 1n;
      const told = await Promise.all(
        Array.from({ length: count }, (_, back) => this.#askOneByNumber(below - BigInt(back), scope)),
      );
      for (const block of told) {
        const { parentHash } = child;
        child =
          block?.hash === parentHash ? block : present(await this.findByHash(parentHash, scope, 'fault'));
        blocks.push(child);
        if (epoch === this.#epoch) this.#hashes.set(child.number, child.hash);
      }
    }
    return blocks.reverse();
  }

  /** The block of a height by the word of one node: the caller has to check that it is the served one. */
  #askOneByNumber(number: bigint, scope: RequestScope): PromiseOrValue<Block | null> {
    const hash = this.hashOf(number);
    return (
      (hash === undefined ? undefined : this.#blocks.get(hash)) ??
      this.#fetch({ call: this.#aboutNumber(number, hash), scope })
    );
  }

  #aboutNumber(number: bigint, hash: string | undefined): RoutedCall {
    return {
      method: 'eth_getBlockByNumber',
      params: `["${encodeQuantity(number)}",false]`,
      block: { number, hash },
      nulls: hash === undefined ? this.#proofs.absence.byHeight : this.#proofs.absence.known,
      isText: true,
      check: this.#check(
        (block) => block.number === number && (hash === undefined || block.hash === hash),
        hash === undefined ? undefined : { number, hash },
      ),
      sharedAs: `block:${number}:${hash}`,
    };
  }

  /** What the nodes take for their safe or finalized block, the middle of three; null when they know none. */
  async findByTag(tag: 'safe' | 'finalized', scope: RequestScope): Promise<Block | null> {
    const call: RoutedCall = {
      method: 'eth_getBlockByNumber',
      params: `["${tag}",false]`,
      needsVote: true,
      nulls: 'truth',
      isText: true,
      check: this.#check(() => true),
    };
    const asked = new Set<Upstream>();
    const told: (Block | null)[] = [];
    while (told.length < TAG_WITNESSES) {
      const block = await this.#askAnother({ call, scope, except: asked }, told.length > 0);
      if (block === undefined) break;
      told.push(block);
    }
    told.sort((a, b) => Number((a?.number ?? -1n) - (b?.number ?? -1n)));
    const block = told[(told.length - 1) >> 1] ?? null;
    const latest = this.#head.head;
    if (block === null || latest === undefined || block.number > latest.number) return null;
    const hash = this.hashOf(block.number);
    return hash === undefined || hash === block.hash ? block : null;
  }

  /** A block by its hash, canonical or not, where it is known without asking. */
  findKnown(hash: string): Block | undefined {
    return this.#blocks.get(hash);
  }

  /**
   * A block by its hash, canonical or not; null when there is none.
   * @param nulls what a null means where nothing is known of the block
   */
  findByHash(hash: string, scope: RequestScope, nulls?: NullMeaning): PromiseOrValue<Block | null> {
    const known = this.#blocks.get(hash);
    if (known !== undefined) return known;
    const call: RoutedCall = {
      method: 'eth_getBlockByHash',
      params: `["${hash}",false]`,
      ...this.route(hash, nulls),
      isBound: true,
      isText: true,
      check: this.#check((block) => block.hash === hash),
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

  /** Forgets everything: the network is another chain from now on. */
  forgetChain(): void {
    this.forgetNumbers();
    this.#blocks.clear();
    this.#witnessed.clear();
    this.#proofs.agreed?.forgetChain();
    this.#mergedFrom = undefined;
  }

  /** Whether two nodes, or as many operators as agreement demands, have told the hash of its height. */
  isWitnessed(hash: string): boolean {
    return this.#witnessed.get(hash) === true;
  }

  /** Changes when heights may have other blocks than before; that of a height is also forgotten without that. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Blocks left the chain: heights may have other ones now. */
  noteDeparture(hashes: readonly string[]): void {
    for (const hash of hashes) this.#departed.set(hash, true);
    this.#proofs.agreed?.noteDeparture(hashes.length);
    this.forgetNumbers();
  }

  /** Forgets heights that may have other blocks now. */
  forgetNumbers(): void {
    this.#hashes.clear();
    this.#agreeing.clear();
    this.#epoch++;
  }

  /** Asked once for all callers that want to know the same height at the same time, whichever of them goes away. */
  #agreeOnce(call: RoutedCall): Promise<Block | null> {
    const under = this.#agreeing.get(call.params);
    if (under !== undefined) return under;
    const scope = new RequestScope(performance.now() + AGREE_LIMIT_MS);
    const agreement = this.#agree(call, scope).finally(() => {
      if (this.#agreeing.get(call.params) === agreement) this.#agreeing.delete(call.params);
    });
    this.#agreeing.set(call.params, agreement);
    return agreement;
  }

  async #agree(call: RoutedCall, scope: RequestScope): Promise<Block | null> {
    const { sharedAs: _, ...unshared } = call;
    const asked = new Set<Upstream>();
    const { voices } = this.#proofs;
    const told = new ReportedBlocks();
    for (;;) {
      const before = asked.size;
      const block = await this.#askAnother({ call: unshared, scope, except: asked }, told.size > 0);
      if (block === undefined) break;
      if (block === null || asked.size === before) return block;
      const node = [...asked].at(-1) as Upstream;
      const isEnough = told.add(block, voices === undefined ? node : node.operator) >= (voices?.needed ?? 2);
      if (!isEnough) continue;
      this.#witnessed.set(block.hash, true);
      return block;
    }
    const only = told.only;
    if (only !== undefined) return only;
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

  /** @param isExpected whether a block is the one that was asked for @param named the block of the height that was asked for, where it is known */
  #check(
    isExpected: (block: Block) => boolean,
    named?: JudgedBlock,
  ): (result: JsonResult, upstream?: Upstream) => JsonResult {
    return (result, upstream) => {
      const block = parseBlock(parseJsonText(result as string));
      if (!isExpected(block)) {
        if (named !== undefined) this.#proofs.noteOther(named, upstream);
        throw new UpstreamFault('wrong', 'the node tells of another block than the one asked for');
      }
      return this.#proofs.check(block, result, upstream);
    };
  }

  async #fetch(exchange: Exchange): Promise<Block | null> {
    const result = await this.#ask(exchange);
    if (result === 'null') return null;
    const block = parseBlock(await parseText(result as string, exchange.scope));
    this.#blocks.set(block.hash, block);
    this.#noteMerge(block);
    return block;
  }

  #noteMerge({ number, difficulty }: BlockHeader): void {
    if (difficulty !== 0n || number === 0n) return;
    if (this.#mergedFrom === undefined || number < this.#mergedFrom) this.#mergedFrom = number;
  }
}

function weighBlock({ transactionHashes, uncleHashes, extraData }: Block): number {
  return HEADER_BYTES + HASH_BYTES * (transactionHashes.length + uncleHashes.length) + extraData.length;
}

function present(block: Block | null): Block {
  if (block === null) throw new UpstreamFault('missing', 'the nodes do not have a block of the chain');
  return block;
}
