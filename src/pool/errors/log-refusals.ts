import { LogRefusal, UpstreamFault } from '../fault.ts';

/** Messages of nodes and vendors for too many results of a log request: fewer blocks may avoid it. */
const SIZE =
  /more than [\d,]{1,12} (?:results|logs|bytes)|logs? matched|(?:response|result)s? size|max(?:imum)? (?:results|logs)|too many (?:results|logs)/i;

/** Messages of nodes and vendors for too many blocks. */
const RANGE =
  /\b(?:block )?ranges?\b|too many blocks|\b(?:at most|max(?:imum)?|limit(?:ed)?)\b.{0,60}\bblocks?\b|smaller than size \d/i;

/** geth's message for a range of blocks that it does not have: requested ranges are always in order. */
const BEHIND = /^(?:block range extends beyond current head block|invalid block range params)\b/i;

const NUMBER = /(?<![\dx])(\d{1,3}(?:,\d{3}){1,3}|\d{1,12})\s?(k\b)?/gi;

/** Reads a node's refusal of a log request; undefined when the error is about something else. */
export function readLogRefusal(message: string): UpstreamFault | undefined {
  if (BEHIND.test(message)) return new UpstreamFault('missing', message);
  if (SIZE.test(message)) return new LogRefusal('size', message);
  return RANGE.test(message) ? new LogRefusal('range', message, ...findNumbers(message)) : undefined;
}

/** Decimal numbers of the message: the bound is among them. */
function findNumbers(message: string): number[] {
  return [...message.matchAll(NUMBER)].map(
    ([, digits = '', thousands]) =>
      Number(digits.replaceAll(',', '')) * (thousands === undefined ? 1 : 1_000),
  );
}
