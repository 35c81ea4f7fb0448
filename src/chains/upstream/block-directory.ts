import type { JsonResult } from '../../../packages/ethereum/primitives/json-result.ts';
import { parseJsonText } from '../../../packages/ethereum/primitives/parse-json.ts';
import type { PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';
import { encodeQuantity } from '../../../packages/ethereum/primitives/quantity.ts';
import { UpstreamFault } from '../../pool/fault.ts';
import type { BlockHeader, ReportedBlock } from '../../pool/heads/block.ts';
import type { NetworkHead } from '../../pool/heads/network-head.ts';
import { parseBlock } from '../../pool/heads/parse-block.ts';
import { parseText } from '../../pool/parse-text.ts';
import type { Upstream } from '../../pool/upstream.ts';
import {
  ABSENCE_UNVERIFIED,
  type Absence,
  type AnsweredBy,
  type NullMeaning,
  type RequestContext,
  type Send,
  type UpstreamRequest,
} from '../../pool/upstream-request.ts';
import { BLOCK_LIFE, Lru } from '../../util/lru.ts';
import { RequestScope } from '../../util/request-scope.ts';
import type { AgreedLinks } from './agreement/agreed-links.ts';
import { ConfirmedHashes, OLD_HASH_TTL_MS } from './confirmed-hashes.ts';
import { ReportedBlocks } from './reported-blocks.ts';
import type { Anchor } from './verifying/trust.ts';
import type { VerificationTarget } from './verifying/verifier.ts';

/**
 * Limit on the size of all cached blocks, bytes. In this limit, a block counts `HEADER_BYTES` for the header with bloom, `HASH_BYTES` per hash, and
 * the bytes of its extra data.
 */
const MAX_BYTES = 20_000_000;
const HEADER_BYTES = 1_600;
const HASH_BYTES = 100;
const MAX_NUMBERS = 16_384;
/** Maximum number of stored hashes of blocks that a reorg has removed. */
const MAX_DEPARTED = 4_096;
const TAG_CONFIRMATIONS = 3;
const AGREE_LIMIT_MS = 10_000;

/** Number of blocks of a range that are requested concurrently; they are sent as one batch. */
const RANGE_STEP = 32;

/** Verifies blocks, and finds verified hashes by height. */
export interface BlockProofs {
  /** Verifies a block against its hash. @throws UpstreamFault if the answer is wrong */
  check(block: VerificationTarget, result: JsonResult, upstream: Upstream | undefined): JsonResult;
  /** Records that a node has sent a different block at the height of `block`. */
  noteOther(block: VerificationTarget, upstream: Upstream | undefined): void;
  /** Returns a cached header whose hash was recomputed; undefined if there is none. */
  findHeader(hash: string): { readonly number: bigint } | undefined;
  /** The checkpoint or the layer 1 anchor to which heights are linked, if one is configured. */
  readonly anchor?: Pick<Anchor, 'links'> | undefined;
  /** Hashes of older heights, read from the state of an agreed head; absent without agreement. */
  readonly agreed?: AgreedLinks | undefined;
  readonly absence: Absence;
  /** Number of operators that must report the hash of an old height; if absent, two operators suffice. */
  readonly voices?: { readonly needed: number } | undefined;
}

const NOTHING_VERIFIED: BlockProofs = {
  check: (_, result) => result,
  noteOther: () => {},
  findHeader: () => undefined,
  absence: ABSENCE_UNVERIFIED,
};

/** Requests and caches block headers with transaction and uncle hashes. A block is requested once while it is cached. */
export class BlockDirectory {
  readonly #ask: Send;
  readonly #head: NetworkHead;
  readonly #blocks = new Lru<string, ReportedBlock>(MAX_BYTES, BLOCK_LIFE, undefined, weighBlock);
  readonly #findReported: (hash: string) => bigint | undefined;
  /** Hashes of blocks that were served before a reorg removed them. */
  readonly #departed = new Lru<string, true>(MAX_DEPARTED, Number.POSITIVE_INFINITY);
  readonly #hashes = new Lru<bigint, string>(MAX_NUMBERS, OLD_HASH_TTL_MS);
  readonly #confirmed: ConfirmedHashes;
  readonly #proofs: BlockProofs;
  /** In-flight requests for blocks by height, by their parameters. All of them were sent after the last reorg. */
  readonly #agreeing = new Map<string, Promise<ReportedBlock | null>>();
  #mergedFrom: bigint | undefined;
  /** Number of reorgs. If a request was sent before the last reorg, its answer is not cached by height. */
  #epoch = 0;

  /**
   * @param findReported returns the number of a block by its hash if any node has reported the block, even above the served head
   * @param confirmed set to which confirmed hashes are added
   */
  constructor(
    ask: Send,
    head: NetworkHead,
    findReported: (hash: string) => bigint | undefined = () => undefined,
    proofs: BlockProofs = NOTHING_VERIFIED,
    confirmed: ConfirmedHashes = new ConfirmedHashes(),
  ) {
    this.#confirmed = confirmed;
    this.#proofs = proofs;
    this.#ask = ask;
    this.#head = head;
    this.#findReported = findReported;
  }

  /**
   * Selects the nodes that receive a request for a block by hash or for its contents, and the meaning of a null. If nodes have reported the block,
   * only these nodes receive the request, and a null is a fault. A block that a reorg has removed may be requested from any node, because each of
   * them may have it.
   * @param otherwise meaning of a null for an unknown block
   */
  route(
    hash: string,
    otherwise: NullMeaning = this.#proofs.absence.byHash,
  ): Pick<UpstreamRequest, 'block' | 'nulls'> {
    const proven = this.#proofs.findHeader(hash)?.number;
    const isServed = proven !== undefined && this.hashOf(proven) === hash;
    const number = this.#head.numberOf(hash) ?? this.#findReported(hash) ?? (isServed ? proven : undefined);
    if (number !== undefined) return { block: { number, hash }, nulls: 'fault' };
    const exists = proven !== undefined || this.#departed.get(hash) === true;
    return { nulls: otherwise === 'claim' && exists ? 'search' : otherwise };
  }

  /** Returns whether a block was served and later removed by a reorg; another reorg may have made it canonical again. */
  hasDeparted(hash: string): boolean {
    return this.#departed.get(hash) === true;
  }

  /** Returns the canonical hash at a height if it is known without a request. */
  hashOf(number: bigint): string | undefined {
    return this.#proofs.anchor?.links?.hashAt(number) ?? this.#findServed(number);
  }

  #findServed(number: bigint): string | undefined {
    return this.#head.hashAt(number) ?? this.#proofs.agreed?.hashAt(number) ?? this.#hashes.get(number);
  }

  /** Returns the header of a canonical block if it is known without a request: a recent block, or the safe or finalized block. */
  headerOf(number: bigint): BlockHeader | undefined {
    const { safe, finalized } = this.#head;
    return this.#head.headerAt(number) ?? [safe, finalized].find((header) => header?.number === number);
  }

  /**
   * Returns the block at a height up to the served head; null if two nodes report that there is none. Reported heads determine the hash at a recent
   * height. At an older height, two nodes must report the same hash, if the network has two.
   */
  findByNumber(number: bigint, scope: RequestScope): PromiseOrValue<ReportedBlock | null> {
    const hash = this.hashOf(number);
    const known = hash === undefined ? undefined : this.#blocks.get(hash);
    return known ?? this.#requestByNumber(number, hash, scope);
  }

  async #requestByNumber(
    number: bigint,
    known: string | undefined,
    scope: RequestScope,
  ): Promise<ReportedBlock | null> {
    const epoch = this.#epoch;
    const { anchor, agreed } = this.#proofs;
    const links = anchor?.links;
    const isOpen = known === undefined && (links ?? agreed) !== undefined;
    const hash = isOpen ? ((await links?.findHash(number)) ?? (await agreed?.findHash(number))) : known;
    const call = this.#aboutNumber(number, hash);
    const block = await (hash === undefined ? this.#agreeOnce(call) : this.#fetch({ call, scope }));
    if (block !== null && epoch === this.#epoch) this.#hashes.set(number, block.hash);
    return block;
  }

  /**
   * Returns the canonical blocks of a range in ascending order; each block is the parent of the next.
   * @param last number of the last block, at most the served head
   * @throws UpstreamFault if the nodes lack a block
   */
  async listRange(first: bigint, last: bigint, scope: RequestScope): Promise<readonly ReportedBlock[]> {
    const epoch = this.#epoch;
    let child = present(await this.findByNumber(last, scope));
    const blocks: ReportedBlock[] = [child];
    while (child.number > first) {
      const count = Math.min(RANGE_STEP, Number(child.number - first));
      const below = child.number - 1n;
      const told = await Promise.all(
        Array.from({ length: count }, (_, back) => this.#requestOneByNumber(below - BigInt(back), scope)),
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

  /** Returns the block at a height as one node reports it. The caller must check that the block is canonical. */
  #requestOneByNumber(number: bigint, scope: RequestScope): PromiseOrValue<ReportedBlock | null> {
    const hash = this.hashOf(number);
    return (
      (hash === undefined ? undefined : this.#blocks.get(hash)) ??
      this.#fetch({ call: this.#aboutNumber(number, hash), scope })
    );
  }

  #aboutNumber(number: bigint, hash: string | undefined): UpstreamRequest {
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

  /**
   * Requests the safe or finalized block from up to three nodes, and returns the block with the median number. Returns null if the median answer is
   * null, or if the returned block is not canonical.
   */
  async findByTag(tag: 'safe' | 'finalized', scope: RequestScope): Promise<ReportedBlock | null> {
    const call: UpstreamRequest = {
      method: 'eth_getBlockByNumber',
      params: `["${tag}",false]`,
      needsVote: true,
      nulls: 'truth',
      isText: true,
      check: this.#check(() => true),
    };
    const requested = new Set<Upstream>();
    const told: (ReportedBlock | null)[] = [];
    while (told.length < TAG_CONFIRMATIONS) {
      const block = await this.#requestFromAnother({ call, scope, except: requested }, told.length > 0);
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

  /** Returns a cached block by its hash, canonical or not. */
  findKnown(hash: string): ReportedBlock | undefined {
    return this.#blocks.get(hash);
  }

  /**
   * Returns a block by its hash, canonical or not; null if the block does not exist.
   * @param nulls meaning of a null for an unknown block
   */
  findByHash(hash: string, scope: RequestScope, nulls?: NullMeaning): PromiseOrValue<ReportedBlock | null> {
    const known = this.#blocks.get(hash);
    if (known !== undefined) return known;
    const call: UpstreamRequest = {
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
   * Returns whether a height is known to be after the merge, because a block with difficulty 0 is at or below the height. Blocks after the merge have
   * no uncles. Block 0 does not count, because its difficulty is arbitrary.
   */
  isMergedAt(number: bigint): boolean {
    const { head } = this.#head;
    if (head !== undefined) this.#noteMerge(head);
    return this.#mergedFrom !== undefined && number >= this.#mergedFrom;
  }

  /** Clears all caches; called when the network becomes a different chain. */
  forgetChain(): void {
    this.forgetNumbers();
    this.#blocks.clear();
    this.#confirmed.clear();
    this.#proofs.agreed?.forgetChain();
    this.#mergedFrom = undefined;
  }

  /**
   * Number that increases whenever a reorg may have changed the blocks at some heights. The cached hash of a single height may also expire while this
   * number stays the same.
   */
  get epoch(): number {
    return this.#epoch;
  }

  /** Records blocks that a reorg has removed, and clears the cached hashes by height. */
  noteDeparture(hashes: readonly string[]): void {
    for (const hash of hashes) this.#departed.set(hash, true);
    this.#proofs.agreed?.noteDeparture(hashes.length);
    this.forgetNumbers();
  }

  /** Clears the cached hashes by height, because a reorg may have changed them. */
  forgetNumbers(): void {
    this.#hashes.clear();
    this.#agreeing.clear();
    this.#epoch++;
  }

  /** Sends one request for all concurrent callers with the same height; it continues when a caller disconnects. */
  #agreeOnce(call: UpstreamRequest): Promise<ReportedBlock | null> {
    const under = this.#agreeing.get(call.params);
    if (under !== undefined) return under;
    const scope = new RequestScope(performance.now() + AGREE_LIMIT_MS);
    const agreement = this.#agree(call, scope).finally(() => {
      if (this.#agreeing.get(call.params) === agreement) this.#agreeing.delete(call.params);
    });
    this.#agreeing.set(call.params, agreement);
    return agreement;
  }

  async #agree(call: UpstreamRequest, scope: RequestScope): Promise<ReportedBlock | null> {
    const { sharedAs: _, ...unshared } = call;
    const requested = new Set<Upstream>();
    const { voices } = this.#proofs;
    const told = new ReportedBlocks();
    for (;;) {
      const before = requested.size;
      const block = await this.#requestFromAnother(
        { call: unshared, scope, except: requested },
        told.size > 0,
      );
      if (block === undefined) break;
      if (block === null || requested.size === before) return block;
      const node = [...requested].at(-1) as Upstream;
      const isEnough = told.add(block, node.operator) >= (voices?.needed ?? 2);
      if (!isEnough) continue;
      this.#confirmed.add(block.hash);
      return block;
    }
    const only = told.only;
    if (only !== undefined) return only;
    throw new UpstreamFault('wrong', 'the nodes report different blocks at the same height');
  }

  /**
   * Sends a request to a node that is not in `except`, and adds the node to this set. Returns undefined if no other node answers and `isOptional` is
   * true.
   */
  async #requestFromAnother(
    context: RequestContext & { readonly except: Set<Upstream> },
    isOptional: boolean,
  ): Promise<ReportedBlock | null | undefined> {
    const witness: AnsweredBy = {};
    try {
      const block = await this.#fetch({ ...context, witness });
      if (witness.upstream !== undefined) context.except.add(witness.upstream);
      return block;
    } catch (error) {
      if (isOptional && error instanceof UpstreamFault && error.kind !== 'aborted') return undefined;
      throw error;
    }
  }

  /**
   * Creates a check of a block that a node sends.
   * @param isExpected returns whether a block is the requested one
   * @param named number and hash of the requested block, if its hash is known
   */
  #check(
    isExpected: (block: ReportedBlock) => boolean,
    named?: VerificationTarget,
  ): (result: JsonResult, upstream?: Upstream) => JsonResult {
    return (result, upstream) => {
      const block = parseBlock(parseJsonText(result as string));
      if (!isExpected(block)) {
        if (named !== undefined) this.#proofs.noteOther(named, upstream);
        throw new UpstreamFault('wrong', 'the node returned a block other than the requested one');
      }
      return this.#proofs.check(block, result, upstream);
    };
  }

  async #fetch(context: RequestContext): Promise<ReportedBlock | null> {
    const result = await this.#ask(context);
    if (result === 'null') return null;
    const block = parseBlock(await parseText(result as string, context.scope));
    this.#blocks.set(block.hash, block);
    this.#noteMerge(block);
    return block;
  }

  #noteMerge({ number, difficulty }: BlockHeader): void {
    if (difficulty !== 0n || number === 0n) return;
    if (this.#mergedFrom === undefined || number < this.#mergedFrom) this.#mergedFrom = number;
  }
}

function weighBlock({ transactionHashes, uncleHashes, extraData }: ReportedBlock): number {
  return HEADER_BYTES + HASH_BYTES * (transactionHashes.length + uncleHashes.length) + extraData.length;
}

function present(block: ReportedBlock | null): ReportedBlock {
  if (block === null) throw new UpstreamFault('missing', 'the nodes do not have a block of the chain');
  return block;
}
