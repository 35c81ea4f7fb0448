/** Compares the receipts of a block with it while their text comes in. */
import { JsonBytes, type JsonText, SharedBytes, textOf } from '../primitives/json-result.ts';
import { ItemSplitter } from './item-splitter.ts';
import { ListText, type ReceiptWalk } from './list-text.ts';
import { OrderedRoot } from './ordered-root.ts';
import { refuseRepeatedNames } from './repeated-names.ts';
import type { VerifiedHeader } from './verify-block.ts';
import { compareReceiptsRoot, type ReadBlock, readReceipt, readRightReceipts } from './verify-receipts.ts';
import type { TransactionFacts, VerifyTools } from './verify-transaction.ts';

/** A block that receipts are compared with. */
type KnownBlock = {
  readonly header: VerifiedHeader;
  readonly transactions: readonly TransactionFacts[];
  readonly rows: Uint8Array | undefined;
};

/** The receipts of a block, compared as they come, and with the root in the header at the end. What is held does not grow with the block. */
export class ReceiptStream {
  readonly #block: KnownBlock;
  readonly #tools: VerifyTools;
  readonly #splitter = new ItemSplitter((items) => this.#read(items));
  readonly #root: OrderedRoot;
  #walk: ReceiptWalk = { gas: 0n, logs: 0 };
  #count = 0;
  /** Something was found that has no root: nothing more is read. */
  #isBroken = false;

  constructor(block: KnownBlock, tools: VerifyTools) {
    this.#block = block;
    this.#tools = tools;
    this.#root = new OrderedRoot(tools.writer);
  }

  add(piece: Uint8Array): void {
    this.#splitter.add(piece);
  }

  /** What was found is then among the findings. */
  finish(): void {
    const { header, transactions } = this.#block;
    if (this.#splitter.hasOversized)
      this.#tools.findings.noteUnknown('receipts', 'a receipt is too large to be verified');
    if (this.#isBroken || this.#splitter.hasOversized) return;
    if (this.#splitter.lists !== 1 || this.#count !== transactions.length) this.#miscount();
    else compareReceiptsRoot(header, this.#root.finish(), this.#tools.findings);
  }

  #read(items: Uint8Array): void {
    if (this.#isBroken) return;
    const text = new JsonBytes(new SharedBytes(items));
    const right = this.#readRight(text);
    if (right === undefined) {
      this.#readParsed(textOf(text));
      return;
    }
    this.#walk = right.walk;
    this.#count += right.encodings.length;
    for (const encoded of right.encodings) this.#root.add(encoded.slice());
  }

  #readRight(
    text: JsonBytes,
  ): { readonly encodings: readonly Uint8Array[]; readonly walk: ReceiptWalk } | undefined {
    const { rows } = this.#block;
    if (rows === undefined) return undefined;
    const walk = { ...this.#walk };
    const list = ListText.load(text);
    const block: ReadBlock = { ...this.#block, rows };
    const encodings = list && readRightReceipts(list, this.#count, block, walk, this.#tools.writer);
    return encodings && { encodings, walk };
  }

  #readParsed(text: JsonText): void {
    const { header, transactions } = this.#block;
    const receipts = JSON.parse(text) as readonly unknown[];
    refuseRepeatedNames(text, receipts, this.#tools.findings);
    for (const receipt of receipts) {
      const index = this.#count++;
      const facts = transactions[index];
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
    this.#tools.findings.contradict('receipts', 'there are not as many receipts as transactions');
  }
}
