import { UpstreamFault } from '../fault.ts';

/** Bounds on the structure of an answer, which decide what parsing it may cost. */
export type ShapeBounds = {
  /** Values, keys, lists and objects: this many, and one more for each `bytesPerValue` bytes that have come. */
  readonly values: number;
  readonly bytesPerValue: number;
  /** Levels of lists and objects, the answer itself included. */
  readonly depth: number;
  /** Longest string and longest number, bytes as they are written. */
  readonly textBytes: number;
  readonly digits: number;
  /** Whether its members with names of quantities are quantities, which lose leading zeros. */
  readonly trimsZeros: boolean;
};

/** Longest name of a member, bytes. No method has one that is nearly as long. */
const NAME_BYTES = 4_096;

/** A call trace is the deepest thing that nodes send. */
export const MAX_DEPTH = 512;

/** Bounds for answers that are passed on and never parsed: a scan costs the same whatever is in them. */
export const UNPARSED_SHAPE: ShapeBounds = {
  values: Number.POSITIVE_INFINITY,
  bytesPerValue: 1,
  depth: MAX_DEPTH,
  textBytes: Number.POSITIVE_INFINITY,
  digits: Number.POSITIVE_INFINITY,
  trimsZeros: false,
};

/** Longest error. It is parsed; what a call reverts with may be as long as other results, but megabytes of it are of no use. */
export const ERROR_BYTES = 4_194_304;

/** An error has a few members around one text, which may be as long as the result of a call. */
export const ERROR_SHAPE: ShapeBounds = {
  values: 1_024,
  bytesPerValue: Number.POSITIVE_INFINITY,
  depth: 32,
  textBytes: Number.POSITIVE_INFINITY,
  digits: 256,
  trimsZeros: false,
};

/** What has been counted of an answer so far. */
export type ShapeCounts = { values: number; longestText: number; longestName: number; longestNumber: number };

/**
 * Refuses an answer that no honest node can give to the question.
 * @param bytes of the answer that have come
 * @throws UpstreamFault `excessive`, with the name of the bound
 */
export function checkShape(counts: ShapeCounts, bytes: number, bounds: ShapeBounds): void {
  if (counts.values > bounds.values + bytes / bounds.bytesPerValue) throw excessive('values');
  if (counts.longestText > bounds.textBytes) throw excessive('string bytes');
  if (counts.longestName > NAME_BYTES) throw excessive('bytes of a name');
  if (counts.longestNumber > bounds.digits) throw excessive('digits of a number');
}

/** @param what is more than the question can need: the name of the bound */
export function excessive(what: string): UpstreamFault {
  return new UpstreamFault('excessive', `the answer has more than the question can need (bound: ${what})`);
}
