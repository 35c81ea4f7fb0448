/**
 * Normalizes quantities with leading zeros (`"logIndex":"0x00"`) and null in place of lists (`"logs":null`) in answers of nodes, because
 * go-ethereum's client rejects both. Quantities and lists are recognized by their member names. Data with leading zeros (hashes, addresses, topics)
 * is not changed: it is in members with other names, or in a list. The seal of a header is recognized by its length (`SEAL_LENGTH`).
 */

/**
 * Names of quantities in blocks, transactions, receipts, logs, withdrawals, proofs, simulations, access lists, fee histories and sync states, of
 * Ethereum and of rollups.
 */
const QUANTITY_NAMES: ReadonlySet<string> = new Set([
  ...['number', 'timestamp', 'difficulty', 'totalDifficulty', 'size', 'gasLimit', 'gasUsed', 'baseFeePerGas'],
  ...[
    'blobGasUsed',
    'excessBlobGas',
    'blockNumber',
    'blockTimestamp',
    'transactionIndex',
    'logIndex',
    'index',
  ],
  ...[
    'validatorIndex',
    'amount',
    'type',
    'nonce',
    'gas',
    'gasPrice',
    'maxFeePerGas',
    'maxPriorityFeePerGas',
    'priorityFeePerGas',
  ],
  ...['maxFeePerBlobGas', 'value', 'chainId', 'v', 'r', 's', 'yParity', 'status', 'cumulativeGasUsed'],
  ...['effectiveGasPrice', 'blobGasPrice', 'balance', 'maxUsedGas', 'oldestBlock', 'slotNumber'],
  ...['startingBlock', 'currentBlock', 'highestBlock', 'transactionLogIndex'],
  // Quantities of OP Stack, Nitro and zkSync.
  ...['mint', 'depositNonce', 'depositReceiptVersion', 'l1Fee', 'l1GasPrice', 'l1GasUsed', 'l1BlobBaseFee'],
  ...['l1BaseFeeScalar', 'l1BlobBaseFeeScalar', 'operatorFeeScalar', 'operatorFeeConstant', 'gasUsedForL1'],
  ...[
    'l1BlockNumber',
    'sendCount',
    'l1BatchNumber',
    'l1BatchTimestamp',
    'l1BatchTxIndex',
    'daFootprintGasScalar',
  ],
]);

/**
 * Names of lists for which null means `[]`, because Go's encoder writes null for a nil slice. `withdrawals`, `accessList`, `reward` and others are
 * not in this set. Clients accept null for `withdrawals` and similar lists, and null may mean that the block or transaction has no such member.
 */
const LIST_NAMES: ReadonlySet<string> = new Set([
  ...['transactions', 'uncles', 'logs', 'topics', 'calls', 'storageKeys', 'accountProof', 'storageProof'],
]);

/**
 * Length of the seal in a block header, in hex with `0x`: 8 bytes of data. The seal is in the member `nonce`, which is a quantity in transactions and
 * accounts.
 */
const SEAL_LENGTH = 18;
/** Length of `0x` and 64 digits. */
export const MAX_QUANTITY_LENGTH = 66;
/** Number of bytes before a value that are searched for its name, enough for the longest name, quotes, a colon and some white space. */
export const NAME_ROOM = 64;
const PREFIX_LENGTH = 2;
const QUOTE = 0x22;
const COLON = 0x3a;
const BLANK = 0x20;
const ZERO = 0x30;
const LETTER_X = 0x78;

/**
 * Returns bit sets of the first or last letters of quantity names, by name length; index 0 has the letters of all names. A scan skips members whose
 * names have other first or last letters.
 */
export function listNameLetters(place: 'first' | 'last'): Uint32Array {
  const letters = new Uint32Array(32);
  for (const name of QUANTITY_NAMES) {
    const code = name.charCodeAt(place === 'first' ? 0 : name.length - 1);
    for (const at of [0, name.length]) letters[at] = (letters[at] as number) | (1 << (code & 31));
  }
  return letters;
}

/** Returns a bit set of the lengths of list names. A scan ignores a null if the length of the member name is not in the set. */
export function listNameLengths(): number {
  let lengths = 0;
  for (const { length } of LIST_NAMES) lengths |= 1 << length;
  return lengths;
}

/** Whether the length and the first three characters of a text allow that it is a quantity with leading zeros. */
export function mayBePadded(bytes: Uint8Array, start: number, length: number): boolean {
  return (
    length > PREFIX_LENGTH + 1 &&
    length <= MAX_QUANTITY_LENGTH &&
    bytes[start] === ZERO &&
    bytes[start + 1] === LETTER_X &&
    bytes[start + PREFIX_LENGTH] === ZERO
  );
}

/**
 * Returns the number of superfluous leading zeros of a quantity; 0 if the value is not a quantity or has none.
 * @param bytes JSON that contains the whole value, and before it the name or at least `NAME_ROOM` bytes
 * @param start position of the value's text, after the quote
 */
export function countPadding(bytes: Buffer, start: number): number {
  let end = start + PREFIX_LENGTH;
  let firstDigit = 0;
  for (; bytes[end] !== QUOTE; end++) {
    if (!isDigit(bytes[end])) return 0;
    if (firstDigit === 0 && bytes[end] !== ZERO) firstDigit = end;
  }
  // If all digits are zeros, one of them remains.
  const zeros = (firstDigit === 0 ? end - 1 : firstDigit) - start - PREFIX_LENGTH;
  if (zeros <= 0) return 0;
  const isSeal = end - start === SEAL_LENGTH && readName(bytes, start - 1) === 'nonce';
  if (isSeal || !isQuantityAt(bytes, start)) return 0;
  return zeros;
}

/**
 * Whether the string at `start` (after its quote) is the value of a member that is named like a quantity.
 * @param bytes JSON that contains the value, and before it the name or at least `NAME_ROOM` bytes
 */
export function isQuantityAt(bytes: Buffer, start: number): boolean {
  return QUANTITY_NAMES.has(readName(bytes, start - 1));
}

/**
 * Whether the value at `start` belongs to a member with a name in `LIST_NAMES`.
 * @param bytes JSON that contains the value, and before it the name or at least `NAME_ROOM` bytes
 */
export function isList(bytes: Buffer, start: number): boolean {
  return LIST_NAMES.has(readName(bytes, start));
}

/** Returns the name of the member whose value begins at `quote`; empty if the value is not a member. */
function readName(bytes: Buffer, quote: number): string {
  const colon = skipBlankBack(bytes, quote - 1);
  const end = skipBlankBack(bytes, colon - 1);
  if (bytes[colon] !== COLON || bytes[end] !== QUOTE) return '';
  const least = Math.max(end - NAME_ROOM, 0);
  let from = end;
  while (from > least && bytes[from - 1] !== QUOTE) from--;
  return bytes[from - 1] === QUOTE ? bytes.toString('latin1', from, end) : '';
}

function skipBlankBack(bytes: Buffer, from: number): number {
  let at = from;
  while (at >= 0 && (bytes[at] as number) <= BLANK) at--;
  return at;
}

function isDigit(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  const letter = byte | BLANK;
  return (byte >= ZERO && byte <= 0x39) || (letter >= 0x61 && letter <= 0x66);
}

/**
 * Changes to make in an answer, ordered by position. An entry is a position in the answer multiplied by `MOST_ZEROS`, plus the number of zeros to
 * remove there. An entry with 0 zeros means that a null at the position is replaced by `[]`.
 */
export type Padding = readonly number[];

const MOST_ZEROS = 64;
export const NULL_TEXT: Buffer = Buffer.from('null');
const EMPTY_LIST = Buffer.from('[]');

/**
 * Returns the `Padding` entry that removes zeros.
 * @param at position of the first zero in the answer
 */
export function packPadding(at: number, zeros: number): number {
  return at * MOST_ZEROS + zeros;
}

/**
 * Returns the `Padding` entry that replaces a null with `[]`.
 * @param at position of the null in the answer
 */
export function packNull(at: number): number {
  return at * MOST_ZEROS;
}

/**
 * Applies the changes in `padding` to a part of an answer. Returns `bytes` itself if this part needs no changes.
 * @param base position of the part in the answer
 */
export function trimZeros<B extends Uint8Array>(bytes: B, base: number, padding: Padding): B | Buffer {
  const first = findFirst(padding, base);
  const end = base + bytes.length;
  if (first === padding.length || placeOf(padding[first] as number) >= end) return bytes;
  const trimmed = Buffer.allocUnsafeSlow(bytes.length);
  let length = 0;
  let from = base;
  for (let i = first; i < padding.length; i++) {
    const at = placeOf(padding[i] as number);
    if (at >= end) break;
    if (at > from) {
      trimmed.set(bytes.subarray(from - base, at - base), length);
      length += at - from;
    }
    if (isNull(padding[i] as number)) {
      const list = EMPTY_LIST.subarray(Math.max(base - at, 0), end - at);
      trimmed.set(list, length);
      length += list.length;
    }
    from = endOf(padding[i] as number);
  }
  if (from < end) {
    trimmed.set(bytes.subarray(from - base), length);
    length += end - from;
  }
  return trimmed.subarray(0, length);
}

/** Returns the index of the first entry whose end is after the position `place`. */
function findFirst(padding: Padding, place: number): number {
  let low = 0;
  let high = padding.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (endOf(padding[middle] as number) <= place) low = middle + 1;
    else high = middle;
  }
  return low;
}

function placeOf(packed: number): number {
  return Math.floor(packed / MOST_ZEROS);
}

function endOf(packed: number): number {
  return placeOf(packed) + (isNull(packed) ? NULL_TEXT.length : packed % MOST_ZEROS);
}

function isNull(packed: number): boolean {
  return packed % MOST_ZEROS === 0;
}
