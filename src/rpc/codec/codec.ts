import { type BoundsOf, limitOf } from '../../util/bounds.ts';
import { RpcError } from '../errors.ts';
import { ParamProblem } from '../param-problem.ts';

/** A JSON Schema, as published. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** All that is known of one form of JSON values that clients send: how it is read, what it means, how it is documented. */
export interface Codec<T> {
  /**
   * What `raw` means. It stops at the first problem.
   * @throws ParamProblem
   */
  parse(raw: unknown): T;
  /**
   * The fast path: what `parse` makes of `raw`, and `raw` itself where that is equal. `undefined` means that it is not known here,
   * `parse` has to say.
   */
  accept?(raw: unknown): T | undefined;
  /**
   * `parse` with pauses, of a value that may have many parts. Parts that nothing changes are not copied.
   * @throws ParamProblem
   */
  parseInPieces?(raw: unknown, pace: Pace): Generator<undefined, T>;
  readonly jsonSchema: JsonSchema;
}

/** Values that are parsed between two pauses: a fraction of a millisecond. */
const VALUES_PER_PIECE = 512;

/** Counts values, to pause between them. */
export class Pace {
  #values = 0;

  /** Counts one value. Whether a pause is due. */
  count(): boolean {
    return ++this.#values % VALUES_PER_PIECE === 0;
  }
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether it is a JSON object. */
export function isJsonObject(raw: unknown): raw is JsonObject {
  return typeof raw === 'object' && raw !== null && !Array.isArray(raw);
}

/** What `raw` means, by the fast path where it is taken. @throws ParamProblem */
export function readValue<T>(codec: Codec<T>, raw: unknown): T {
  return codec.accept?.(raw) ?? codec.parse(raw);
}

/** Parses a member or an element; a problem says which one it is in. @throws ParamProblem */
export function parseWithin<T>(codec: Pick<Codec<T>, 'parse'>, raw: unknown, part: string | number): T {
  try {
    return codec.parse(raw);
  } catch (error) {
    throw error instanceof ParamProblem ? error.within(part) : error;
  }
}

/** Whether it is plain to see that `parse` returns the value itself. */
export function isUnchanged(codec: Codec<unknown>, raw: unknown): boolean {
  return raw !== undefined && codec.accept?.(raw) === raw;
}

/** `readValue` of a member or an element. @throws ParamProblem */
export function readWithin<T>(codec: Codec<T>, raw: unknown, part: string | number): T {
  return codec.accept?.(raw) ?? parseWithin(codec, raw, part);
}

/** `parseInPieces` of a member or an element, of a codec that has it. @throws ParamProblem */
export function* parseWithinInPieces<T>(
  codec: Codec<T>,
  raw: unknown,
  part: string | number,
  pace: Pace,
): Generator<undefined, T> {
  try {
    return codec.parseInPieces === undefined ? codec.parse(raw) : yield* codec.parseInPieces(raw, pace);
  } catch (error) {
    throw error instanceof ParamProblem ? error.within(part) : error;
  }
}

/** A bound on the entries of one list or map. */
export type EntryBound = BoundsOf<'callTooLarge'>;

/** Whether a list or map has more entries than its bound allows. */
export function exceeds(entries: number, bound: EntryBound | undefined): boolean {
  return bound !== undefined && entries > limitOf(bound);
}

/** The refusal of a list or map that does. */
export function refuseEntries(bound: EntryBound): RpcError {
  return new RpcError('callTooLarge', bound, limitOf(bound));
}
