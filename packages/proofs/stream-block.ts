/** Verifies a block against its hash while its text arrives. */

import { concatBytes } from '../ethereum/primitives/bytes.ts';
import { bytesToHex } from '../ethereum/primitives/hex.ts';
import { JsonBytes, type JsonText, SharedBytes, textOf } from '../ethereum/primitives/json-result.ts';
import { OrderedRoot } from '../ethereum/primitives/ordered-root.ts';
import { continueWith, type PromiseOrValue } from '../ethereum/primitives/promise-or-value.ts';
import { requireBlockMembers } from './compare-members.ts';
import type { Members } from './findings.ts';
import { mayBeUnhashed } from './header-forms.ts';
import { ItemSplitter } from './item-splitter.ts';
import { KnownTransactions } from './known-transactions.ts';
import { ListText } from './list-text.ts';
import { isMembers, readInteger, UnreadableMember } from './members.ts';
import { refuseRepeatedNames } from './repeated-names.ts';
import type { ParseText } from './stream-receipts.ts';
import {
  compareRoot,
  readListed,
  readMatching,
  type VerifiedHeader,
  verifyHeader,
  verifyWithdrawals,
} from './verify-block.ts';
import type { StatedBlock, VerifiedFacts, VerifyTools } from './verify-transaction.ts';

/** Maximum length of a block without its transactions, in bytes. Without its transactions, a block usually has one or two kilobytes. */
const MAX_REST_BYTES: number = 4 << 20;

/** Number of senders recovered from the first piece of a stream. From each later piece, one sender is recovered. */
const FIRST_SENDERS = 4;

/** Verified parts of a block. */
export type StreamedBlock = {
  /** Block without its transactions. */
  readonly block: Members;
  readonly header: VerifiedHeader | undefined;
  /** Facts of the transactions; undefined if the transactions do not match the root or exceed `maxTransactions`. */
  readonly transactions: KnownTransactions | undefined;
  readonly count: number;
};

export type BlockStreamOptions = {
  readonly hash: string;
  readonly tools: VerifyTools;
  /** Header of the block, if it is known. */
  readonly header: VerifiedHeader | undefined;
  /**
   * Called if the transactions arrive before the block members with which they are compared; returns the verified header. Returns undefined if no
   * node has the header.
   */
  readonly requestHeader: () => PromiseOrValue<VerifiedHeader | undefined>;
  /** Maximum number of transactions in a block whose facts are stored. */
  readonly maxTransactions: number;
  /** Verifies the sender of a transaction. The stream verifies at least a sample of the senders, and all senders if `isEverySender` is set. */
  readonly verifySender: (transaction: Members) => void;
  readonly isEverySender: boolean;
  /** Parses a text that may be long; `JSON.parse` by default. */
  readonly parse?: ParseText;
};

/**
 * Verifies a block with full transactions. Transactions are verified as they arrive; the header and the roots are verified at the end. Memory does
 * not grow with the block, except for the facts of its transactions.
 */
export class BlockStream {
  readonly #options: BlockStreamOptions;
  readonly #splitter = new ItemSplitter((items) => this.#take(items), 'transactions');
  readonly #root: OrderedRoot;
  readonly #rows: Uint8Array[] = [];
  /** Facts of the transactions that were parsed, by index. */
  readonly #parsed = new Map<number, VerifiedFacts>();
  #place: StatedBlock | undefined;
  #isPlaceSought = false;
  /** Items of the last piece, stored until the header is known. */
  readonly #waiting: Uint8Array[] = [];
  #count = 0;
  /** Whether a fault prevents the computation of the transactions root. If true, later transactions are only counted. */
  #isBroken = false;
  /** Whether the block without its transactions is too large. If true, later pieces of the text are dropped. */
  #isTooLarge = false;

  constructor(options: BlockStreamOptions) {
    this.#options = options;
    this.#root = new OrderedRoot();
  }

  /** @returns a promise while the header is requested; the next piece must wait for it */
  add(piece: Uint8Array): PromiseOrValue<void> {
    if (this.#isTooLarge) return;
    return continueWith(this.#splitter.add(piece), () => this.#checkRest());
  }

  #checkRest(): PromiseOrValue<void> {
    if (this.#splitter.restBytes > MAX_REST_BYTES) {
      this.#isTooLarge = true;
      this.#options.tools.findings.contradict('header', 'the block is too large without its transactions');
    } else if (this.#waiting.length > 0) {
      return continueWith(this.#options.requestHeader(), (header) => {
        this.#place = header;
        let work: PromiseOrValue<void> | undefined;
        for (const items of this.#waiting.splice(0)) work = continueWith(work, () => this.#read(items));
        return work;
      });
    }
  }

  finish(): PromiseOrValue<StreamedBlock> {
    const rest = this.#isTooLarge ? '{}' : this.#splitter.rest;
    return continueWith(this.#parse(rest), (parsed) => this.#finishParsed(rest, parsed));
  }

  #parse(text: JsonText): PromiseOrValue<unknown> {
    const { parse = JSON.parse } = this.#options;
    return parse(text);
  }

  #finishParsed(rest: JsonText, parsed: unknown): StreamedBlock {
    const { hash, tools } = this.#options;
    refuseRepeatedNames(rest, parsed, tools.findings);
    const block = isMembers(parsed) ? parsed : {};
    const header = verifyHeader(block, hash, tools);
    const transactions = header === undefined ? undefined : this.#finishBody(block, header);
    return { block, header, transactions, count: this.#count };
  }

  #finishBody(block: Members, header: VerifiedHeader): KnownTransactions | undefined {
    const { findings } = this.#options.tools;
    requireBlockMembers(block, findings);
    verifyWithdrawals(block, this.#options.tools);
    if (this.#splitter.lists !== 1 || !Array.isArray(block['transactions'])) {
      findings.contradict('transactions', 'the block does not have exactly one list of transactions');
      return undefined;
    }
    if (this.#splitter.hasOversized) {
      findings.noteUnknown('transactions', 'a transaction is too large to be verified');
      return undefined;
    }
    if (this.#isBroken) return undefined;
    if (this.#count > 0 && !isSamePlace(this.#place, header)) {
      const text = 'the number, timestamp or base fee of the block comes after its transactions';
      findings.noteUnknown('transactions', text);
      return undefined;
    }
    const isCorrect = compareRoot(block['transactionsRoot'], bytesToHex(this.#root.finish()), findings);
    if (!isCorrect || this.#count > this.#options.maxTransactions) return undefined;
    return KnownTransactions.ofRows(concatBytes(...this.#rows), this.#parsed);
  }

  #take(items: Uint8Array): PromiseOrValue<void> {
    if (!this.#isPlaceSought) {
      this.#isPlaceSought = true;
      this.#place = this.#options.header ?? this.#findPlace();
      if (this.#place === undefined) this.#waiting.push(items);
    }
    return this.#waiting.length === 0 ? this.#read(items) : undefined;
  }

  #read(items: Uint8Array): PromiseOrValue<void> {
    if (this.#isBroken || this.#place === undefined) {
      this.#count++;
      return;
    }
    const { tools } = this.#options;
    const text = new JsonBytes(new SharedBytes(items));
    const list = ListText.load(text);
    const right = list && readMatching(list, this.#count, this.#place, tools.writer);
    if (list !== undefined && right !== undefined) {
      this.#takeMatching(list, right);
      this.#dropBeyond();
      return;
    }
    const unread = textOf(text);
    const place = this.#place;
    return continueWith(this.#parse(unread), (parsed) => {
      this.#readParsed(unread, parsed as readonly unknown[], place);
      this.#dropBeyond();
    });
  }

  /** Drops all facts if the block has more than `maxTransactions` transactions. */
  #dropBeyond(): void {
    if (this.#count <= this.#options.maxTransactions) return;
    this.#rows.length = 0;
    this.#parsed.clear();
  }

  #takeMatching(list: ListText, right: KnownTransactions): void {
    const { verifySender, isEverySender } = this.#options;
    for (const encoded of list.encodings) this.#root.add(encoded.slice());
    const { length, rows, parsed } = right;
    const sample = this.#count === 0 ? FIRST_SENDERS : 1;
    const count = isEverySender ? length : Math.min(length, sample);
    const start = Math.floor(Math.random() * length);
    for (let i = 0; i < count; i++) verifySender(list.parseItem((start + i) % length) as Members);
    for (const [index, facts] of parsed) this.#parsed.set(this.#count + index, facts);
    this.#rows.push(rows as Uint8Array);
    this.#count += length;
  }

  #readParsed(text: JsonText, items: readonly unknown[], place: StatedBlock): void {
    const { tools, verifySender } = this.#options;
    refuseRepeatedNames(text, items, tools.findings);
    this.#rows.push(ListText.createRows(items.length));
    for (const item of items) {
      const index = this.#count++;
      const read = readListed(item, index, place, tools);
      if (read === undefined) {
        this.#isBroken = true;
        return;
      }
      if (read.encoded !== undefined) this.#root.add(read.encoded);
      this.#parsed.set(index, read.facts);
      if (read.facts.isUncovered !== true) verifySender(item as Members);
    }
  }

  /**
   * Reads the block members with which transactions are compared, from the text before the transaction list. Returns undefined if a member is
   * missing, such as the base fee in old blocks. Returns undefined as well if a member may differ from the header.
   */
  #findPlace(): StatedBlock | undefined {
    try {
      const members = JSON.parse(`${this.#splitter.rest}]}`) as Members;
      if (mayBeUnhashed(members, 'baseFeePerGas')) return undefined;
      const { number, timestamp, baseFeePerGas } = members;
      return {
        hash: this.#options.hash.toLowerCase(),
        number: readInteger(number, 'number'),
        timestamp: readInteger(timestamp, 'timestamp'),
        baseFeePerGas: readInteger(baseFeePerGas, 'baseFeePerGas'),
      };
    } catch (error) {
      if (!(error instanceof UnreadableMember)) throw error;
      return undefined;
    }
  }
}

function isSamePlace(place: StatedBlock | undefined, header: VerifiedHeader): boolean {
  return (
    place?.number === header.number &&
    place.timestamp === header.timestamp &&
    place.baseFeePerGas === header.baseFeePerGas
  );
}
