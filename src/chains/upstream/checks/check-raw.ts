/** Compares encoded headers, blocks, receipts and transactions (RLP or EIP-2718 envelopes) with their block. */

import { bytesToHex, hexToBytes } from '../../../../packages/ethereum/primitives/hex.ts';
import type { JsonResult, JsonText } from '../../../../packages/ethereum/primitives/json-result.ts';
import { keccak256 } from '../../../../packages/ethereum/primitives/keccak.ts';
import {
  asBytes,
  asInteger,
  asList,
  decodeRlp,
  readRlpSpan,
} from '../../../../packages/ethereum/primitives/rlp.ts';
import { UpstreamFault } from '../../../pool/fault.ts';
import type { ReportedBlock } from '../../../pool/heads/block.ts';
import { checkStream, type StreamCheck } from './check-stream.ts';
import { checkData } from './check-values.ts';

/** Maximum length of an encoded header, bytes. The longest known headers have seals of a hundred validators and a tenth of this length. */
const MAX_HEADER_BYTES = 65_536;
const PREFIX = '"0x';
/** Number of characters from which the end of the header is computed: the prefix, and two RLP length prefixes of up to 9 bytes in hex. */
const LENGTHS_CHARACTERS = PREFIX.length + 2 * 18;
/** Ethereum's maximum length of extra data, bytes. Longer extra data contains the seals of IBFT or QBFT, which are not part of the block hash. */
const MAX_UNSEALED_BYTES = 32;
/** Indexes of fields in the RLP list of a header. */
const PARENT_HASH = 0;
const TIMESTAMP = 11;
const EXTRA_DATA = 12;

/**
 * Creates a check that an encoded block, or an encoded header, begins with the header of this block.
 * @returns a check that throws UpstreamFault `wrong` if the header has another hash
 */
export function checkRawHeader(
  block: ReportedBlock,
  part: 'block' | 'header',
): (result: JsonResult) => JsonResult {
  return (result) => {
    const check = new RawHeaderCheck(block, part);
    // The digits of a stream are validated only up to the end of the header.
    if (typeof result !== 'string') return checkStream(result, check);
    check.add((checkData(result) as string).trim());
    check.finish();
    return result;
  };
}

class RawHeaderCheck implements StreamCheck {
  readonly #block: ReportedBlock;
  readonly #part: 'block' | 'header';
  #begin = '';
  /**
   * Number of characters of the stream that must have arrived before the header is parsed again. Without this number, a stream in pieces of one byte
   * would be parsed after every byte.
   */
  #wanted = LENGTHS_CHARACTERS;
  #isChecked = false;

  constructor(block: ReportedBlock, part: 'block' | 'header') {
    this.#block = block;
    this.#part = part;
  }

  add(piece: string): void {
    if (this.#isChecked) return;
    this.#begin += piece.slice(0, PREFIX.length + 2 * MAX_HEADER_BYTES);
    if (this.#begin.length < this.#wanted) return;
    const header = this.#readHeader();
    if (header === undefined) return;
    if (!isHeaderOf(header, this.#block)) throw notOfBlock();
    this.#isChecked = true;
    this.#begin = '';
  }

  finish(): void {
    if (!this.#isChecked) throw notOfBlock();
  }

  /**
   * Reads the header; returns undefined while it is incomplete.
   * @throws UpstreamFault if the characters so far cannot begin an encoded header
   */
  #readHeader(): Uint8Array | undefined {
    const bytes = hexToBytes(/^"(0x(?:[0-9a-fA-F]{2})*)/.exec(this.#begin)?.[1] ?? '0x');
    const { start, end } = this.#findHeader(bytes);
    if (end <= bytes.length) return bytes.subarray(start, end);
    const wanted = PREFIX.length + 2 * end;
    // The header is too long, or all its characters have arrived but some of them are not hex digits.
    if (end > MAX_HEADER_BYTES || wanted <= this.#wanted) throw notOfBlock();
    this.#wanted = wanted;
    return undefined;
  }

  #findHeader(bytes: Uint8Array): { readonly start: number; readonly end: number } {
    try {
      const start = this.#part === 'block' ? readRlpSpan(bytes, 0, bytes.length)?.start : 0;
      const span = start === undefined ? undefined : readRlpSpan(bytes, start, bytes.length);
      if (start !== undefined && span !== undefined) return { start, end: span.end };
    } catch {
      // Malformed RLP leads to the same fault as another header.
    }
    throw notOfBlock();
  }
}

function isHeaderOf(encoded: Uint8Array, { hash, parentHash, timestamp, extraData }: ReportedBlock): boolean {
  if (bytesToHex(keccak256(encoded)) === hash) return true;
  if ((extraData.length - 2) / 2 <= MAX_UNSEALED_BYTES) return false;
  try {
    const fields = asList(decodeRlp(encoded), 'header');
    return (
      bytesToHex(asBytes(fields[PARENT_HASH], 'parentHash')) === parentHash &&
      asInteger(fields[TIMESTAMP], 'timestamp') === timestamp &&
      bytesToHex(asBytes(fields[EXTRA_DATA], 'extraData')) === extraData
    );
  } catch {
    return false;
  }
}

function notOfBlock(): UpstreamFault {
  return new UpstreamFault('wrong', 'the encoded header does not belong to the block');
}

/**
 * Creates a check that there is one encoded receipt per transaction of the block. Only the number of receipts is compared, because encoded receipts
 * do not name their block.
 */
export function checkRawReceipts({ transactionHashes }: ReportedBlock): (result: JsonResult) => JsonResult {
  return (result) => {
    const check = new RawReceiptsCheck(transactionHashes.length);
    if (typeof result !== 'string') return checkStream(result, check);
    check.add(result.trim());
    check.finish();
    return result;
  };
}

class RawReceiptsCheck implements StreamCheck {
  readonly #count: number;
  #quotes = 0;
  #hasBegun = false;

  constructor(count: number) {
    this.#count = count;
  }

  add(piece: string): void {
    if (!this.#hasBegun && !piece.startsWith('['))
      throw new UpstreamFault('wrong', 'the receipts are not an array');
    this.#hasBegun = true;
    for (let at = piece.indexOf('"'); at >= 0; at = piece.indexOf('"', at + 1)) this.#quotes++;
  }

  finish(): void {
    if (this.#quotes !== 2 * this.#count) {
      throw new UpstreamFault('wrong', 'the number of receipts differs from the number of transactions');
    }
  }
}

/**
 * EIP-2718 transaction types whose hash is the hash of the encoded bytes. A legacy transaction is an RLP list and has no type. Some chains define
 * types whose hash follows other rules.
 */
const HASHED_TYPES: ReadonlySet<number> = new Set([1, 2, 3, 4]);
const LIST_BASE = 0xc0;

/**
 * Creates a check that an encoded transaction has this hash. If geth does not know a transaction, it returns `"0x"`; the check converts this to null.
 * @param isListed true if a block lists the transaction, so that an unknown transaction is a fault
 * @param isEvery true if the hash is compared for every type, because `hash` was computed from the encoded bytes
 * @returns a check that throws UpstreamFault `wrong` for another transaction, and `missing` if the node lacks a listed transaction
 */
export function checkRawTransaction(
  hash: string,
  isListed: boolean,
  isEvery = false,
): (result: JsonResult) => JsonResult {
  return (result) => {
    const text = (checkData(result) as string).trim();
    if (text === '"0x"') {
      if (!isListed) return 'null';
      throw new UpstreamFault('missing', 'the node lacks data that it should have');
    }
    if (isOfHash(text, hash) || !(isEvery || isHashed(text))) return text;
    throw new UpstreamFault('wrong', 'the encoded transaction is not the requested one');
  };
}

/** Returns whether the encoded transaction in a JSON string has this hash. */
export function isOfHash(text: JsonText, hash: string): boolean {
  return bytesToHex(keccak256(hexToBytes(text.slice(1, -1)))) === hash;
}

/** Returns whether the type of an encoded transaction defines its hash as the hash of the encoded bytes. */
function isHashed(text: JsonText): boolean {
  const first = Number.parseInt(text.slice(3, 5), 16);
  return HASHED_TYPES.has(first) || first >= LIST_BASE;
}
