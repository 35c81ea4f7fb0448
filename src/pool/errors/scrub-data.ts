import { isLowerHex } from '../../../packages/ethereum/primitives/byte-loops.ts';
import { MASK, maskRevertData, maskSecrets, scrubMessage } from './scrub-message.ts';

const HEX = /^0x[0-9a-fA-F]*$/;
const HEX_BEGIN = /^0x/;
/** Matches the beginning of a text that may be JSON. Some proxies put the whole response of the node behind them into a string. */
const JSON_BEGIN = /^[ \t\r\n]{0,64}[[{"]/;
/** Maximum length of the JSON text of an object in passed-through error data, UTF-16 units. */
const MAX_DATA_LENGTH = 64 * 1024;
/**
 * Maximum number and depth of values in error data, including values inside JSON strings. The scanner of answers already limits an error to 1,024
 * values; only values inside of JSON strings can exceed this number.
 */
const MAX_VALUES = 4_096;
const MAX_DEPTH = 64;

/**
 * Prepares the `data` of a node's error for a client: each text, including member names and JSON strings, is scrubbed like the message. A text that
 * is only hex is not changed, except that credentials in a revert reason are masked.
 * @param secrets texts that are masked in messages of the node
 * @param credentials secrets that are masked in revert data too; they cannot be guessed
 * @returns undefined if there is no data, or if it is an object that is too long
 */
export function scrubData(
  data: unknown,
  secrets: readonly string[],
  credentials: readonly string[],
): unknown {
  if (typeof data === 'object' && data !== null && JSON.stringify(data).length > MAX_DATA_LENGTH)
    return undefined;
  if (typeof data === 'string' && isHex(data)) return maskRevertData(data.toLowerCase(), credentials);
  return new DataScrubber(secrets, credentials).scrub(data, 0);
}

/** Whether a text is only hex. Lower-case hex has a fast check, because nodes send megabytes in this form. */
function isHex(text: string): boolean {
  return HEX_BEGIN.test(text) && (isLowerHex(text, 2) || HEX.test(text));
}

class DataScrubber {
  readonly #secrets: readonly string[];
  readonly #credentials: readonly string[];
  #left = MAX_VALUES;

  constructor(secrets: readonly string[], credentials: readonly string[]) {
    this.#secrets = secrets;
    this.#credentials = credentials;
  }

  scrub(value: unknown, depth: number): unknown {
    if (depth > MAX_DEPTH || --this.#left < 0) return MASK;
    if (typeof value === 'string') return this.#scrubText(value, depth);
    if (typeof value === 'number') return this.#isClean(String(value)) ? value : MASK;
    if (Array.isArray(value)) return value.map((item) => this.scrub(item, depth + 1));
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value).map(
      ([name, member]) => [this.#scrubText(name, depth), this.scrub(member, depth + 1)] as const,
    );
    return Object.fromEntries(members);
  }

  #scrubText(text: string, depth: number): string {
    if (text === '') return text;
    if (isHex(text)) return maskRevertData(text, this.#credentials);
    const parsed = readJson(text);
    if (parsed === undefined) return scrubMessage(text, this.#secrets);
    return JSON.stringify(this.scrub(parsed.value, depth + 1));
  }

  #isClean(text: string): boolean {
    return maskSecrets(text, this.#secrets) === text;
  }
}

/** @returns undefined if the text is not JSON, or is too long to be parsed */
function readJson(text: string): { readonly value: unknown } | undefined {
  if (text.length > MAX_DATA_LENGTH || !JSON_BEGIN.test(text)) return undefined;
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
