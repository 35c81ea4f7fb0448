import { decodeBase64 } from '../ethereum/primitives/base64.ts';
import { encodeHex } from '../ethereum/primitives/byte-loops.ts';
import type { JsonBytes, JsonText } from '../ethereum/primitives/json-result.ts';
import { keccak256 } from '../ethereum/primitives/keccak.ts';
import { PIECE_LENGTH, parseJsonText } from '../ethereum/primitives/parse-json.ts';
import { utf8Decoder, utf8Encoder } from '../ethereum/primitives/utf8.ts';
import { WEB_ASSEMBLY, type WebAssemblyMemory } from '../ethereum/primitives/webassembly.ts';
import type { Members } from './findings.ts';
import { ETHEREUM_FORM, type HeaderField, NO_UNCLES } from './header-forms.ts';
import { ROW, ROW_SIZE } from './known-transactions.ts';
import { LIST_READER_MODULE } from './list-reader-module.ts';
import { hasRepeatedNames } from './repeated-names.ts';
import { type FieldKind, TRANSACTION_FORMS, type TransactionForm } from './transaction-forms.ts';
import type { VerifiedHeader } from './verify-block.ts';
import type { StatedBlock } from './verify-transaction.ts';

type Global = { readonly value: number };

/** Exports of `assembly/read-lists.ts`. */
type ListReader = {
  readonly memory: WebAssemblyMemory;
  readonly NAMES: Global;
  readonly FORMS: Global;
  readonly HEADER: Global;
  readonly BLOCK: Global;
  readonly BLOCK_HASH: Global;
  readonly LEAF_ROOM: Global;
  readonly MAX_ITEMS: Global;
  setBlock(number: bigint, timestamp: bigint, baseFee: bigint): void;
  setWalk(gas: bigint, logs: number): void;
  walkedGas(): bigint;
  walkedLogs(): number;
  itemCount(): number;
  findTransactions(text: number): number;
  listEnd(): number;
  hasHeader(target: number): number;
  begin(text: number, target: number, table: number, known: number, maxItems: number, place: number): number;
  next(): number;
  place(size: number): number;
  hashTrie(table: number, items: number): number;
  areHashes(list: number, table: number, items: number): number;
};

/** Names of members, in the order of `Member` in `assembly/text.ts`. */
const MEMBERS: readonly string[] = [
  ...[
    'hash',
    'from',
    'to',
    'type',
    'nonce',
    'blockHash',
    'blockNumber',
    'blockTimestamp',
    'transactionIndex',
  ],
  ...['transactionHash', 'input', 'data', 'v', 'yParity', 'r', 's', 'chainId', 'gasPrice', 'maxFeePerGas'],
  ...[
    'maxPriorityFeePerGas',
    'gas',
    'value',
    'accessList',
    'maxFeePerBlobGas',
    'blobVersionedHashes',
    'status',
  ],
  ...['root', 'cumulativeGasUsed', 'gasUsed', 'contractAddress', 'effectiveGasPrice', 'blobGasUsed', 'logs'],
  ...['logsBloom', 'address', 'topics', 'logIndex', 'removed', 'storageKeys', 'transactions', 'parentHash'],
  ...['sha3Uncles', 'miner', 'stateRoot', 'transactionsRoot', 'receiptsRoot', 'difficulty', 'number'],
  ...['gasLimit', 'timestamp', 'extraData', 'mixHash', 'baseFeePerGas', 'withdrawalsRoot', 'excessBlobGas'],
  ...['parentBeaconBlockRoot', 'requestsHash', 'blockAccessListHash', 'slotNumber', 'uncles', 'withdrawals'],
  ...['size', 'totalDifficulty'],
];
/** Bytes of a slot, which describes a value: start, length, kind. */
const SLOT_SIZE = 12;
const ABSENT = 0;
const NULL = 4;
const NAME_SIZE = 32;
const FORM_SIZE = 64;
const MAX_TYPE = 3;
const NO_MEMBER = 255;
/** Numbers of the field encodings in the module. All fields of the transaction types 0 to 3 use these encodings. */
const KINDS: Readonly<Partial<Record<FieldKind, number>>> = {
  bytes: 0,
  integer: 1,
  recipient: 2,
  accessList: 3,
  hashes: 4,
};

const END = -1;
const UNREADABLE = -2;

const PAGE = 65_536;
/** Address of the text in the module's memory, behind the module's own tables. */
const TEXT = PAGE;
/** Bytes that the module may read past the end of a text. */
const TAIL = 64;
/**
 * Maximum length of a text for the module, in UTF-16 units or bytes, since WebAssembly memory never shrinks. A longer text is parsed as JSON in
 * JavaScript, not by the module.
 */
const MAX_LENGTH: number = 4 << 20;
/** Minimum length of the text of a transaction or receipt. */
const LEAST_ITEM = 256;
const MAX_AMOUNT: bigint = 1n << 62n;
const HASH_LENGTH = 32;
const NO_FEE: bigint = (1n << 64n) - 1n;

const reader = new WEB_ASSEMBLY.Instance(new WEB_ASSEMBLY.Module(decodeBase64(LIST_READER_MODULE)))
  .exports as ListReader;
let space = new Uint8Array(reader.memory.buffer);
let numbers = new DataView(reader.memory.buffer);
/** Number of loaded texts; only the last one is in memory. */
let loaded = 0;

for (const [i, name] of MEMBERS.entries()) {
  space[reader.NAMES.value + i * NAME_SIZE] = name.length;
  utf8Encoder.encodeInto(name, space.subarray(reader.NAMES.value + i * NAME_SIZE + 1));
}
space.set([ETHEREUM_FORM.fields.length, ...ETHEREUM_FORM.fields.flatMap(describeField)], reader.HEADER.value);
for (let type = 0; type <= MAX_TYPE; type++) {
  const form = TRANSACTION_FORMS.find((each) => (each.type ?? 0) === type) as TransactionForm;
  const fields = form.fields.map(({ members: [first = '', second = ''], as }) => {
    const other = MEMBERS.indexOf(second);
    return [MEMBERS.indexOf(first), other < 0 ? NO_MEMBER : other, KINDS[as] as number];
  });
  space.set([fields.length, ...fields.flat()], reader.FORMS.value + type * FORM_SIZE);
}

/** Verifies a parsed item that the WebAssembly module did not verify. @returns encoding of the item; undefined if the item is wrong */
type Decide = (item: unknown, index: number) => Uint8Array | undefined;

/**
 * Block object. `header` is present if the text contains the expected header; the members of this header need no further comparison.
 */
export type BlockText = { readonly block: unknown; readonly header: VerifiedHeader | undefined };

/** Running totals of gas and logs before a receipt. */
export type ReceiptWalk = { gas: bigint; logs: number };

/**
 * Text of a list of transactions or receipts, which the WebAssembly module reads once. Only items that the module cannot verify are parsed and passed
 * to the caller. A `ListText` is valid until another text is loaded.
 */
export class ListText {
  readonly #start: number;
  readonly #end: number;
  readonly #table: number;
  readonly #target: number;
  readonly #known: number;
  readonly #maxItems: number;
  readonly #number: number;
  #isRead = false;

  private constructor(start: number, end: number) {
    this.#start = start;
    this.#end = end;
    this.#maxItems = Math.floor((end - start) / LEAST_ITEM) + 1;
    this.#table = (end + TAIL + 7) & ~7;
    this.#known = this.#table + this.#maxItems * ROW_SIZE;
    this.#target = this.#known + this.#maxItems * ROW_SIZE;
    reserve(this.#target + (end - start) + this.#maxItems * reader.LEAF_ROOM.value + TAIL);
    this.#number = loaded;
  }

  /** Returns rows for `items` items that the module has not verified. */
  static createRows(items: number): Uint8Array {
    return new Uint8Array(items * ROW_SIZE);
  }

  /** Loads a response that is a list; undefined if it is too long. */
  static load(answer: JsonText | JsonBytes): ListText | undefined {
    const end = load(answer);
    return end === undefined ? undefined : new ListText(TEXT, end);
  }

  /**
   * Reads a block object with its transactions as a `ListText`. If the text has an unsupported form, the whole block is parsed.
   * @param known expected header. If the text contains this header in Ethereum's own form, and the block has no uncles, only members outside of the
   * header are read.
   */
  static parseBlock(answer: JsonText | JsonBytes, known?: VerifiedHeader): BlockText {
    const end = load(answer);
    const start = end === undefined ? 0 : reader.findTransactions(TEXT);
    if (end === undefined || start === 0) return { block: parseJsonText(answer), header: undefined };
    const listEnd = reader.listEnd();
    const body = known && readBody(known, end);
    const transactions = new ListText(start, listEnd);
    if (body !== undefined) return { block: { ...body, transactions }, header: known };
    const others = `${read(TEXT, start)}[]${read(listEnd, end)}`;
    const block = parseJsonText(others) as Members;
    if (hasRepeatedNames(others, block)) return { block: parseJsonText(answer), header: undefined };
    return { block: { ...block, transactions }, header: undefined };
  }

  /** Number of items, valid after the list has been read. */
  get count(): number {
    return reader.itemCount();
  }

  /** Whether the list was read to its end. If true, no object that the module compared repeats a member name. */
  get isRead(): boolean {
    return this.#isRead;
  }

  /** Parses all items. */
  parse(): unknown {
    return parseJsonText(read(this.#start, this.#end));
  }

  parseItem(index: number): unknown {
    return JSON.parse(this.#readItem(index));
  }

  #readItem(index: number): JsonText {
    const row = this.#table + index * ROW_SIZE;
    return read(numbers.getUint32(row + ROW.start, true), numbers.getUint32(row + ROW.end, true));
  }

  /**
   * Reads a list of transactions.
   * @param first index in the block of the first transaction
   * @returns false if `decide` rejected an item, or if the text has an unsupported form. If false, the caller must parse the text as JSON.
   */
  readTransactions(block: StatedBlock, first: number, decide: Decide): boolean {
    return this.#walk(block, first, 0, (transaction, index) => {
      const encoded = decide(transaction, index);
      if (encoded !== undefined)
        space.set(keccak256(encoded), this.#table + (index - first) * ROW_SIZE + ROW.hash);
      return encoded;
    });
  }

  /** Encodings of the items, valid after the list has been read. */
  get encodings(): readonly Uint8Array[] {
    return Array.from({ length: this.count }, (_, index) => {
      const row = this.#table + index * ROW_SIZE;
      const start = numbers.getUint32(row + ROW.encoded, true);
      return space.subarray(start, start + numbers.getUint32(row + ROW.encodedSize, true));
    });
  }

  /**
   * Returns the root of the trie of the items, after the list has been read; undefined if there are too many items. Computing the root overwrites the
   * encodings of the items.
   */
  hashTrie(): string | undefined {
    const { count } = this;
    if (count > reader.MAX_ITEMS.value) return undefined;
    const root = reader.hashTrie(this.#table, count);
    return `0x${encodeHex(space, root, root + HASH_LENGTH)}`;
  }

  /** Whether the list consists of the hashes of the transactions, in order. @param rows rows of all transactions */
  areHashes(rows: Uint8Array): boolean {
    this.#require();
    reserve(this.#table + rows.length);
    space.set(rows, this.#table);
    this.#isRead = reader.areHashes(this.#start, this.#table, rows.length / ROW_SIZE) !== 0;
    return this.#isRead;
  }

  /**
   * Returns a copy of the rows, one for each transaction of the list. A row is complete if the module verified its transaction; otherwise the row
   * contains only the hash.
   */
  copyRows(): Uint8Array {
    return space.slice(this.#table, this.#table + this.count * ROW_SIZE);
  }

  /**
   * Reads a list of receipts.
   * @param first index in the block of the first receipt
   * @param rows rows of all transactions of the block
   * @param walk running totals before the first receipt, which are updated
   * @returns false if `decide` rejected an item, or if the text has an unsupported form. If false, the caller must parse the text as JSON.
   */
  readReceipts(
    block: StatedBlock,
    first: number,
    rows: Uint8Array,
    walk: ReceiptWalk,
    decide: Decide,
  ): boolean {
    const own = rows.subarray(first * ROW_SIZE, (first + this.#maxItems) * ROW_SIZE);
    space.set(own, this.#known);
    space.fill(0, this.#known + own.length, this.#target);
    reader.setWalk(walk.gas, walk.logs);
    const note = (): void => {
      walk.gas = reader.walkedGas();
      walk.logs = reader.walkedLogs();
    };
    const isRead = this.#walk(block, first, this.#known, (receipt, index) => {
      note();
      const encoded = decide(receipt, index);
      reader.setWalk(walk.gas, walk.logs);
      return encoded;
    });
    note();
    return isRead;
  }

  #walk(
    { hash, number, timestamp, baseFeePerGas }: StatedBlock,
    first: number,
    known: number,
    decide: Decide,
  ): boolean {
    this.#require();
    if (number >= MAX_AMOUNT || timestamp >= MAX_AMOUNT) return false;
    utf8Encoder.encodeInto(hash, space.subarray(reader.BLOCK_HASH.value));
    reader.setBlock(number, timestamp, baseFeePerGas ?? NO_FEE);
    if (reader.begin(this.#start, this.#target, this.#table, known, this.#maxItems, first) === 0)
      return false;
    for (let at = reader.next(); at !== END; at = reader.next()) {
      if (at === UNREADABLE) return false;
      const text = this.#readItem(at);
      // A long item is parsed with pauses, together with the whole list.
      if (text.length > PIECE_LENGTH) return false;
      const item: unknown = JSON.parse(text);
      const encoded = hasRepeatedNames(text, item) ? undefined : decide(item, first + at);
      // The module's buffer has room only for encodings that are no longer than the JSON text of their item.
      if (encoded === undefined || encoded.length > text.length) return false;
      space.set(encoded, reader.place(encoded.length));
    }
    this.#isRead = true;
    return true;
  }

  #require(): void {
    if (this.#number !== loaded) throw new Error('the text is no longer loaded');
  }
}

/**
 * Returns the members of a block without uncles, except header and transactions; undefined if the block must be parsed.
 * @param end end of the text in the module's memory
 */
function readBody(header: VerifiedHeader, end: number): Members | undefined {
  if (header.form !== ETHEREUM_FORM || header.unclesHash !== NO_UNCLES) return undefined;
  const target = end + TAIL;
  reserve(target + (end - TEXT) + TAIL);
  utf8Encoder.encodeInto(header.hash, space.subarray(reader.BLOCK_HASH.value));
  if (reader.hasHeader(target) === 0) return undefined;
  const listed = readMember('withdrawals');
  const withdrawals: unknown = listed && JSON.parse(listed);
  if (listed !== undefined && hasRepeatedNames(listed, withdrawals)) return undefined;
  const { hash } = header;
  const [transactionsRoot, withdrawalsRoot] = ['transactionsRoot', 'withdrawalsRoot'].map(readMember);
  // `readMember` returns undefined for null as well as for an absent member. With a withdrawals root, null `withdrawals` and absent `withdrawals`
  // mean different things, so the block must be parsed.
  if (withdrawalsRoot !== undefined && listed === undefined) return undefined;
  return { hash, uncles: [], withdrawals, transactionsRoot, withdrawalsRoot };
}

/** Returns the text of a member of the last block object, without the quotes of a string; undefined if the member is absent or null. */
function readMember(name: string): string | undefined {
  const slot = reader.BLOCK.value + MEMBERS.indexOf(name) * SLOT_SIZE;
  const kind = numbers.getUint32(slot + 8, true);
  if (kind === ABSENT || kind === NULL) return undefined;
  const start = numbers.getUint32(slot, true);
  return read(start, start + numbers.getUint32(slot + 4, true));
}

function describeField({ member, as, isOptional }: HeaderField): readonly number[] {
  return [MEMBERS.indexOf(member), Number(as === 'integer'), Number(isOptional === true)];
}

/** Loads a text into the module's memory. @returns end of the text in memory; undefined if the text is too long */
function load(answer: JsonText | JsonBytes): number | undefined {
  const { length } = answer;
  if (length > MAX_LENGTH) return undefined;
  loaded++;
  reserve(TEXT + 3 * length + TAIL);
  const end = TEXT + write(answer);
  space.fill(0, end, end + TAIL);
  return end;
}

function write(answer: JsonText | JsonBytes): number {
  if (typeof answer === 'string') return utf8Encoder.encodeInto(answer, space.subarray(TEXT)).written;
  let at = TEXT;
  for (const part of [answer.head, answer.value.bytes, answer.tail]) {
    space.set(part, at);
    at += part.length;
  }
  return at - TEXT;
}

function reserve(end: number): void {
  const missing = Math.ceil((end - space.length) / PAGE);
  if (missing <= 0) return;
  reader.memory.grow(missing);
  space = new Uint8Array(reader.memory.buffer);
  numbers = new DataView(reader.memory.buffer);
}

function read(start: number, end: number): string {
  return utf8Decoder.decode(space.subarray(start, end));
}
