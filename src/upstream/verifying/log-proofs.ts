import { ChainError } from '../../chain/errors.ts';
import { type LogLimits, type LogRange, refuseLogs } from '../../chain/log-range.ts';
import { isComplete, type JsonBytes, type JsonResult, type JsonText } from '../../primitives/json-result.ts';
import { parseJsonText } from '../../primitives/parse-json.ts';
import { encodeQuantity } from '../../primitives/quantity.ts';
import type { AnswerMemory } from '../../util/answer-memory.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { TURN_MS, TURNS } from '../../util/turn-queue.ts';
import { Findings, type Members, type Subject } from '../../verification/findings.ts';
import { isSameText } from '../../verification/members.ts';
import type { VerifiedHeader } from '../../verification/verify-block.ts';
import {
  compareLogs,
  LogMatcher,
  listMatching,
  readNumber,
  type WantedLogs,
} from '../../verification/verify-logs.ts';
import type { FoundBlock } from '../block-access.ts';
import type { BlockQuestions } from '../block-questions.ts';
import { refuseMany } from '../checks/check-logs.ts';
import { UpstreamFault } from '../fault.ts';
import { keepUnique } from '../keep-unique.ts';
import { parseText } from '../parse-text.ts';
import type { Upstream } from '../upstream.ts';
import type { ProvenBlock } from './proven-blocks.ts';
import type { Verifier } from './verifier.ts';

/** What logs follow from. */
const LOG_SUBJECTS: readonly Subject[] = ['header', 'transactions', 'receipts', 'place', 'logIndex', 'logs'];
/** Blocks of one question of which transactions and receipts are asked for at the same time. */
const BLOCKS_AT_ONCE = 4;
/** Blocks below the head of which a node may know the header and have no logs yet: that is no lie. */
const INDEXING_BLOCKS = 8n;
const HASH = /^0x[0-9a-fA-F]{64}$/;

export type LogProofParts = {
  readonly verifier: Verifier;
  readonly blocks: BlockQuestions;
  /** A header that was verified, where it is remembered. */
  readonly findHeader: (hash: string) => VerifiedHeader | undefined;
  /** Blocks of a range beyond which its logs are not verified. */
  readonly maxBlocks: number;
  readonly limits: LogLimits;
  readonly headNumber: () => bigint;
};

/** A block of a range, with its matching logs once its receipts were read. */
type Row = {
  readonly found: FoundBlock;
  readonly header: VerifiedHeader;
  logs: readonly string[] | undefined;
};

/** An answer has logs of blocks that cannot have them by their blooms: their receipts have to be looked at before a node is blamed. */
export class UnexpectedLogs extends Error {
  override readonly name = 'UnexpectedLogs';
  readonly numbers: readonly bigint[];

  constructor(numbers: readonly bigint[]) {
    super('logs of blocks with blooms that exclude them');
    this.numbers = numbers;
  }
}

/** Finds out which logs there are: of a range of blocks that follow each other, the receipts of those with a bloom that does not exclude logs of the filter. */
export class LogProofs {
  readonly #parts: LogProofParts;
  /** A verified block has had logs that the bloom in its header excludes: blooms of this chain say nothing. */
  #isBloomless = false;

  constructor(parts: LogProofParts) {
    this.#parts = parts;
  }

  /** Why logs of a range cannot be verified, as the rest of a sentence; undefined where it can be tried. */
  whyNot({ first, last }: LogRange): string | undefined {
    const { verifier, maxBlocks } = this.#parts;
    if (this.isTooLong({ first, last })) {
      const range = `[${encodeQuantity(first)}, ${encodeQuantity(last)}]`;
      return `the range ${range} has ${last - first + 1n} blocks, and verifyLogBlocks of this network is ${maxBlocks}`;
    }
    const given = LOG_SUBJECTS.find((subject) => !verifier.canVerify(subject, last));
    return given && verifier.whyUnproven({ number: last, hash: '' }, [given]);
  }

  /** Whether a range has more blocks than are verified. */
  isTooLong({ first, last }: LogRange): boolean {
    return last - first >= BigInt(this.#parts.maxBlocks);
  }

  /** Parts of a range of which the logs can be verified, and others: forks change that. In order. */
  divide({ first, last }: LogRange): readonly LogRange[] {
    let next = first;
    return this.#parts.verifier.calibration.divide(LOG_SUBJECTS, first, last).map((end) => {
      const part = { first: next, last: end };
      next = end + 1n;
      return part;
    });
  }

  /** Why logs in receipts of a block are not proven, as the rest of a sentence; undefined where they are. */
  whyUnproven({ number, hash }: Pick<FoundBlock['block'], 'number' | 'hash'>): string | undefined {
    return this.#parts.verifier.whyUnproven({ number, hash }, LOG_SUBJECTS);
  }

  /**
   * The receipts of a block, compared with its header.
   * @throws UpstreamFault where the nodes lack what is asked for
   */
  async getReceipts(found: FoundBlock, scope: RequestScope): Promise<JsonText | JsonBytes> {
    const { receipts } = await askReceipts(this.#parts, found, scope);
    return receipts;
  }

  /**
   * Finds out which logs match, asking nodes for what is not known yet.
   * @param found blocks that follow each other
   * @param memory for the logs, which the caller releases
   * @throws UpstreamFault where the nodes lack what is asked for
   * @throws ChainError where there are more than one answer may have
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
      // Blocks that were known before it was known what can be verified have not been.
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

  /** Looks at the receipts of blocks of which an answer has logs, although their blooms exclude them. */
  async findMore(expected: ExpectedLogs, { numbers }: UnexpectedLogs, scope: RequestScope): Promise<void> {
    await expected.examine(numbers, scope);
    if (numbers.some((number) => expected.has(number))) this.#isBloomless = true;
  }
}

/** Logs of a range that match a filter, as its blocks and their receipts have them. */
export class ExpectedLogs {
  readonly #parts: LogProofParts;
  readonly #matcher: LogMatcher;
  readonly #rows: ReadonlyMap<bigint, Row>;
  readonly #memory: AnswerMemory;
  #results = 0;
  #bytes = 0;

  /** @param rows of all blocks of the range, in order */
  constructor(parts: LogProofParts, matcher: LogMatcher, rows: readonly Row[], memory: AnswerMemory) {
    this.#parts = parts;
    this.#matcher = matcher;
    this.#rows = new Map(rows.map((row) => [row.header.number, row]));
    this.#memory = memory;
  }

  /** Of a block of the range. */
  hashOf(number: bigint): string | undefined {
    return this.#rows.get(number)?.header.hash;
  }

  /** Whether receipts of a block have shown logs that match. */
  has(number: bigint): boolean {
    return (this.#rows.get(number)?.logs?.length ?? 0) > 0;
  }

  /** Blocks that may have logs that match. @param isBloomless where blooms are not looked at */
  listPossible(isBloomless: boolean): readonly bigint[] {
    return [...this.#rows.values()]
      .filter(({ header }) => isBloomless || this.#matcher.mayMatch(header.logsBloom))
      .map(({ header }) => header.number);
  }

  /** Asks for the receipts of blocks, a few at a time. @throws ChainError where they have more logs than one answer may have */
  async examine(numbers: readonly bigint[], scope: RequestScope): Promise<void> {
    for (let at = 0; at < numbers.length; at += BLOCKS_AT_ONCE) {
      const rows = numbers.slice(at, at + BLOCKS_AT_ONCE).map((number) => this.#rows.get(number) as Row);
      const found = await Promise.all(rows.map(({ found }) => this.#findLogs(found, scope)));
      for (const [i, row] of rows.entries()) this.#keep(row, found[i] ?? []);
    }
  }

  /** Why it is not proven which logs there are; undefined where it is. */
  whyUnproven(): string | undefined {
    const { verifier } = this.#parts;
    let child: VerifiedHeader | undefined;
    for (const { header, logs } of [...this.#rows.values()].reverse()) {
      if (child !== undefined && child.parentHash !== header.hash)
        return 'the blocks do not follow each other';
      child = header;
      const why = verifier.whyUnproven(header, logs === undefined ? ['header'] : LOG_SUBJECTS);
      if (why !== undefined) return why;
    }
    return undefined;
  }

  /**
   * Compares the logs of an answer about some blocks of the range.
   * @returns the same answer, written anew where an object in it has a name twice
   * @throws UpstreamFault `wrong` @throws UnexpectedLogs
   */
  compare(
    result: JsonResult,
    { first, last }: LogRange,
    upstream: Upstream | undefined,
  ): JsonText | JsonBytes {
    const logs: unknown = isComplete(result) ? parseJsonText(result) : undefined;
    if (!isComplete(result) || !Array.isArray(logs))
      throw new UpstreamFault('wrong', 'the logs are no array');
    refuseMany(logs, this.#parts.limits.results, { first, last });
    const rows = new Map([...this.#rows].filter(([number]) => number >= first && number <= last));
    const unexpected = new Set<bigint>();
    for (const { blockHash, blockNumber } of logs.map((log) => Object(log) as Members)) {
      const row = rows.get(readNumber(blockNumber));
      if (row === undefined) continue;
      if (isHash(blockHash) && !isSameText(blockHash, row.header.hash))
        throw new UpstreamFault('wrong', 'the node gave logs of another block than the one of this height');
      if (row.logs === undefined) unexpected.add(row.header.number);
    }
    if (unexpected.size > 0) throw new UnexpectedLogs([...unexpected]);
    const expected = [...rows.values()].flatMap((row) => row.logs ?? []);
    const difference = compareLogs(logs, expected, (number) => rows.get(number)?.header);
    const { verifier, headNumber } = this.#parts;
    if (difference?.lacksFrom !== undefined && BigInt(difference.lacksFrom) + INDEXING_BLOCKS > headNumber())
      throw new UpstreamFault('wrong', 'the node gave not all logs of a recent block');
    const findings = new Findings();
    if (difference !== undefined) findings.contradict('logs', difference.text);
    verifier.judge(
      { number: last, hash: rows.get(last)?.header.hash ?? '' },
      findings.list,
      ['logs'],
      upstream,
      expected.length > 0 ? ['logs'] : [],
    );
    return keepUnique(result);
  }

  async #findLogs(found: FoundBlock, scope: RequestScope): Promise<readonly string[]> {
    const { receipts, proven } = await askReceipts(this.#parts, found, scope);
    // A large block takes about that long.
    await TURNS.pause(scope.owner ?? '', TURN_MS);
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

/** The receipts of a block, and the block that they were compared with. @throws UpstreamFault where the nodes lack them */
async function askReceipts(
  { blocks }: LogProofParts,
  found: FoundBlock,
  scope: RequestScope,
): Promise<{ readonly receipts: JsonText | JsonBytes; readonly proven: ProvenBlock }> {
  const { receipts, proven } = await blocks.getReceiptsOf(found, scope, true);
  if (!isComplete(receipts)) throw new UpstreamFault('tooLarge', 'the receipts of a block cannot be held');
  if (proven === undefined) throw new UpstreamFault('unsupported', 'a block with logs was not verified');
  return { receipts, proven };
}

function isHash(value: unknown): boolean {
  return typeof value === 'string' && HASH.test(value);
}
