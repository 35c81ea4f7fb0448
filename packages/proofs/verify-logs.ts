import { listBloomBits } from '../ethereum/primitives/bloom.ts';
import { hexToBytes } from '../ethereum/primitives/hex.ts';
import type { Members } from './findings.ts';
import type { KnownBlock } from './known-transactions.ts';
import { isMembers, isSameInteger, isSameText } from './members.ts';
import type { VerifiedHeader } from './verify-block.ts';

/** Log filter. Values are lower-case, and an empty list matches every value. A log with fewer topics than `topics` does not match. */
export type WantedLogs = {
  readonly addresses: readonly string[];
  readonly topics: readonly (readonly string[])[];
};

const BLOOM = /^0x[0-9a-f]{512}$/;
const HEX = /^0x[0-9a-fA-F]*$/;
/**
 * Maximum length of a log's member that is checked for hex digits. A longer member needs no check: if it equals the member in the receipts, it is
 * hex.
 */
const MAX_TESTED = 4_096;
/** Maximum total length in characters of returned logs that are always compared, even if the expected logs are shorter. */
const SHORT_LOGS = 64 * 1024;

/** Log filter prepared for matching many logs. */
export class LogMatcher {
  readonly #addresses: ReadonlySet<string>;
  readonly #topics: readonly ReadonlySet<string>[];
  /** Bloom bits of all wanted addresses, and of the wanted topics at each position. Computed at first use. */
  #bits: readonly (readonly (readonly number[])[])[] | undefined;

  constructor({ addresses, topics }: WantedLogs) {
    this.#addresses = new Set(addresses);
    this.#topics = topics.map((alternatives) => new Set(alternatives));
  }

  matches({ address, topics }: Members): boolean {
    if (typeof address !== 'string' || !Array.isArray(topics)) return false;
    if (this.#addresses.size > 0 && !this.#addresses.has(address.toLowerCase())) return false;
    return this.#topics.every((alternatives, position) => {
      const topic: unknown = topics[position];
      if (typeof topic !== 'string') return false;
      return alternatives.size === 0 || alternatives.has(topic.toLowerCase());
    });
  }

  /** Whether a block with this bloom in its header may contain matching logs. */
  mayMatch(logsBloom: string): boolean {
    if (!BLOOM.test(logsBloom)) return true;
    this.#bits ??= [this.#addresses, ...this.#topics]
      .filter(({ size }) => size > 0)
      .map((alternatives) => [...alternatives].map((value) => listBloomBits(hexToBytes(value))));
    if (/^0x0*$/.test(logsBloom)) return false;
    return this.#bits.every((alternatives) =>
      alternatives.some((bits) => bits.every((bit) => isBitSet(logsBloom, bit))),
    );
  }
}

/** @param bit number of the bit; bit 0 is the last bit of the bloom */
function isBitSet(bloom: string, bit: number): boolean {
  const digit = Number.parseInt(bloom.charAt(bloom.length - 1 - (bit >> 2)), 16);
  return ((digit >> (bit & 3)) & 1) === 1;
}

/**
 * Lists the matching logs of a block from its receipts, each as a canonical text. The log indices are computed, and the block and transaction members
 * come from the block, so these members of the receipts' logs are not read.
 * @param receipts verified receipts
 */
export function listMatching(
  receipts: readonly unknown[],
  { header, transactions }: KnownBlock,
  matcher: LogMatcher,
): readonly string[] {
  const found: string[] = [];
  let logIndex = 0;
  for (const [transactionIndex, receipt] of receipts.entries()) {
    const logs: unknown = isMembers(receipt) ? receipt['logs'] : undefined;
    const place = {
      blockNumber: header.number,
      transactionIndex,
      transactionHash: transactions.facts[transactionIndex]?.hash,
    };
    for (const log of Array.isArray(logs) ? (logs as readonly Members[]) : []) {
      if (matcher.matches(log)) found.push(describeLog({ ...log, ...place, logIndex }));
      logIndex++;
    }
  }
  return found;
}

function describeLog(log: Members): string {
  return `${describePlace(log)}${log['data']}`.toLowerCase();
}

/** Returns the canonical text (description) of a log without its data. */
function describePlace(log: Members): string {
  const { topics, transactionHash, address } = log;
  const numbers = [log['blockNumber'], log['logIndex'], log['transactionIndex']].map(Number).join(' ');
  const list = Array.isArray(topics) ? topics.join() : '';
  return `${numbers} ${transactionHash} ${address} ${list} `;
}

/** Whether the text is the canonical text of the log. The data is compared without a copy. */
function isDescription(text: string | undefined, log: Members): boolean {
  if (text === undefined) return false;
  const data = log['data'] as string;
  const place = describePlace(log).toLowerCase();
  if (text.length !== place.length + data.length || !text.startsWith(place)) return false;
  return text.endsWith(data) || text.endsWith(data.toLowerCase());
}

/** Difference between returned logs and the logs in the receipts. `lacksFrom` is the first block with a missing log, if nothing else is wrong. */
export type LogDifference = { readonly text: string; readonly lacksFrom?: number };

/**
 * Compares the logs of a response with the logs in the receipts.
 * @param told logs as the node returned them
 * @param expected result of `listMatching`
 * @param findHeader returns the header of a requested block by number
 * @returns undefined if the logs are equal
 */
export function compareLogs(
  told: readonly unknown[],
  expected: readonly string[],
  findHeader: (number: bigint) => VerifiedHeader | undefined,
): LogDifference | undefined {
  const described: string[] = [];
  const room = Math.max(SHORT_LOGS, sumLengths(expected));
  let length = 0;
  let isSame = told.length === expected.length;
  for (const [i, log] of told.entries()) {
    length += isMembers(log) ? measureLog(log) : 0;
    // Logs of a response are wrong if their total length exceeds the total length of the correct logs. The length check bounds the work on overlong
    // logs.
    if (length > room) return { text: 'the logs are longer than those in the receipts of their blocks' };
    if (!isMembers(log) || !isReadable(log)) return { text: 'a log has a member of the wrong type' };
    if (!isPlaced(log, findHeader)) return { text: 'a log names the wrong block' };
    isSame &&= isDescription(expected[i], log);
  }
  if (isSame) return undefined;
  for (const log of told) described.push(describeLog(log as Members));
  const known = new Set(expected);
  if (described.some((log) => !known.has(log))) return { text: 'a log is not in the receipts of its block' };
  const provided = new Set(described);
  const missing = expected.find((log) => !provided.has(log));
  if (missing !== undefined)
    return {
      text: 'logs that are in the receipts of their block are missing',
      lacksFrom: Number.parseInt(missing, 10),
    };
  return { text: 'logs are out of order, or listed more than once' };
}

function sumLengths(texts: readonly string[]): number {
  let sum = 0;
  for (const { length } of texts) sum += length;
  return sum;
}

/** Returns a lower bound on the length of a log's description, in characters. */
function measureLog({ address, data, transactionHash, topics }: Members): number {
  let sum = 0;
  for (const value of [address, data, transactionHash, ...(Array.isArray(topics) ? topics : [])])
    if (typeof value === 'string') sum += value.length;
  return sum;
}

/**
 * Whether the members of a log have the expected types. Canonical texts do not distinguish values of other types, for example a topic with a comma
 * from two topics.
 */
function isReadable({ topics, logIndex, transactionIndex, ...texts }: Members): boolean {
  const { address, data, transactionHash } = texts;
  return (
    [logIndex, transactionIndex].every((value) => readNumber(value) !== NO_BLOCK) &&
    Array.isArray(topics) &&
    [address, data, transactionHash, ...topics].every(
      (value) => typeof value === 'string' && (value.length > MAX_TESTED || HEX.test(value)),
    )
  );
}

function isPlaced(log: Members, findHeader: (number: bigint) => VerifiedHeader | undefined): boolean {
  const { blockHash, blockNumber, blockTimestamp, removed } = log;
  const header = findHeader(readNumber(blockNumber));
  return (
    header !== undefined &&
    isSameText(blockHash, header.hash) &&
    (blockTimestamp == null || isSameInteger(blockTimestamp, header.timestamp)) &&
    (removed === undefined || removed === false)
  );
}

const QUANTITY = /^0x[0-9a-fA-F]{1,16}$/;
const NO_BLOCK = -1n;

/** Parses the block number of a log; returns a value below 0 if it is not a quantity. */
export function readNumber(blockNumber: unknown): bigint {
  return typeof blockNumber === 'string' && QUANTITY.test(blockNumber) ? BigInt(blockNumber) : NO_BLOCK;
}
