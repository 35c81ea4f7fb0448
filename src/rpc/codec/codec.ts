import { type BoundsOf, limitOf } from '../../util/bounds.ts';
import { RpcError } from '../errors.ts';
import { ParamProblem } from '../param-problem.ts';

/** JSON Schema, as published. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Definition of one form of client JSON values: parsing, meaning and documentation. */
export interface Codec<T> {
  /**
   * Parses `raw`, and stops at the first problem.
   * @throws ParamProblem
   */
  parse(raw: unknown): T;
  /** Fast path: returns the result of `parse`, and `raw` itself where that is equal. `undefined` means undetermined, so that `parse` must decide. */
  accept?(raw: unknown): T | undefined;
  /**
   * `parse` with pauses, for a value that may have many parts. Unchanged parts are not copied.
   * @throws ParamProblem
   */
  parseInPieces?(raw: unknown, pace: ValueCounter): Generator<undefined, T>;
  readonly jsonSchema: JsonSchema;
}

/** Values parsed between two pauses: a fraction of a millisecond. */
const VALUES_PER_PIECE = 512;

/** Counts values, in order to pause between them. */
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

/** Parses `raw`, through the fast path where possible. @throws ParamProblem */
export function readValue<T>(codec: Codec<T>, raw: unknown): T {
  return codec.accept?.(raw) ?? codec.parse(raw);
}

/** Parses a member or element. @param part its name or index, which is added to the path of a problem @throws ParamProblem */
export function parseWithin<T>(codec: Pick<Codec<T>, 'parse'>, raw: unknown, part: string | number): T {
  try {
    return codec.parse(raw);
  } catch (error) {
    throw error instanceof ParamProblem ? error.within(part) : error;
  }
}

/** Whether the fast path shows that `parse` returns the value itself. */
export function isUnchanged(codec: Codec<unknown>, raw: unknown): boolean {
  return raw !== undefined && codec.accept?.(raw) === raw;
}

/** `readValue` for a member or element. @throws ParamProblem */
export function readWithin<T>(codec: Codec<T>, raw: unknown, part: string | number): T {
  return codec.accept?.(raw) ?? parseWithin(codec, raw, part);
}

/** `parseInPieces` for a member or element; `parse` where the codec does not have it. @throws ParamProblem */
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

/** Bound on the number of entries of one list or map. */
export type EntryBound = BoundsOf<'callTooLarge'>;

/** Whether a list or map has more entries than its bound allows. */
export function exceeds(entries: number, bound: EntryBound | undefined): boolean {
  return bound !== undefined && entries > limitOf(bound);
}

/** Creates the error for a list or map that exceeds its bound. */
export function refuseEntries(bound: EntryBound): RpcError {
  return new RpcError('callTooLarge', bound, limitOf(bound));
}
