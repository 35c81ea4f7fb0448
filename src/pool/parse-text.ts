/** Parses JSON of nodes without blocking the event loop, whatever its length and content. */
import { type JsonBytes, type JsonText, textOf } from '../../packages/ethereum/primitives/json-result.ts';
import {
  type ParseBounds,
  parseInSlices,
  TooManyMembers,
} from '../../packages/ethereum/primitives/parse-in-slices.ts';
import { PIECE_LENGTH, runWithParsed, UnparsedText } from '../../packages/ethereum/primitives/parse-json.ts';
import type { PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import { prepareTransactions } from '../../packages/proofs/prepare-transactions.ts';
import { AnswerMemory } from '../util/answer-memory.ts';
import type { CancelSignal } from '../util/cancel-source.ts';
import { SharedBudget } from '../util/shared-budget.ts';
import { SCHEDULER } from '../util/slot-scheduler.ts';
import { UpstreamFault } from './fault.ts';
import { joinJsonBytes } from './join-pieces.ts';
import { excessive } from './transport/answer-shape.ts';
import { outOfMemory } from './transport/buffered-pieces.ts';

/** Maximum number of members in one object of a long text: headers, receipts and logs have fewer than fifty. */
const MAX_MEMBERS = 4_096;
/**
 * Maximum number of items in one list. A list of this many logs (at least 326 bytes each) would be longer than any response may be. When a list of
 * this length must grow, copying it takes 3 ms.
 */
const MAX_ITEMS = 1_048_576;
/** Maximum number of long texts that one `checkParsed` parses. */
const MAX_TEXTS = 4;
/**
 * Maximum memory for one text and its parsed values if the memory is not counted for a node, bytes. The maximum is equal to the default share of one
 * node.
 */
const UNSHARED_BYTES = 128 * 1024 * 1024;

/** Owner and limits of a parse. */
export type ParseWork = {
  /** Owner of the scheduler slots; by default the anonymous owner. */
  readonly owner?: string | undefined;
  /** Aborts the parse. */
  readonly signal?: CancelSignal | undefined;
  /** Opens the memory reservation for the text and the parsed values (`limits.nodeBytes`). If absent, each text may use `UNSHARED_BYTES`. */
  readonly memory?: (() => AnswerMemory) | undefined;
};

/**
 * Parses a text: synchronously if it is short, otherwise in scheduler slots of the owner. The memory is reserved until the value is returned.
 * @throws UpstreamFault `excessive` for a value that no valid answer has, `aborted` if the caller has disconnected, `rateLimited` if there is no
 * memory
 */
export function parseText(text: JsonText | JsonBytes, work: ParseWork): PromiseOrValue<unknown> {
  if (text.length <= PIECE_LENGTH) return JSON.parse(textOf(text)) as unknown;
  const memory = openMemory(work);
  return parseInSlots(text, work, memory).finally(() => memory.release());
}

/**
 * Runs a function that parses texts with `parseJsonText`. If a text is long, it is parsed in scheduler slots, and then the function is called again
 * with the parsed value. The function must have no side effects before it parses, because it may run more than once.
 * @throws the error of `read` or `parseText`, synchronously or by rejection
 */
export function checkParsed<T>(read: () => T, work: ParseWork): PromiseOrValue<T> {
  try {
    return runWithParsed(new Map(), read);
  } catch (error) {
    if (!(error instanceof UnparsedText)) throw error;
    return readAgain(error, read, work);
  }
}

async function readAgain<T>(first: UnparsedText, read: () => T, work: ParseWork): Promise<T> {
  const texts = new Map<JsonText | JsonBytes, unknown>();
  const memory = openMemory(work);
  try {
    for (let missing = first; ; ) {
      texts.set(missing.text, await parseInSlots(missing.text, work, memory));
      try {
        return await SCHEDULER.take(work.owner ?? '', () => runWithParsed(texts, read));
      } catch (error) {
        if (!(error instanceof UnparsedText) || texts.size === MAX_TEXTS) throw error;
        missing = error;
      }
    }
  } finally {
    memory.release();
  }
}

function openMemory({ memory }: ParseWork): AnswerMemory {
  return memory?.() ?? new AnswerMemory(new SharedBudget(UNSHARED_BYTES, 1), '');
}

async function parseInSlots(
  text: JsonText | JsonBytes,
  { owner = '', signal }: ParseWork,
  memory: AnswerMemory,
): Promise<unknown> {
  const onHeap = (bytes: number): void => {
    if (!memory.hold(bytes)) throw outOfMemory();
  };
  onHeap(text.length);
  const json = typeof text === 'string' ? text : await joinJsonBytes(text);
  const slices = parseAndPrepare(json, { members: MAX_MEMBERS, items: MAX_ITEMS, onHeap });
  try {
    return await SCHEDULER.run(owner, untilAborted(slices, signal));
  } catch (error) {
    throw error instanceof TooManyMembers ? excessive(error.what) : error;
  }
}

/** Parses a text, and encodes the long transactions in it for later comparison. */
function* parseAndPrepare(json: JsonText | Uint8Array, bounds: ParseBounds): Generator<undefined, unknown> {
  const value = yield* parseInSlices(json, bounds);
  yield* prepareTransactions(value);
  return value;
}

function* untilAborted<T>(
  slices: Generator<undefined, T>,
  signal: CancelSignal | undefined,
): Generator<undefined, T> {
  for (;;) {
    if (signal?.aborted === true) throw new UpstreamFault('aborted', 'the caller has cancelled the request');
    const slice = slices.next();
    if (slice.done === true) return slice.value;
    yield undefined;
  }
}
