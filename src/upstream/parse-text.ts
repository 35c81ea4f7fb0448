/** Texts of nodes are parsed without a long pause of the event loop, however long they are and whatever is in them. */
import { type JsonBytes, type JsonText, textOf } from '../primitives/json-result.ts';
import { type ParseBounds, parseInSlices, TooManyMembers } from '../primitives/parse-in-slices.ts';
import { PIECE_LENGTH, runWithParsed, UnparsedText } from '../primitives/parse-json.ts';
import type { PromiseOrValue } from '../primitives/promise-or-value.ts';
import { AnswerMemory } from '../util/answer-memory.ts';
import type { CancelSignal } from '../util/cancel-source.ts';
import { SharedBudget } from '../util/shared-budget.ts';
import { TURNS } from '../util/turn-queue.ts';
import { prepareTransactions } from '../verification/prepare-transactions.ts';
import { UpstreamFault } from './fault.ts';
import { joinJsonBytes } from './join-pieces.ts';
import { excessive } from './transport/answer-shape.ts';
import { outOfMemory } from './transport/held-pieces.ts';

/** Members of one object of a long text: headers, receipts and logs have fewer than fifty. */
const MAX_MEMBERS = 4_096;
/** Items of one list: as many logs, of at least 326 bytes each, are longer than any answer. The copy of a list that grows takes 3 ms for so many. */
const MAX_ITEMS = 1_048_576;
/** Texts that one check parses. */
const MAX_TEXTS = 4;
/** What one text and its values may take where no node is known that it counts for: as much as one node may hold. */
const UNSHARED_BYTES = 128 * 1024 * 1024;

/** For whom a text is parsed. */
export type ParseWork = {
  /** Whose turns parsing takes; by default those of nobody in particular. */
  readonly owner?: string | undefined;
  /** Parsing ends with it. */
  readonly signal?: CancelSignal | undefined;
  /** Opens what the text and its values count in: `limits.nodeBytes`. Without it one text has `UNSHARED_BYTES` to itself. */
  readonly memory?: (() => AnswerMemory) | undefined;
};

/**
 * The value of a text: at once where it is short, in turns of the owner otherwise. What it takes is counted until it is there.
 * @throws UpstreamFault `excessive` for what no answer that is parsed has, `aborted` when it is not wanted any more, `rateLimited` without room for it
 */
export function parseText(text: JsonText | JsonBytes, work: ParseWork): PromiseOrValue<unknown> {
  if (text.length <= PIECE_LENGTH) return JSON.parse(textOf(text)) as unknown;
  const memory = openMemory(work);
  return parseInTurns(text, work, memory).finally(() => memory.release());
}

/**
 * Runs what parses texts with `parseJsonText`, again where one of them is long: then it has been parsed. Nothing that it does before it parses may
 * matter twice.
 * @throws what it throws, and what `parseText` throws, at once or by rejection
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
      texts.set(missing.text, await parseInTurns(missing.text, work, memory));
      try {
        return await TURNS.take(work.owner ?? '', () => runWithParsed(texts, read));
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

async function parseInTurns(
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
    return await TURNS.run(owner, untilAborted(slices, signal));
  } catch (error) {
    throw error instanceof TooManyMembers ? excessive(error.what) : error;
  }
}

/** Parses a text; long transactions in it are prepared for what compares them. */
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
    if (signal?.aborted === true) throw new UpstreamFault('aborted', 'the caller has gone');
    const slice = slices.next();
    if (slice.done === true) return slice.value;
    yield undefined;
  }
}
