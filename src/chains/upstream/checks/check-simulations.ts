import type { JsonResult } from '../../../../packages/ethereum/primitives/json-result.ts';
import { parseJsonText } from '../../../../packages/ethereum/primitives/parse-json.ts';
import { scrubData } from '../../../pool/errors/scrub-data.ts';
import { maskSecrets } from '../../../pool/errors/scrub-message.ts';
import { UpstreamFault } from '../../../pool/fault.ts';
import { checkStream, type StreamCheck } from './check-stream.ts';
import { parseObject } from './parse-object.ts';

const QUANTITY = /^0x[0-9a-f]{1,16}$/i;

/**
 * Checks the form of an `eth_createAccessList` result: access list and gas. A null access list becomes an empty list.
 * @param credentials API keys of the node, which are masked in the error message of a failed call
 * @throws UpstreamFault `wrong` if the result is not an access list
 */
export function checkAccessListResult(result: JsonResult, credentials: readonly string[] = []): JsonResult {
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
 * Checks the form of an `eth_simulateV1` result. The result may have more blocks than the request, because nodes fill gaps between block numbers.
 * Only the first character of a stream is checked.
 * @param leastBlocks number of requested blocks
 * @param credentials API keys of the node, which are masked in the errors of calls
 * @throws UpstreamFault `wrong` if the result is not a list of simulated blocks
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

/**
 * Masks API keys in message and data of a call's error, in place.
 * @returns whether the error contained an API key
 */
function maskError(call: unknown, credentials: readonly string[]): boolean {
  const error: unknown = Object(call).error;
  if (typeof error !== 'object' || error === null) return false;
  const members = error as Record<string, unknown>;
  const { message, data } = members;
  members['message'] = maskWords(message, credentials);
  members['data'] = scrubData(data, credentials, credentials);
  return members['message'] !== message || members['data'] !== data;
}

/** Masks API keys in a string; returns other values unchanged. */
function maskWords(words: unknown, credentials: readonly string[]): unknown {
  return typeof words === 'string' ? maskSecrets(words, credentials) : words;
}

const NO_ACCESS_LIST = 'the result is not an access list';
const NO_SIMULATION = 'the result is not a list of simulated blocks';

function isQuantity(value: unknown): boolean {
  return typeof value === 'string' && QUANTITY.test(value);
}

function isSimulatedBlock(value: unknown): value is { readonly calls: readonly unknown[] } {
  const { number, calls } = Object(value) as Record<string, unknown>;
  return isQuantity(number) && Array.isArray(calls);
}

/** Checks that a stream begins with an expected character. */
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
