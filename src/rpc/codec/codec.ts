import { type BoundsOf, limitOf } from '../../util/bounds.ts';
import { RpcError } from '../errors.ts';
import { ParamProblem } from '../param-problem.ts';

/** JSON Schema as published in the documentation. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Defines one form of JSON values that clients send: how such a value is parsed and how it is documented. */
export interface Codec<T> {
  /**
   * Parses `raw`, and stops at the first problem.
   * @throws ParamProblem
   */
  parse(raw: unknown): T;
  /**
   * Fast path of `parse`. Returns the same value as `parse`. If parsing changes nothing, the value is `raw` itself. `undefined` means that `parse`
   * has to decide.
   */
  accept?(raw: unknown): T | undefined;
  /**
   * Variant of `parse` that pauses, for a value that may have many parts. Parsing does not copy the parts that it does not change.
   * @throws ParamProblem
   */
  parseInPieces?(raw: unknown, pace: ValueCounter): Generator<undefined, T>;
  readonly jsonSchema: JsonSchema;
}

/** Number of values that are parsed between two pauses. Parsing the values between two pauses takes a fraction of a millisecond. */
const VALUES_PER_PIECE = 512;

/** Counts parsed values, and reports when a pause is due. */
export class ValueCounter {
  #values = 0;

  /** Counts one value. @returns whether a pause is due */
  count(): boolean {
    return ++this.#values % VALUES_PER_PIECE === 0;
  }
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(raw: unknown): raw is JsonObject {
  return typeof raw === 'object' && raw !== null && !Array.isArray(raw);
}

/**
 * Parses `raw` on the fast path where possible.
 * @throws ParamProblem
 */
export function readValue<T>(codec: Codec<T>, raw: unknown): T {
  return codec.accept?.(raw) ?? codec.parse(raw);
}

/**
 * Parses a member of an object or an element of a list.
 * @param part name or index of the part; a problem's path begins with it
 * @throws ParamProblem
 */
export function parseWithin<T>(codec: Pick<Codec<T>, 'parse'>, raw: unknown, part: string | number): T {
  try {
    return codec.parse(raw);
  } catch (error) {
    throw error instanceof ParamProblem ? error.within(part) : error;
  }
}

/** Whether `accept` shows that `parse` would return `raw` itself. */
export function isUnchanged(codec: Codec<unknown>, raw: unknown): boolean {
  return raw !== undefined && codec.accept?.(raw) === raw;
}

/**
 * Variant of `readValue` for a member of an object or an element of a list.
 * @throws ParamProblem
 */
export function readWithin<T>(codec: Codec<T>, raw: unknown, part: string | number): T {
  return codec.accept?.(raw) ?? parseWithin(codec, raw, part);
}

/**
 * Variant of `parseInPieces` for a member of an object or an element of a list. If the codec has no `parseInPieces`, its `parse` is called instead.
 * @throws ParamProblem
 */
export function* parseWithinInPieces<T>(
  codec: Codec<T>,
  raw: unknown,
  part: string | number,
  pace: ValueCounter,
): Generator<undefined, T> {
  try {
    return codec.parseInPieces === undefined ? codec.parse(raw) : yield* codec.parseInPieces(raw, pace);
  } catch (error) {
    throw error instanceof ParamProblem ? error.within(part) : error;
  }
}

/** Name of a bound on the number of entries of one list or map. */
export type EntryBound = BoundsOf<'callTooLarge'>;

/** Whether a list or map has more entries than its bound allows. */
export function exceeds(entries: number, bound: EntryBound | undefined): boolean {
  return bound !== undefined && entries > limitOf(bound);
}

/** Creates the error for a list or map that exceeds its bound. */
export function refuseEntries(bound: EntryBound): RpcError {
  return new RpcError('callTooLarge', bound, limitOf(bound));
}
