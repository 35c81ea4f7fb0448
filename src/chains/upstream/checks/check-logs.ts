import { isComplete, type JsonResult } from '../../../../packages/ethereum/primitives/json-result.ts';
import { parseJsonText } from '../../../../packages/ethereum/primitives/parse-json.ts';
import type { Members } from '../../../../packages/proofs/findings.ts';
import { isSameText } from '../../../../packages/proofs/members.ts';
import { LogMatcher } from '../../../../packages/proofs/verify-logs.ts';
import { type LogRange, refuseLogs } from '../../../chain/log-range.ts';
import type { LogFilter } from '../../../chain/requests.ts';
import { UpstreamFault } from '../../../pool/fault.ts';

export type LogExpectation = {
  readonly range: LogRange;
  readonly filter: LogFilter;
  /** Maximum number of logs that the network returns in one answer. */
  readonly results: number;
  /** Returns the canonical hash at a height; undefined if it is unknown. */
  readonly hashOf: (number: bigint) => string | undefined;
};

const QUANTITY = /^0x[0-9a-fA-F]{1,16}$/;

/**
 * Creates a check that logs match the filter and belong to blocks of the range, each once and in order. The check cannot detect that a node has
 * omitted logs.
 * @returns a check that throws UpstreamFault `wrong` for other logs, and ChainError `exceeded` for more than `results` logs, before it checks any log
 */
export function checkLogs(expected: LogExpectation): (result: JsonResult) => JsonResult {
  return (result) => {
    const logs: unknown = isComplete(result) ? parseJsonText(result) : undefined;
    if (!Array.isArray(logs)) throw new UpstreamFault('wrong', 'the logs are not an array');
    refuseMany(logs, expected.results, expected.range);
    const check = new LogCheck(expected);
    for (const log of logs) check.add(Object(log) as Members);
    return result;
  };
}

/** @throws ChainError `exceeded` when there are more logs than `results` */
export function refuseMany(logs: readonly unknown[], results: number, range: LogRange): void {
  if (logs.length <= results) return;
  const { blockNumber } = Object(logs[results]) as Members;
  const block =
    typeof blockNumber === 'string' && QUANTITY.test(blockNumber) ? BigInt(blockNumber) : range.first;
  throw refuseLogs('results', results, range, block);
}

/** Checks the logs of an answer in one pass, in their order. */
class LogCheck {
  readonly #expected: LogExpectation;
  readonly #matcher: LogMatcher;
  #number = -1n;
  #index = -1n;
  #hash: string | undefined;

  constructor(expected: LogExpectation) {
    this.#expected = expected;
    this.#matcher = new LogMatcher(expected.filter);
  }

  add(log: Members): void {
    const number = readNumber(log['blockNumber']);
    const index = readNumber(log['logIndex']);
    const { first, last } = this.#expected.range;
    if (number < first || number > last) throw wrong('logs of blocks that were not requested');
    if (number < this.#number || (number === this.#number && index <= this.#index)) {
      throw wrong('logs out of order');
    }
    if (number !== this.#number) this.#hash = this.#expected.hashOf(number);
    this.#number = number;
    this.#index = index;
    const hash = log['blockHash'];
    if (typeof hash !== 'string') throw wrong('logs without a block');
    this.#hash ??= hash.toLowerCase();
    if (!isSameText(hash, this.#hash)) throw wrong('logs of a block other than the one at this height');
    if (log['removed'] === true) throw wrong('logs that were removed');
    if (!this.#matcher.matches(log)) throw wrong('logs that do not match the filter');
  }
}

function readNumber(value: unknown): bigint {
  if (typeof value === 'string' && QUANTITY.test(value)) return BigInt(value);
  throw wrong('logs without a valid position');
}

function wrong(what: string): UpstreamFault {
  return new UpstreamFault('wrong', `the node returned ${what}`);
}
