import { decodeHexInto, isLowerHex } from '../../../../packages/ethereum/primitives/byte-loops.ts';
import type { JsonResult, JsonText } from '../../../../packages/ethereum/primitives/json-result.ts';
import { encodeQuantity } from '../../../../packages/ethereum/primitives/quantity.ts';
import { UpstreamFault } from '../../../pool/fault.ts';
import { checkStream, type StreamCheck } from './check-stream.ts';

const DATA = /^\s*"0x(?:[0-9a-fA-F]{2})*"\s*$/;
/** JSON string of a quantity in normal form: lower case, without leading zeros. Nearly all nodes send this form. */
const QUANTITY = /^"0x(?:0|[1-9a-f][0-9a-f]{0,63})"$/;
/** Other accepted forms: a JSON number, or a quantity with leading zeros, upper-case digits or surrounding white space. */
const LOOSE_QUANTITY = /^\s*(?:"0[xX]0*([0-9a-fA-F]{1,64})"|(0|[1-9][0-9]{0,15}))\s*$/;

const HEX = /^\s*"0x[0-9a-fA-F]*"\s*$/;
/**
 * Maximum length of a text that is checked with a regular expression. For longer texts, a regular expression is eight times as slow as decoding and
 * takes more memory than the text.
 */
const MAX_PATTERN_LENGTH = 4_096;
const PIECE_LENGTH = 64 * 1024;
/** Unused output of the hex decoder, which runs only to validate digits. */
const DECODED = new Uint8Array(PIECE_LENGTH / 2);

/**
 * Checks that a result is hex data of whole bytes.
 * @throws UpstreamFault `wrong` if the result is not hex data
 */
export function checkData(result: JsonResult): JsonResult {
  if (typeof result !== 'string') return checkStream(result, new DataCheck());
  if (result.length <= MAX_PATTERN_LENGTH) return checkPattern(result, DATA, NO_DATA);
  if (isLongData(result)) return result;
  throw new UpstreamFault('wrong', NO_DATA);
}

function isLongData(result: JsonText): boolean {
  const text = result.trim();
  if (!text.startsWith(BEGIN) || !text.endsWith('"') || text.length % 2 !== 0) return false;
  const end = text.length - 1;
  for (let at = BEGIN.length; at < end; at += PIECE_LENGTH) {
    const piece = text.slice(at, Math.min(at + PIECE_LENGTH, end));
    if (!isLowerHex(piece, 0) && !decodeHexInto(DECODED, 0, piece, 0)) return false;
  }
  return true;
}

/** Checks that a storage value is hex of any length, because some clients omit leading zeros. */
export function checkHex(result: JsonResult): JsonResult {
  return checkPattern(result, HEX, 'the result is not hex');
}

/**
 * Checks a quantity of at most 32 bytes and returns its normal form. Some nodes send JSON numbers or leading zeros, which go-ethereum's client
 * rejects.
 * @throws UpstreamFault `wrong` if the result is not a quantity
 */
export function checkQuantity(result: JsonResult): JsonResult {
  if (typeof result !== 'string') {
    result.cancel();
    throw new UpstreamFault('wrong', NO_QUANTITY);
  }
  if (QUANTITY.test(result)) return result;
  const [, digits, number] = (result.length <= MAX_PATTERN_LENGTH && LOOSE_QUANTITY.exec(result)) || [];
  const value = digits === undefined ? number : `0x${digits}`;
  if (value === undefined || (number !== undefined && !Number.isSafeInteger(Number(number))))
    throw new UpstreamFault('wrong', NO_QUANTITY);
  return `"${encodeQuantity(BigInt(value))}"`;
}

function checkPattern(result: JsonResult, pattern: RegExp, message: string): JsonResult {
  if (typeof result === 'string' && pattern.test(result)) return result;
  if (typeof result !== 'string') result.cancel();
  throw new UpstreamFault('wrong', message);
}

const NO_QUANTITY = 'the result is not a quantity';
const NO_DATA = 'the result of a call is not hex data';
const BEGIN = '"0x';
const NOT_HEX = /[^0-9a-fA-F]/;

/** Checks that a stream is one JSON string with hex data of whole bytes. */
class DataCheck implements StreamCheck {
  /** First characters of the stream, up to the length of `BEGIN`. */
  #begin = '';
  #digits = 0;
  #isComplete = false;

  add(piece: string): void {
    let digits = piece;
    if (this.#begin.length < BEGIN.length) {
      const text = this.#begin + piece;
      this.#begin = text.slice(0, BEGIN.length);
      digits = text.slice(BEGIN.length);
      if (!BEGIN.startsWith(this.#begin)) throw new UpstreamFault('wrong', NO_DATA);
    }
    if (this.#isComplete && digits !== '') throw new UpstreamFault('wrong', NO_DATA);
    if (digits.endsWith('"')) {
      this.#isComplete = true;
      digits = digits.slice(0, -1);
    }
    if (NOT_HEX.test(digits)) throw new UpstreamFault('wrong', NO_DATA);
    this.#digits += digits.length;
  }

  finish(): void {
    if (!this.#isComplete || this.#digits % 2 !== 0) throw new UpstreamFault('wrong', NO_DATA);
  }
}
