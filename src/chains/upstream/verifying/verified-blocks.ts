import {
  isComplete,
  type JsonResult,
  type JsonStream,
} from '../../../../packages/ethereum/primitives/json-result.ts';
import {
  continueWith,
  type PromiseOrValue,
} from '../../../../packages/ethereum/primitives/promise-or-value.ts';
import type { Members, Subject } from '../../../../packages/proofs/findings.ts';
import { findHeaderForm } from '../../../../packages/proofs/hash-header.ts';
import { NO_UNCLES } from '../../../../packages/proofs/header-forms.ts';
import type { KnownTransactions } from '../../../../packages/proofs/known-transactions.ts';
import { type BlockText, ListText } from '../../../../packages/proofs/list-text.ts';
import { asText, isMembers, isSameText } from '../../../../packages/proofs/members.ts';
import { BlockStream } from '../../../../packages/proofs/stream-block.ts';
import {
  type VerifiedHeader,
  verifyBody,
  verifyHeader,
  verifyListed,
} from '../../../../packages/proofs/verify-block.ts';
import { readNumber } from '../../../../packages/proofs/verify-logs.ts';
import { type VerifyTools, verifySender } from '../../../../packages/proofs/verify-transaction.ts';
import { UpstreamFault } from '../../../pool/fault.ts';
import { parseText } from '../../../pool/parse-text.ts';
import type { Upstream } from '../../../pool/upstream.ts';
import { BLOCK_LIFE, Lru } from '../../../util/lru.ts';
import type { RequestScope } from '../../../util/request-scope.ts';
import { TokenBucket } from '../../../util/token-bucket.ts';
import { checkBytes } from '../checks/check-stream.ts';
import { keepUnique } from '../keep-unique.ts';
import { BLOCK_SUBJECTS } from './subjects.ts';
import type { VerificationTarget, Verifier } from './verifier.ts';

/**
 * Maximum number of transactions in cached blocks. Each block counts as 8 transactions more than it has. In memory, a transaction takes 128 bytes, or
 * 600 bytes if the transactions of its block were requested individually.
 */
const MAX_TRANSACTIONS = 32_768;
const BLOCK_WEIGHT = 8;
/** Maximum number of transactions in one cached block. */
const MAX_REMEMBERED: number = MAX_TRANSACTIONS - BLOCK_WEIGHT;
/** Maximum number of cached headers, about 1 KB each with the bloom. */
const MAX_HEADERS = 4_096;
/** Maximum number of cached uncle hashes, about 100 bytes each; each block counts as one further hash. */
const MAX_UNCLES = 12_288;
/** Maximum number of blocks that are marked for full verification, about 300 bytes each. */
const MAX_CONTRADICTED = 1_024;
/**
 * Number of senders per block that are recovered from signatures. A recovery takes 54 µs. The transactions root covers the signatures, so a node can
 * only report wrong senders, and a sample detects this. `MORE_SENDERS_PER_SECOND` limits the recoveries after the first sender of each
 * block. Under load, a node with wrong senders is therefore detected some seconds later.
 */
const SENDER_SAMPLE = 4;
const MORE_SENDERS_PER_SECOND = 100;

const HEADER_SUBJECTS: readonly Subject[] = ['header'];

/** A block whose header and transactions were recomputed. */
export type VerifiedBlock = {
  readonly header: VerifiedHeader;
  readonly transactions: KnownTransactions;
  /** True if every sender was recovered from its signature. If only a sample of the senders was recovered, a node has reported the others. */
  readonly hasAllSenders: boolean;
};

/** Parts of a block that one call of a verifying function has compared with the header. */
type Judged = {
  readonly isFull: boolean;
  /** True if the block has no transaction that was verified. */
  readonly isEmpty: boolean;
  readonly subjects: readonly Subject[];
};
/** Verified header of a transaction's block, and index of the transaction in the block. */
export type TransactionPlace = { readonly header: VerifiedHeader; readonly index: number };

/** Requests a block. The result is a stream if the block is too large, and null if it does not exist. */
export type RequestWhole = (scope: RequestScope) => PromiseOrValue<JsonResult | null>;

/** Functions that request parts for the verification of a streamed block. A function returns undefined if no node has the requested part. */
export type RequestMore = {
  readonly header: () => PromiseOrValue<VerifiedHeader | undefined>;
  /** Returns the hashes of the uncles to which the header commits. */
  readonly uncles: (header: VerifiedHeader) => PromiseOrValue<readonly string[] | undefined>;
};

/** Verifies and caches blocks, with which answers about parts of blocks are compared. */
export class VerifiedBlocks {
  readonly #verifier: Verifier;
  readonly #blocks = new Lru<string, VerifiedBlock>(
    MAX_TRANSACTIONS,
    BLOCK_LIFE,
    undefined,
    ({ transactions }) => BLOCK_WEIGHT + transactions.length,
  );

  readonly #headers = new Lru<string, VerifiedHeader>(MAX_HEADERS, BLOCK_LIFE);
  /** Verified uncle hashes, by block hash. */
  readonly #uncles = new Lru<string, readonly string[]>(
    MAX_UNCLES,
    BLOCK_LIFE,
    undefined,
    (uncles) => 1 + uncles.length,
  );
  /** Index of each transaction in its block, by transaction hash. */
  readonly #indexes = new WeakMap<VerifiedBlock, ReadonlyMap<string, number>>();
  readonly #contradicted = new Lru<string, true>(MAX_CONTRADICTED, Number.POSITIVE_INFINITY);
  readonly #moreSenders = new TokenBucket({
    capacity: MORE_SENDERS_PER_SECOND,
    perSecond: MORE_SENDERS_PER_SECOND,
  });

  constructor(verifier: Verifier) {
    this.#verifier = verifier;
    verifier.onForgotten = (hash) => this.#blocks.delete(hash);
  }

  /** Returns the cached verified header of a block, even if its transactions are not cached. */
  findHeader(hash: string): VerifiedHeader | undefined {
    return this.#headers.get(hash) ?? this.#blocks.get(hash)?.header;
  }

  /** Marks a block for full verification with all senders and uncles; called after an answer has contradicted a part that was not recomputed. */
  uncertainty(hash: string): void {
    this.#blocks.delete(hash);
    this.#contradicted.set(hash, true);
  }

  /** Returns whether a block is marked for full verification, so that cached answers about it must not be used. */
  isContradicted(hash: string): boolean {
    return this.#contradicted.get(hash) === true;
  }

  /** Caches uncle hashes that were verified against the header of a block. */
  noteUncles(hash: string, uncles: readonly string[]): void {
    this.#uncles.set(hash, uncles);
    this.#verifier.noteVerified(hash, 'uncles');
  }

  /** Returns the verified uncle hashes of a block; empty if its cached header commits to no uncles, undefined if they are unknown. */
  unclesOf(hash: string): readonly string[] | undefined {
    return this.#blocks.get(hash)?.header.unclesHash === NO_UNCLES ? [] : this.#uncles.get(hash);
  }

  /** Returns the header and index of a transaction, if a cached block contains it. */
  findTransaction(hash: string): TransactionPlace | undefined {
    for (const block of this.#blocks.values()) {
      const index = this.#indexOf(block).get(hash);
      if (index !== undefined) return { header: block.header, index };
    }
    return undefined;
  }

  /**
   * Returns the transaction indexes of a block by hash. The index of a block is built when the block is first searched, because most blocks are never
   * searched.
   */
  #indexOf(block: VerifiedBlock): ReadonlyMap<string, number> {
    const known = this.#indexes.get(block);
    if (known !== undefined) return known;
    const index = new Map(block.transactions.facts.map(({ hash }, i) => [hash, i]));
    this.#indexes.set(block, index);
    return index;
  }

  /** Returns a cached block whose header and transactions were verified. */
  find(hash: string): VerifiedBlock | undefined {
    return this.#blocks.get(hash);
  }

  /**
   * Verifies a node's block against its hash.
   * @param named hash of the requested block, and its number if known
   * @param isFull whether the block lists whole transactions instead of hashes
   * @param requestMore requests parts that verifying a stream needs before they arrive
   * @returns the same result, serialized again if an object repeats a name; a stream is verified while it is read
   * @throws UpstreamFault `wrong`
   */
  check(
    named: VerificationTarget,
    result: JsonResult,
    isFull: boolean,
    upstream: Upstream | undefined,
    requestMore?: RequestMore,
  ): JsonResult {
    const verifier = this.#verifier;
    if (result === 'null' || !verifier.canVerify('header', named.number)) return result;
    if (!isComplete(result)) return this.#checkStream(named, result, upstream, requestMore);
    const text = ListText.parseBlock(result, this.findHeader(named.hash));
    const transactions = this.#verify(named, text, isFull, upstream);
    return transactions instanceof ListText && transactions.isRead ? result : keepUnique(result);
  }

  /**
   * Returns a verified block; requests it if it is not cached. Returns undefined if the block's transactions are unverifiable.
   * @param requestWhole requests the block with whole transactions; a stream must already have been read to its end
   */
  prove(
    block: VerificationTarget,
    requestWhole: RequestWhole,
    scope: RequestScope,
  ): PromiseOrValue<VerifiedBlock | undefined> {
    const { hash } = block;
    const known = this.#blocks.get(hash);
    if (known !== undefined) return known;
    if (!this.#verifier.canVerify('transactions', block.number)) return undefined;
    return continueWith(requestWhole(scope), (result) => {
      const proven = this.#blocks.get(hash);
      if (proven !== undefined || result === null) return proven;
      // A block from the cache of this or another process was not verified on arrival.
      if (isComplete(result)) this.check(block, result, true, undefined);
      else result.cancel();
      return this.#blocks.get(hash);
    });
  }

  /**
   * Returns the verified header of a block; requests the block if the header is not cached. Returns undefined if the block's header is unverifiable.
   * @param requestBlock requests the block, with whole transactions or with hashes
   */
  proveHeader(
    block: VerificationTarget,
    requestBlock: RequestWhole,
    scope: RequestScope,
  ): PromiseOrValue<VerifiedHeader | undefined> {
    const { hash } = block;
    const known = this.#headers.get(hash);
    if (known !== undefined) return known;
    return continueWith(requestBlock(scope), (result) => {
      const proven = this.#headers.get(hash);
      if (proven !== undefined || result === null) return proven;
      // A block from the cache of this or another process was not verified on arrival.
      if (isComplete(result)) this.check(block, result, false, undefined);
      else result.cancel();
      return this.#headers.get(hash);
    });
  }

  /** Caches the header of an announced block, if its hash is correct, so that the header need not be requested later. */
  noteHeader(block: unknown): void {
    if (
      !isMembers(block) ||
      typeof block['hash'] !== 'string' ||
      !this.#verifier.canVerify('header', undefined)
    )
      return;
    const hash = block['hash'].toLowerCase();
    if (this.#headers.get(hash) !== undefined) return;
    const header = verifyHeader(block, hash, this.#verifier.openTools());
    if (header !== undefined) this.#headers.set(hash, header);
  }

  /** Verifies the text of a block. @returns the block's transactions as parsed */
  #verify(
    named: VerificationTarget,
    text: BlockText,
    isFull: boolean,
    upstream: Upstream | undefined,
  ): unknown {
    const { hash } = named;
    const tools = this.#verifier.openTools();
    const block = isMembers(text.block) ? text.block : {};
    if (text.header === undefined) this.#refuseOther(named, block, tools, upstream);
    const header = text.header ?? verifyHeader(block, hash, tools);
    const known = header === undefined ? undefined : this.#blocks.get(hash);
    const proven =
      header === undefined || !isFull ? undefined : verifyBody(block, header, tools, known?.transactions);
    if (known !== undefined && !isFull) verifyListed(block, known.transactions, tools);
    const hasAllSenders =
      proven !== undefined && this.#compareSenders(hash, block['transactions'], proven.length, tools);
    const subjects = isFull || known !== undefined ? BLOCK_SUBJECTS : HEADER_SUBJECTS;
    const isEmpty = proven === undefined || proven.length === 0;
    this.#classify(header ?? named, block, tools, { isFull, isEmpty, subjects }, upstream);
    if (header !== undefined) this.#headers.set(hash, header);
    if (header !== undefined && proven !== undefined)
      this.#keep({ header, transactions: proven, hasAllSenders });
    return block['transactions'];
  }

  #checkStream(
    named: VerificationTarget,
    stream: JsonStream,
    upstream: Upstream | undefined,
    requestMore: RequestMore | undefined,
  ): JsonStream {
    const { hash } = named;
    const verifier = this.#verifier;
    const tools = verifier.openTools();
    const isEverySender = verifier.mode === 'require' || this.isContradicted(hash);
    const block = new BlockStream({
      hash,
      tools,
      header: this.findHeader(hash),
      requestHeader: () => requestMore?.header(),
      maxTransactions: MAX_REMEMBERED,
      verifySender: (transaction) => verifySender(transaction, tools, verifier.recoverPublicKey),
      isEverySender,
      parse: (text) => parseText(text, { memory: upstream?.openMemory }),
    });
    return checkBytes(stream, {
      add: (piece) => block.add(piece),
      finish: async () => {
        const { header, count, transactions, ...found } = await block.finish();
        this.#refuseOther(named, found.block, tools, upstream);
        if (header !== undefined && header.unclesHash !== NO_UNCLES && this.#uncles.get(hash) === undefined) {
          const uncles = await requestMore?.uncles(header);
          if (uncles !== undefined) this.noteUncles(hash, uncles);
        }
        const isEmpty = count === 0;
        const checked = { isFull: true, isEmpty, subjects: BLOCK_SUBJECTS };
        this.#classify(header ?? named, found.block, tools, checked, upstream);
        if (header === undefined) return;
        this.#headers.set(hash, header);
        if (transactions !== undefined) this.#keep({ header, transactions, hasAllSenders: isEverySender });
        else if (count > MAX_REMEMBERED)
          verifier.markUnverifiable(hash, 'transactions', 'the block has too many transactions to be cached');
      },
    });
  }

  /**
   * Rejects another block at the requested height. If the request has the number instead of the hash, a node on another branch returns another block
   * without a fault.
   * @throws UpstreamFault `wrong`
   */
  #refuseOther(
    named: VerificationTarget,
    block: Members,
    { writer }: VerifyTools,
    upstream: Upstream | undefined,
  ): void {
    if (isSameText(block['hash'], named.hash)) return;
    if (findHeaderForm(block, asText(block['hash']), writer) === undefined) return;
    this.#verifier.noteOther(named, upstream);
    throw new UpstreamFault('wrong', 'the node has another block at this height');
  }

  #keep(block: VerifiedBlock): void {
    const { hash } = block.header;
    this.#blocks.set(hash, block);
    this.#contradicted.delete(hash);
  }

  /** Classifies an answer by its findings about the block and its uncles. */
  #classify(
    { number: known, hash }: VerificationTarget,
    block: Members,
    tools: VerifyTools,
    { isFull, isEmpty, subjects }: Judged,
    upstream: Upstream | undefined,
  ): void {
    const number = known ?? readNumber(block['number']);
    this.#compareUncles(hash, block, tools);
    const shown = isEmpty ? [] : listShown(block);
    this.#verifier.classify({ number, hash }, tools.findings.list, subjects, upstream, shown);
    const { uncles } = block;
    if (isFull && Array.isArray(uncles) && uncles.length > 0 && this.#uncles.get(hash) === undefined) {
      this.#verifier.markUnverifiable(
        hash,
        'uncles',
        'the uncles of the block were not compared with its header',
      );
    }
  }

  #compareUncles(hash: string, { uncles }: Members, { findings }: VerifyTools): void {
    const known = this.#uncles.get(hash);
    if (known === undefined || !Array.isArray(uncles)) return;
    if (uncles.length === known.length && uncles.every((uncle, i) => isSameText(uncle, known[i] ?? '')))
      return;
    findings.contradict('uncles', 'the block lists other uncles than its header commits to');
  }

  /** Compares senders with their signatures. @returns true if all senders were compared, false if only a sample was */
  #compareSenders(hash: string, told: unknown, length: number, tools: VerifyTools): boolean {
    const { mode, recoverPublicKey } = this.#verifier;
    const isEvery = mode === 'require' || this.isContradicted(hash) || length <= SENDER_SAMPLE;
    const sample = this.#moreSenders.tryTake(SENDER_SAMPLE - 1) ? SENDER_SAMPLE : 1;
    const count = isEvery ? length : sample;
    // The list of transactions is parsed here, unless it was already read to its end.
    const transactions = told instanceof ListText && !told.isRead ? told.parse() : told;
    const start = isEvery ? 0 : Math.floor(Math.random() * length);
    for (let i = 0; i < count; i++) {
      const index = (start + i) % length;
      const transaction =
        transactions instanceof ListText
          ? transactions.parseItem(index)
          : (transactions as readonly unknown[])[index];
      verifySender(transaction as Members, tools, recoverPublicKey);
    }
    return isEvery;
  }
}

/** Returns the subjects that a verified block with whole transactions has shown to be verifiable. */
function listShown({ withdrawals }: Members): readonly Subject[] {
  const isEmpty = !Array.isArray(withdrawals) || withdrawals.length === 0;
  return isEmpty ? BLOCK_SUBJECTS.filter((subject) => subject !== 'withdrawals') : BLOCK_SUBJECTS;
}
