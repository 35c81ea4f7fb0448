import { UpstreamFault } from '../fault.ts';

/** Bounds on the structure of an answer, which limit the cost of parsing it. */
export type ShapeBounds = {
  /** Values, keys, lists and objects: this many, plus one per `bytesPerValue` bytes received. */
  readonly values: number;
  readonly bytesPerValue: number;
  /** Nesting of lists and objects, the answer itself included. */
  readonly depth: number;
  /** Longest string and longest number, in bytes as written. */
  readonly textBytes: number;
  readonly digits: number;
  /** Whether members with names of quantities are quantities, which lose leading zeros. */
  readonly trimsZeros: boolean;
};

/** Longest member name in bytes; no method has one nearly as long. */
const NAME_BYTES = 4_096;

/** Call traces are the most deeply nested answers of nodes. */
export const MAX_DEPTH = 512;

/** Bounds on answers that are forwarded without parsing: a scan costs the same whatever they contain. */
export const UNPARSED_SHAPE: ShapeBounds = {
  values: Number.POSITIVE_INFINITY,
  bytesPerValue: 1,
  depth: MAX_DEPTH,
  textBytes: Number.POSITIVE_INFINITY,
  digits: Number.POSITIVE_INFINITY,
  trimsZeros: false,
};

/** Longest error in bytes. Errors are parsed; revert data may be as long as other results, but megabytes of it are unusable. */
export const ERROR_BYTES = 4_194_304;

/** An error has a few members around one string, which may be as long as the result of a call. */
export const ERROR_SHAPE: ShapeBounds = {
  values: 1_024,
  bytesPerValue: Number.POSITIVE_INFINITY,
  depth: 32,
  textBytes: Number.POSITIVE_INFINITY,
  digits: 256,
  trimsZeros: false,
};

/** Running counts over an answer. */
export type ShapeCounts = { values: number; longestText: number; longestName: number; longestNumber: number };

/**
 * Rejects an answer that no honest node can give to the request.
 * @param bytes received bytes of the answer
 * @throws UpstreamFault `excessive`, with the name of the bound
 */
export function checkShape(counts: ShapeCounts, bytes: number, bounds: ShapeBounds): void {
  if (counts.values > bounds.values + bytes / bounds.bytesPerValue) throw excessive('values');
  if (counts.longestText > bounds.textBytes) throw excessive('string bytes');
  if (counts.longestName > NAME_BYTES) throw excessive('bytes of a name');
  if (counts.longestNumber > bounds.digits) throw excessive('digits of a number');
}

/**
 * Creates the fault of an answer that exceeds a bound.
 * @param what name of the bound
 */
export function excessive(what: string): UpstreamFault {
  return new UpstreamFault(
    'excessive',
    `the answer has more data than the request can need (bound: ${what})`,
  );
}
