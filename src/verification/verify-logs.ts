import { listBloomBits } from '../primitives/bloom.ts';
import { hexToBytes } from '../primitives/hex.ts';
import type { Members } from './findings.ts';
import type { KnownBlock } from './known-transactions.ts';
import { isMembers, isSameInteger, isSameText } from './members.ts';
import type { VerifiedHeader } from './verify-block.ts';

/** Which logs are meant: values are lower-case, and no alternatives mean all. A log with fewer topics than the list is not meant. */
export type WantedLogs = {
  readonly addresses: readonly string[];
  readonly topics: readonly (readonly string[])[];
};

const BLOOM = /^0x[0-9a-f]{512}$/;
const HEX = /^0x[0-9a-fA-F]*$/;
/** Longer texts are hex where they are those of logs in receipts, and not looked through for it. */
const MAX_TESTED = 4_096;
/** Logs of so many characters are compared whatever is expected. */
const SHORT_LOGS = 64 * 1024;

/** A filter of logs, prepared for many of them. */
export class LogMatcher {
  readonly #addresses: ReadonlySet<string>;
  readonly #topics: readonly ReadonlySet<string>[];
  /** Of each position with alternatives: their bits in a bloom. Made when a bloom is looked at first. */
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

  /** Whether a block with this bloom in its header may have logs that match. */
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

/** @param bit 0 is the last one */
function isBitSet(bloom: string, bit: number): boolean {
  const digit = Number.parseInt(bloom.charAt(bloom.length - 1 - (bit >> 2)), 16);
  return ((digit >> (bit & 3)) & 1) === 1;
}

/**
 * Logs of a block that match, out of its receipts, each as a text that is the same for the same log. Positions are counted, and everything else
 * is what the block has: members of the logs that say so are not read.
 * @param receipts which have been found right
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

/** The description of a log without its data. */
function describePlace(log: Members): string {
  const { topics, transactionHash, address } = log;
  const numbers = [log['blockNumber'], log['logIndex'], log['transactionIndex']].map(Number).join(' ');
  const list = Array.isArray(topics) ? topics.join() : '';
  return `${numbers} ${transactionHash} ${address} ${list} `;
}

/** Whether a description is that of a log, whose data is not copied. */
function isDescription(text: string | undefined, log: Members): boolean {
  if (text === undefined) return false;
  const data = log['data'] as string;
  const place = describePlace(log).toLowerCase();
  if (text.length !== place.length + data.length || !text.startsWith(place)) return false;
  return text.endsWith(data) || text.endsWith(data.toLowerCase());
}

/** How logs of an answer differ from those of the receipts; `lacksFrom` is the first block with a missing one, where nothing else is wrong. */
export type LogDifference = { readonly text: string; readonly lacksFrom?: number };

/**
 * Compares the logs of an answer with those that receipts have.
 * @param expected as `listMatching` lists them
 * @param findHeader of a block that was asked for
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
    // They are not right then, and no more of them is looked at than there is of those that are.
    if (length > room) return { text: 'the logs are longer than those in the receipts of their blocks' };
    if (!isMembers(log) || !isReadable(log))
      return { text: 'a log has a member of another kind than logs have' };
    if (!isPlaced(log, findHeader)) return { text: 'a log names another block than its own' };
    isSame &&= isDescription(expected[i], log);
  }
  if (isSame) return undefined;
  for (const log of told) described.push(describeLog(log as Members));
  const known = new Set(expected);
  if (described.some((log) => !known.has(log))) return { text: 'a log is not in the receipts of its block' };
  const given = new Set(described);
  const missing = expected.find((log) => !given.has(log));
  if (missing !== undefined)
    return {
      text: 'logs are missing that are in the receipts of their block',
      lacksFrom: Number.parseInt(missing, 10),
    };
  return { text: 'logs are not in the order of their blocks, each once' };
}

function sumLengths(texts: readonly string[]): number {
  let sum = 0;
  for (const { length } of texts) sum += length;
  return sum;
}

/** Characters of what its description has of a log, or fewer. */
function measureLog({ address, data, transactionHash, topics }: Members): number {
  let sum = 0;
  for (const value of [address, data, transactionHash, ...(Array.isArray(topics) ? topics : [])])
    if (typeof value === 'string') sum += value.length;
  return sum;
}

/** Whether a node's log has hex where logs have it: `describeLog` would read some other values like them, such as one topic with a comma like two. */
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

/** The block that a log says it is of; below 0 where it says none. */
export function readNumber(blockNumber: unknown): bigint {
  return typeof blockNumber === 'string' && QUANTITY.test(blockNumber) ? BigInt(blockNumber) : NO_BLOCK;
}
