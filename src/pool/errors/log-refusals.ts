import { LogRefusal, UpstreamFault } from '../fault.ts';

/** Matches messages of nodes and vendors that a log request has too many results. The request may succeed with fewer blocks. */
const SIZE =
  /more than [\d,]{1,12} (?:results|logs|bytes)|logs? matched|(?:response|result)s? size|max(?:imum)? (?:results|logs)|too many (?:results|logs)/i;

/** Matches messages of nodes and vendors that a log request covers too many blocks. */
const RANGE =
  /\b(?:block )?ranges?\b|too many blocks|\b(?:at most|max(?:imum)?|limit(?:ed)?)\b.{0,60}\bblocks?\b|smaller than size \d/i;

/**
 * Matches geth's messages for a block range that the node does not have. geth's message for an invalid range also means that the node lacks the
 * blocks, because the pool never requests an invalid range.
 */
const BEHIND = /^(?:block range extends beyond current head block|invalid block range params)\b/i;

const NUMBER = /(?<![\dx])(\d{1,3}(?:,\d{3}){1,3}|\d{1,12})\s?(k\b)?/gi;

/** Reads a node's refusal of a log request; undefined if the error has another cause. */
export function readLogRefusal(message: string): UpstreamFault | undefined {
  if (BEHIND.test(message)) return new UpstreamFault('missing', message);
  if (SIZE.test(message)) return new LogRefusal('size', message);
  return RANGE.test(message) ? new LogRefusal('range', message, ...findNumbers(message)) : undefined;
}

/** Returns the decimal numbers in the message; the maximum number of blocks may be one of them. */
function findNumbers(message: string): number[] {
  return [...message.matchAll(NUMBER)].map(
    ([, digits = '', thousands]) =>
      Number(digits.replaceAll(',', '')) * (thousands === undefined ? 1 : 1_000),
  );
}
