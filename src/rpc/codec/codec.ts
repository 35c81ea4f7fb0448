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
   * Looks through a value that may be large, with pauses, and returns whether `accept` returns the value itself. What was found is
   * remembered, so that neither `accept` nor `parse` takes long for it afterwards. It stops in a list or a map at the first element that
   * would be changed or refused.
   */
  checkInPieces?(raw: unknown, pace: Pace): Generator<undefined, boolean>;
  readonly jsonSchema: JsonSchema;
}

/** Values that are checked between two pauses: a fraction of a millisecond. */
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

/** `checkInPieces` of any codec: one without is asked by `accept`. */
export function* checkValueInPieces(
  codec: Codec<unknown>,
  raw: unknown,
  pace: Pace,
): Generator<undefined, boolean> {
  if (pace.count()) yield;
  return codec.checkInPieces === undefined ? isUnchanged(codec, raw) : yield* codec.checkInPieces(raw, pace);
}
