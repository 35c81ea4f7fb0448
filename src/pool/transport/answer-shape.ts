import { UpstreamFault } from '../fault.ts';

/** Bounds on the structure of an answer, which limit the cost of parsing it. */
export type ShapeBounds = {
  /** Maximum number of values, keys, lists and objects, in addition to one per `bytesPerValue` received bytes. */
  readonly values: number;
  readonly bytesPerValue: number;
  /** Maximum nesting of lists and objects, including the answer itself. */
  readonly depth: number;
  /** Maximum length of a string with its escapes, bytes; `digits` is the maximum length of a number. */
  readonly textBytes: number;
  readonly digits: number;
  /** Whether members with names of quantities contain quantities in this answer, so that leading zeros are removed from them. */
  readonly trimsZeros: boolean;
};

/** Maximum length of a member name, bytes; the answers of all methods have much shorter names. */
const NAME_BYTES = 4_096;

/** Maximum nesting of any answer; call traces have the deepest nesting. */
export const MAX_DEPTH = 512;

/**
 * Bounds on answers that are forwarded without parsing. They limit only the nesting, because scanning takes the same time per byte for any content.
 */
export const UNPARSED_SHAPE: ShapeBounds = {
  values: Number.POSITIVE_INFINITY,
  bytesPerValue: 1,
  depth: MAX_DEPTH,
  textBytes: Number.POSITIVE_INFINITY,
  digits: Number.POSITIVE_INFINITY,
  trimsZeros: false,
};

/** Maximum length of an error, bytes. Errors are parsed, so revert data is limited more strictly than results. */
export const ERROR_BYTES = 4_194_304;

/** Bounds of an error: a few members, and one string of any length up to `ERROR_BYTES`. */
export const ERROR_SHAPE: ShapeBounds = {
  values: 1_024,
  bytesPerValue: Number.POSITIVE_INFINITY,
  depth: 32,
  textBytes: Number.POSITIVE_INFINITY,
  digits: 256,
  trimsZeros: false,
};

/** Running counts over the structure of an answer. */
export type ShapeCounts = { values: number; longestText: number; longestName: number; longestNumber: number };

/**
 * Rejects an answer that no honest node can give to the request.
 * @param bytes number of received bytes of the answer
 * @throws UpstreamFault `excessive`, with the name of the bound
 */
export function checkShape(counts: ShapeCounts, bytes: number, bounds: ShapeBounds): void {
  if (counts.values > bounds.values + bytes / bounds.bytesPerValue) throw excessive('values');
  if (counts.longestText > bounds.textBytes) throw excessive('string bytes');
  if (counts.longestName > NAME_BYTES) throw excessive('bytes of a name');
  if (counts.longestNumber > bounds.digits) throw excessive('digits of a number');
}

/**
 * Creates the fault for an answer that exceeds a bound.
 * @param what name of the bound
 */
export function excessive(what: string): UpstreamFault {
  return new UpstreamFault(
    'excessive',
    `the answer has more data than the request can need (bound: ${what})`,
  );
}
