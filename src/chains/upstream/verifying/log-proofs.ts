import {
  isComplete,
  type JsonBytes,
  type JsonResult,
  type JsonText,
} from '../../../../packages/ethereum/primitives/json-result.ts';
import { parseJsonText } from '../../../../packages/ethereum/primitives/parse-json.ts';
import { encodeQuantity } from '../../../../packages/ethereum/primitives/quantity.ts';
import { Findings, type Members, type Subject } from '../../../../packages/proofs/findings.ts';
import { isSameText } from '../../../../packages/proofs/members.ts';
import type { VerifiedHeader } from '../../../../packages/proofs/verify-block.ts';
import {
  compareLogs,
  LogMatcher,
  listMatching,
  readNumber,
  type WantedLogs,
} from '../../../../packages/proofs/verify-logs.ts';
import { ChainError } from '../../../chain/errors.ts';
import { type LogLimits, type LogRange, refuseLogs } from '../../../chain/log-range.ts';
import { UpstreamFault } from '../../../pool/fault.ts';
import { parseText } from '../../../pool/parse-text.ts';
import type { Upstream } from '../../../pool/upstream.ts';
import type { AnswerMemory } from '../../../util/answer-memory.ts';
import type { RequestScope } from '../../../util/request-scope.ts';
import { SCHEDULER, SLOT_MS } from '../../../util/slot-scheduler.ts';
import type { FoundBlock } from '../block-access.ts';
import type { BlockRequests } from '../block-requests.ts';
import { refuseMany } from '../checks/check-logs.ts';
import { keepUnique } from '../keep-unique.ts';
import type { VerifiedBlock } from './verified-blocks.ts';
import type { Verifier } from './verifier.ts';

/** Parts of blocks and receipts (`Subject`) that must be verified before logs are derived from them. */
const LOG_SUBJECTS: readonly Subject[] = ['header', 'transactions', 'receipts', 'place', 'logIndex', 'logs'];
/** Number of blocks whose transactions and receipts one client request fetches concurrently. */
const BLOCKS_AT_ONCE = 4;
/**
 * If a block is less than this number of blocks below the head, missing logs are no fault: a node may have the block before it has indexed the logs.
 */
const INDEXING_BLOCKS = 8n;
const HASH = /^0x[0-9a-fA-F]{64}$/;

export type LogProofParts = {
  readonly verifier: Verifier;
  readonly blocks: BlockRequests;
  /** Returns a cached verified header. */
  readonly findHeader: (hash: string) => VerifiedHeader | undefined;
  /** Maximum number of blocks in a range whose logs are verified. */
  readonly maxBlocks: number;
  readonly limits: LogLimits;
  readonly headNumber: () => bigint;
};

/** A block of a range. `logs` are the matching logs of the block as JSON; undefined until its receipts were read. */
type Row = {
  readonly found: FoundBlock;
  readonly header: VerifiedHeader;
  logs: readonly string[] | undefined;
};

/**
 * Error of an answer with logs in blocks whose blooms exclude them. Logs that a bloom excludes count as a fault of the node only after the receipts
 * of their block were read.
 */
export class UnexpectedLogs extends Error {
  override readonly name = 'UnexpectedLogs';
  readonly numbers: readonly bigint[];

  constructor(numbers: readonly bigint[]) {
    super('the answer has logs of blocks whose blooms exclude them');
    this.numbers = numbers;
  }
}

/** Derives the logs that match a filter from verified receipts. Reads only the receipts of blocks whose blooms do not exclude a match. */
export class LogProofs {
  readonly #parts: LogProofParts;
  /** True after a verified block had logs that its header's bloom excludes, which shows that the blooms of this chain are unusable. */
  #isBloomless = false;

  constructor(parts: LogProofParts) {
    this.#parts = parts;
  }

  /** Returns the reason why logs of a range are unverifiable, as a clause for an error text; undefined if verification can be attempted. */
  whyNot({ first, last }: LogRange): string | undefined {
    const { verifier, maxBlocks } = this.#parts;
    if (this.isTooLong({ first, last })) {
      const range = `[${encodeQuantity(first)}, ${encodeQuantity(last)}]`;
      return `the range ${range} has ${last - first + 1n} blocks, but verifyLogBlocks of this network is ${maxBlocks}`;
    }
    const provided = LOG_SUBJECTS.find((subject) => !verifier.canVerify(subject, last));
    return provided && verifier.whyUnverifiable({ number: last, hash: '' }, [provided]);
  }

  /** Returns whether a range has more blocks than the limit for verification. */
  isTooLong({ first, last }: LogRange): boolean {
    return last - first >= BigInt(this.#parts.maxBlocks);
  }

  /** Splits a range at forks into consecutive parts, so that the logs of a part are either all verifiable or all unverifiable. */
  divide({ first, last }: LogRange): readonly LogRange[] {
    let next = first;
    return this.#parts.verifier.calibration.divide(LOG_SUBJECTS, first, last).map((end) => {
      const part = { first: next, last: end };
      next = end + 1n;
      return part;
    });
  }

  /** Returns the reason why logs in a block's receipts are not verified, as a clause for an error text; undefined if they are verified. */
  whyUnverifiable({ number, hash }: Pick<FoundBlock['block'], 'number' | 'hash'>): string | undefined {
    return this.#parts.verifier.whyUnverifiable({ number, hash }, LOG_SUBJECTS);
  }

  /**
   * Returns the receipts of a block, verified against its header.
   * @throws UpstreamFault if the nodes lack the receipts or the block
   */
  async getReceipts(found: FoundBlock, scope: RequestScope): Promise<JsonText | JsonBytes> {
    const { receipts } = await requestReceipts(this.#parts, found, scope);
    return receipts;
  }

  /**
   * Derives the logs that match a filter, and requests missing blocks and receipts from nodes.
   * @param found consecutive blocks
   * @param memory memory reservation for the derived logs; the caller releases it
   * @throws UpstreamFault if no node has the data
   * @throws ChainError if the logs exceed the limits of one answer
   */
  async find(
    found: readonly FoundBlock[],
    wanted: WantedLogs,
    memory: AnswerMemory,
    scope: RequestScope,
  ): Promise<ExpectedLogs> {
    const { findHeader, blocks } = this.#parts;
    const rows: Row[] = [];
    for (const each of found) {
      // If calibration was not complete when a block was requested, the block was not verified and is requested again.
      const header =
        findHeader(each.block.hash) ?? (await blocks.getReceiptsOf(each, scope, true)).proven?.header;
      if (header === undefined)
        throw new UpstreamFault('unsupported', 'a header of the range was not verified');
      rows.push({ found: each, header, logs: undefined });
    }
    const expected = new ExpectedLogs(this.#parts, new LogMatcher(wanted), rows, memory);
    await expected.examine(expected.listPossible(this.#isBloomless), scope);
    return expected;
  }

  /** An answer has logs in blocks whose blooms exclude them. Reads the receipts of these blocks. */
  async findMore(expected: ExpectedLogs, { numbers }: UnexpectedLogs, scope: RequestScope): Promise<void> {
    await expected.examine(numbers, scope);
    if (numbers.some((number) => expected.has(number))) this.#isBloomless = true;
  }
}

/** Logs of a range that match a filter, as derived from verified receipts. */
export class ExpectedLogs {
  readonly #parts: LogProofParts;
  readonly #matcher: LogMatcher;
  readonly #rows: ReadonlyMap<bigint, Row>;
  readonly #memory: AnswerMemory;
  #results = 0;
  #bytes = 0;

  /** @param rows one row per block of the range, in order */
  constructor(parts: LogProofParts, matcher: LogMatcher, rows: readonly Row[], memory: AnswerMemory) {
    this.#parts = parts;
    this.#matcher = matcher;
    this.#rows = new Map(rows.map((row) => [row.header.number, row]));
    this.#memory = memory;
  }

  /** Returns the hash of a block of the range. */
  hashOf(number: bigint): string | undefined {
    return this.#rows.get(number)?.header.hash;
  }

  /** Returns whether the receipts of a block contain matching logs. */
  has(number: bigint): boolean {
    return (this.#rows.get(number)?.logs?.length ?? 0) > 0;
  }

  /**
   * Returns the numbers of the blocks that may have matching logs.
   * @param isBloomless true if the blooms are unusable, so that all blocks are returned
   */
  listPossible(isBloomless: boolean): readonly bigint[] {
    return [...this.#rows.values()]
      .filter(({ header }) => isBloomless || this.#matcher.mayMatch(header.logsBloom))
      .map(({ header }) => header.number);
  }

  /**
   * Requests the receipts of blocks, `BLOCKS_AT_ONCE` concurrently, and derives their matching logs.
   * @throws ChainError if the logs exceed the limits of one answer
   */
  async examine(numbers: readonly bigint[], scope: RequestScope): Promise<void> {
    for (let at = 0; at < numbers.length; at += BLOCKS_AT_ONCE) {
      const rows = numbers.slice(at, at + BLOCKS_AT_ONCE).map((number) => this.#rows.get(number) as Row);
      const found = await Promise.all(rows.map(({ found }) => this.#findLogs(found, scope)));
      for (const [i, row] of rows.entries()) this.#keep(row, found[i] ?? []);
    }
  }

  /** Returns the reason why the derived logs are not verified, as a clause for an error text; undefined if they are verified. */
  whyUnverifiable(): string | undefined {
    const { verifier } = this.#parts;
    let child: VerifiedHeader | undefined;
    for (const { header, logs } of [...this.#rows.values()].reverse()) {
      if (child !== undefined && child.parentHash !== header.hash)
        return 'the blocks of the range do not form a chain';
      child = header;
      const why = verifier.whyUnverifiable(header, logs === undefined ? ['header'] : LOG_SUBJECTS);
      if (why !== undefined) return why;
    }
    return undefined;
  }

  /**
   * Compares the logs in an answer about a part of the range with the derived logs.
   * @returns the same answer, serialized again if an object repeats a name
   * @throws UpstreamFault `wrong`
   * @throws UnexpectedLogs if the answer has logs in blocks whose receipts were not read
   */
  compare(
    result: JsonResult,
    { first, last }: LogRange,
    upstream: Upstream | undefined,
  ): JsonText | JsonBytes {
    const logs: unknown = isComplete(result) ? parseJsonText(result) : undefined;
    if (!isComplete(result) || !Array.isArray(logs))
      throw new UpstreamFault('wrong', 'the logs are not an array');
    refuseMany(logs, this.#parts.limits.results, { first, last });
    const rows = new Map([...this.#rows].filter(([number]) => number >= first && number <= last));
    const unexpected = new Set<bigint>();
    for (const { blockHash, blockNumber } of logs.map((log) => Object(log) as Members)) {
      const row = rows.get(readNumber(blockNumber));
      if (row === undefined) continue;
      if (isHash(blockHash) && !isSameText(blockHash, row.header.hash))
        throw new UpstreamFault(
          'wrong',
          'the node returned logs of a block other than the one at this height',
        );
      if (row.logs === undefined) unexpected.add(row.header.number);
    }
    if (unexpected.size > 0) throw new UnexpectedLogs([...unexpected]);
    const expected = [...rows.values()].flatMap((row) => row.logs ?? []);
    const difference = compareLogs(logs, expected, (number) => rows.get(number)?.header);
    const { verifier, headNumber } = this.#parts;
    if (difference?.lacksFrom !== undefined && BigInt(difference.lacksFrom) + INDEXING_BLOCKS > headNumber())
      throw new UpstreamFault('wrong', 'the node did not return all logs of a recent block');
    const findings = new Findings();
    if (difference !== undefined) findings.contradict('logs', difference.text);
    verifier.classify(
      { number: last, hash: rows.get(last)?.header.hash ?? '' },
      findings.list,
      ['logs'],
      upstream,
      expected.length > 0 ? ['logs'] : [],
    );
    return keepUnique(result);
  }

  async #findLogs(found: FoundBlock, scope: RequestScope): Promise<readonly string[]> {
    const { receipts, proven } = await requestReceipts(this.#parts, found, scope);
    // Parsing the receipts of a large block takes about the time of one scheduler slot.
    await SCHEDULER.pause(scope.owner ?? '', SLOT_MS);
    const list = (await parseText(receipts, scope)) as readonly unknown[];
    return listMatching(list, proven, this.#matcher);
  }

  #keep(row: Row, logs: readonly string[]): void {
    const { limits } = this.#parts;
    const bytes = logs.reduce((sum, { length }) => sum + length, 0);
    if (!this.#memory.hold(bytes)) throw new ChainError('busy', 'answers.bytes');
    row.logs = logs;
    this.#results += logs.length;
    this.#bytes += bytes;
    const [first = 0n] = this.#rows.keys();
    const { number } = row.header;
    if (this.#results > limits.results) throw refuseLogs('results', limits.results, { first }, number);
    if (this.#bytes >= limits.bytes) throw refuseLogs('bytes', limits.bytes, { first }, number);
  }
}

/**
 * Returns the receipts of a block, and the verified block with which they were compared.
 * @throws UpstreamFault if no node has the receipts
 */
async function requestReceipts(
  { blocks }: LogProofParts,
  found: FoundBlock,
  scope: RequestScope,
): Promise<{ readonly receipts: JsonText | JsonBytes; readonly proven: VerifiedBlock }> {
  const { receipts, proven } = await blocks.getReceiptsOf(found, scope, true);
  if (!isComplete(receipts))
    throw new UpstreamFault('tooLarge', 'the receipts of a block are too large to be buffered');
  if (proven === undefined) throw new UpstreamFault('unsupported', 'a block with logs was not verified');
  return { receipts, proven };
}

function isHash(value: unknown): boolean {
  return typeof value === 'string' && HASH.test(value);
}
