/** Verifies the receipts of a block while their text arrives. */
import { bytesToHex } from '../ethereum/primitives/hex.ts';
import { JsonBytes, type JsonText, SharedBytes, textOf } from '../ethereum/primitives/json-result.ts';
import { OrderedRoot } from '../ethereum/primitives/ordered-root.ts';
import { continueWith, type PromiseOrValue } from '../ethereum/primitives/promise-or-value.ts';
import { ItemSplitter } from './item-splitter.ts';
import type { KnownBlock } from './known-transactions.ts';
import { ListText, type ReceiptWalk } from './list-text.ts';
import { refuseRepeatedNames } from './repeated-names.ts';
import { compareReceiptsRoot, readMatchingReceipts, readReceipt } from './verify-receipts.ts';
import type { VerifyTools } from './verify-transaction.ts';

/** Parses a text, with pauses if it is long. */
export type ParseText = (text: JsonText) => PromiseOrValue<unknown>;

/** Verifies receipts as they arrive, and the receipts root at the end. Memory does not grow with the block. */
export class ReceiptStream {
  readonly #block: KnownBlock;
  readonly #tools: VerifyTools;
  readonly #parse: ParseText;
  readonly #splitter = new ItemSplitter((items) => this.#read(items));
  readonly #root: OrderedRoot;
  #walk: ReceiptWalk = { gas: 0n, logs: 0 };
  #count = 0;
  /** Whether a fault prevents the computation of the receipts root. If true, later receipts are not read. */
  #isBroken = false;

  /** @param parse parses a text that may be long */
  constructor(block: KnownBlock, tools: VerifyTools, parse: ParseText = JSON.parse) {
    this.#block = block;
    this.#tools = tools;
    this.#parse = parse;
    this.#root = new OrderedRoot();
  }

  /** @returns a promise while a long receipt is parsed; the next piece must wait for it */
  add(piece: Uint8Array): PromiseOrValue<void> {
    return this.#splitter.add(piece);
  }

  /** Completes the findings: compares the number of receipts and the receipts root. */
  finish(): void {
    const { header, transactions } = this.#block;
    if (this.#splitter.hasOversized)
      this.#tools.findings.noteUnknown('receipts', 'a receipt is too large to be verified');
    if (this.#isBroken || this.#splitter.hasOversized) return;
    if (this.#splitter.lists !== 1 || this.#count !== transactions.length) this.#miscount();
    else compareReceiptsRoot(header, bytesToHex(this.#root.finish()), this.#tools.findings);
  }

  #read(items: Uint8Array): PromiseOrValue<void> {
    if (this.#isBroken) return;
    const text = new JsonBytes(new SharedBytes(items));
    const walk = { ...this.#walk };
    const list = this.#block.transactions.rows && ListText.load(text);
    if (
      list === undefined ||
      !readMatchingReceipts(list, this.#count, this.#block, walk, this.#tools.writer)
    ) {
      const unread = textOf(text);
      return continueWith(this.#parse(unread), (receipts) =>
        this.#readParsed(unread, receipts as readonly unknown[]),
      );
    }
    this.#walk = walk;
    this.#count += list.count;
    for (const encoded of list.encodings) this.#root.add(encoded.slice());
  }

  #readParsed(text: JsonText, receipts: readonly unknown[]): void {
    const { header, transactions } = this.#block;
    refuseRepeatedNames(text, receipts, this.#tools.findings);
    for (const receipt of receipts) {
      const index = this.#count++;
      const facts = transactions.facts[index];
      if (facts === undefined) {
        this.#miscount();
        return;
      }
      const take = (encoded: Uint8Array): void => this.#root.add(encoded);
      if (readReceipt(receipt, facts, header, index, this.#walk, this.#tools, take)) continue;
      this.#isBroken = true;
      return;
    }
  }

  #miscount(): void {
    this.#isBroken = true;
    this.#tools.findings.contradict(
      'receipts',
      'the number of receipts differs from the number of transactions',
    );
  }
}
