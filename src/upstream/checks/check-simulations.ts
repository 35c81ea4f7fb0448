import type { JsonResult } from '../../primitives/json-result.ts';
import { parseJsonText } from '../../primitives/parse-json.ts';
import { scrubData } from '../errors/scrub-data.ts';
import { maskSecrets } from '../errors/scrub-message.ts';
import { UpstreamFault } from '../fault.ts';
import { checkStream, type StreamCheck } from './check-stream.ts';
import { parseObject } from './parse-object.ts';

const QUANTITY = /^0x[0-9a-f]{1,16}$/i;

/**
 * An access list, and the gas that is used with it. Null is an empty list.
 * @param credentials keys of the node, which are masked in the words for a call that fails, as in the reason of a revert
 */
export function checkAccessList(result: JsonResult, credentials: readonly string[] = []): JsonResult {
  if (typeof result !== 'string') return checkStream(result, new BeginCheck('{', NO_ACCESS_LIST));
  const answer = parseObject(result);
  const { accessList, gasUsed, error } = answer;
  if (!(Array.isArray(accessList) || accessList === null) || !isQuantity(gasUsed))
    throw new UpstreamFault('wrong', NO_ACCESS_LIST);
  const shown = maskWords(error, credentials);
  if (accessList !== null && shown === error) return result;
  return JSON.stringify({
    ...answer,
    ...(shown !== undefined && { error: shown }),
    accessList: accessList ?? [],
  });
}

/**
 * Simulated blocks with the results of their calls, at least as many as were asked for: gaps between them are filled. Of one that comes
 * as a stream only the beginning is looked at.
 * @param credentials as for an access list
 */
export function checkSimulation(
  result: JsonResult,
  leastBlocks: number,
  credentials: readonly string[] = [],
): JsonResult {
  if (typeof result !== 'string') return checkStream(result, new BeginCheck('[', NO_SIMULATION));
  const blocks: unknown = parseJsonText(result);
  if (!Array.isArray(blocks) || blocks.length < leastBlocks || !blocks.every(isSimulatedBlock))
    throw new UpstreamFault('wrong', NO_SIMULATION);
  const masked = blocks.flatMap(({ calls }) => calls).filter((call) => maskError(call, credentials));
  return masked.length === 0 ? result : JSON.stringify(blocks);
}

/** Masks keys in the words and the data of a call's error, in place. @returns whether there were any */
function maskError(call: unknown, credentials: readonly string[]): boolean {
  const error: unknown = Object(call).error;
  if (typeof error !== 'object' || error === null) return false;
  const members = error as Record<string, unknown>;
  const { message, data } = members;
  members['message'] = maskWords(message, credentials);
  members['data'] = scrubData(data, credentials, credentials);
  return members['message'] !== message || members['data'] !== data;
}

/** Other values than texts as they are. */
function maskWords(words: unknown, credentials: readonly string[]): unknown {
  return typeof words === 'string' ? maskSecrets(words, credentials) : words;
}

const NO_ACCESS_LIST = 'the result is no access list';
const NO_SIMULATION = 'the result is no list of simulated blocks';

function isQuantity(value: unknown): boolean {
  return typeof value === 'string' && QUANTITY.test(value);
}

function isSimulatedBlock(value: unknown): value is { readonly calls: readonly unknown[] } {
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
