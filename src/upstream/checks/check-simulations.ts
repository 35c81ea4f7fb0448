import type { JsonResult } from '../../primitives/json-result.ts';
import { parseJsonText } from '../../primitives/parse-json.ts';
import { UpstreamFault } from '../fault.ts';
import { checkStream, type StreamCheck } from './check-stream.ts';
import { parseObject } from './parse-object.ts';

const QUANTITY = /^0x[0-9a-f]{1,16}$/i;

/** An access list, and the gas that is used with it. Null is an empty list. */
export function checkAccessList(result: JsonResult): JsonResult {
  if (typeof result !== 'string') return checkStream(result, new BeginCheck('{', NO_ACCESS_LIST));
  const answer = parseObject(result);
  const { accessList, gasUsed } = answer;
  if (Array.isArray(accessList) && isQuantity(gasUsed)) return result;
  if (accessList === null && isQuantity(gasUsed)) return JSON.stringify({ ...answer, accessList: [] });
  throw new UpstreamFault('wrong', NO_ACCESS_LIST);
}

/**
 * Simulated blocks with the results of their calls, at least as many as were asked for: gaps between them are filled. Of one that comes
 * as a stream only the beginning is looked at.
 */
export function checkSimulation(result: JsonResult, leastBlocks: number): JsonResult {
  if (typeof result !== 'string') return checkStream(result, new BeginCheck('[', NO_SIMULATION));
  const blocks: unknown = parseJsonText(result);
  if (Array.isArray(blocks) && blocks.length >= leastBlocks && blocks.every(isSimulatedBlock)) return result;
  throw new UpstreamFault('wrong', NO_SIMULATION);
}

const NO_ACCESS_LIST = 'the result is no access list';
const NO_SIMULATION = 'the result is no list of simulated blocks';

function isQuantity(value: unknown): boolean {
  return typeof value === 'string' && QUANTITY.test(value);
}

function isSimulatedBlock(value: unknown): boolean {
  const { number, calls } = Object(value) as Record<string, unknown>;
  return isQuantity(number) && Array.isArray(calls);
}

/** Whether what comes in pieces begins as it should. */
class BeginCheck implements StreamCheck {
  readonly #first: string;
  readonly #message: string;
  #isFound = false;

  constructor(first: string, message: string) {
    this.#first = first;
    this.#message = message;
  }

  add(piece: string): void {
    const text = this.#isFound ? '' : piece.trimStart();
    if (text === '') return;
    if (!text.startsWith(this.#first)) throw new UpstreamFault('wrong', this.#message);
    this.#isFound = true;
  }

  finish(): void {
    if (!this.#isFound) throw new UpstreamFault('wrong', this.#message);
  }
}
