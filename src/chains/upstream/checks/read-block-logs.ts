import { createHash, type Hash } from 'node:crypto';
import { addToBloom, BLOOM_LENGTH } from '../../../../packages/ethereum/primitives/bloom.ts';
import { hexToBytes } from '../../../../packages/ethereum/primitives/hex.ts';
import { encodeQuantity } from '../../../../packages/ethereum/primitives/quantity.ts';
import type { Characters } from '../../../../packages/ethereum/primitives/utf8-text.ts';
import { isSameText } from '../../../../packages/proofs/members.ts';
import type { BlockLog } from '../../../chain/chain.ts';
import { UpstreamFault } from '../../../pool/fault.ts';
import type { ReportedBlock } from '../../../pool/heads/block.ts';
import { scanLogs } from './scan-logs.ts';

/**
 * Contradiction between logs and their block's header. `missing`: the bloom has bits that no sent log explains, or the log indexes have gaps.
 * `extra`: the bloom lacks bits of sent logs. Some chains have no bloom in their headers (zkSync Era), or a bloom that lacks some logs (Polygon's
 * state sync); on these chains, correct answers have the contradiction `extra`.
 */
export type LogContradiction = 'missing' | 'extra';

/** Logs of a block from a node, compared with the block's header. */
export type ReadLogs = {
  readonly logs: readonly BlockLog[];
  readonly contradiction: LogContradiction | undefined;
  /** Digest of the logs, which is equal for equal logs from any node. */
  readonly digest: string;
};

const ADDRESS = /^0x[0-9a-f]{40}$/;
const WORD = /^0x[0-9a-f]{64}$/;
const QUANTITY = /^0x[0-9a-fA-F]{1,16}$/;
const MAX_TOPICS = 4;
/** Number of logs that are read between two pauses, in a fraction of a millisecond. */
const STEP_LOGS = 32;

/**
 * Reads the logs in receipts or in lists of logs, and compares them with their block. Pauses about once a millisecond.
 * @param text JSON of receipts or of lists of logs, as `scanLogs` reads it
 * @throws UpstreamFault `wrong` if logs belong to another block or are out of order
 */
export function* readBlockLogs(text: Characters, block: ReportedBlock): Generator<undefined, ReadLogs> {
  const reader = new BlockLogReader(block);
  for (const log of scanLogs(text)) {
    if (log !== undefined) reader.add(JSON.parse(log) as Members);
    if (log === undefined || reader.count % STEP_LOGS === 0) yield;
  }
  return reader.finish();
}

type Members = Readonly<Record<string, unknown>>;

/** Reads the logs of a block in one pass. */
class BlockLogReader {
  readonly #block: ReportedBlock;
  readonly #timestamp: string;
  readonly #logs: BlockLog[] = [];
  readonly #bloom = new Uint8Array(BLOOM_LENGTH);
  /** Addresses and topics that were already added to the bloom. */
  readonly #added = new Set<string>();
  readonly #digest: Hash = createHash('sha256');
  #lastIndex = -1;

  constructor(block: ReportedBlock) {
    this.#block = block;
    this.#timestamp = encodeQuantity(block.timestamp);
  }

  get count(): number {
    return this.#logs.length;
  }

  add(log: Members): void {
    const address = readHex(log['address'], ADDRESS);
    const topics = readTopics(log['topics']);
    const index = readNumber(log['logIndex']);
    if (index <= this.#lastIndex) throw wrong('logs out of order');
    this.#lastIndex = index;
    this.#checkPlace(log);
    for (const value of [address, ...topics]) this.#addToBloom(value);
    const { data, transactionHash, removed: _, ...rest } = log;
    if (typeof data !== 'string') throw wrong('logs without data');
    this.#digest.update(`${index} ${address} ${topics.join()} ${data} ${transactionHash}\n`);
    const { blockTimestamp = this.#timestamp } = rest;
    const fields = { ...rest, data, transactionHash, blockTimestamp };
    this.#logs.push({ address, topics, json: `${JSON.stringify(fields).slice(0, -1)},"removed":false}` });
  }

  finish(): ReadLogs {
    const hasGaps = this.#lastIndex + 1 !== this.#logs.length;
    return {
      logs: this.#logs,
      contradiction: hasGaps ? 'missing' : this.#compareBloom(),
      digest: this.#digest.digest('hex'),
    };
  }

  /**
   * Checks the block and the transaction of a log. Some chains have logs whose transaction index is past the block's last transaction (Celo's system
   * logs).
   */
  #checkPlace(log: Members): void {
    const { hash, number, transactionHashes } = this.#block;
    if (!isSameText(log['blockHash'], hash) || readNumber(log['blockNumber']) !== Number(number)) {
      throw wrong('logs of another block');
    }
    const listed = transactionHashes[readNumber(log['transactionIndex'])];
    if (listed !== undefined && !isSameText(log['transactionHash'], listed)) {
      throw wrong('logs of transactions that are not in the block');
    }
  }

  #addToBloom(value: string): void {
    if (this.#added.has(value)) return;
    this.#added.add(value);
    addToBloom(this.#bloom, hexToBytes(value));
  }

  #compareBloom(): LogContradiction | undefined {
    const { logsBloom } = this.#block;
    if (logsBloom === undefined) return undefined;
    const committed = hexToBytes(logsBloom);
    let isExtra = false;
    for (const [i, own] of this.#bloom.entries()) {
      const expected = committed[i] as number;
      if ((expected & ~own) !== 0) return 'missing';
      if (expected !== own) isExtra = true;
    }
    return isExtra ? 'extra' : undefined;
  }
}

function readTopics(value: unknown): readonly string[] {
  if (!Array.isArray(value) || value.length > MAX_TOPICS) throw wrong('logs without topics');
  return value.map((topic) => readHex(topic, WORD));
}

function readHex(value: unknown, pattern: RegExp): string {
  const text = typeof value === 'string' ? value.toLowerCase() : '';
  if (!pattern.test(text)) throw wrong('malformed logs');
  return text;
}

function readNumber(value: unknown): number {
  if (typeof value === 'string' && QUANTITY.test(value)) return Number(value);
  throw wrong('logs without a valid position');
}

function wrong(what: string): UpstreamFault {
  return new UpstreamFault('wrong', `the node returned ${what}`);
}
