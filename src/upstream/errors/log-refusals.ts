import { LogRefusal, UpstreamFault } from '../fault.ts';

/** Words of nodes and vendors that a question for logs has too many results: with fewer blocks it may not. */
const SIZE =
  /more than [\d,]{1,12} (?:results|logs|bytes)|logs? matched|(?:response|result)s? size|max(?:imum)? (?:results|logs)|too many (?:results|logs)/i;

/** Words of nodes and vendors that it has too many blocks. */
const RANGE =
  /\b(?:block )?ranges?\b|too many blocks|\b(?:at most|max(?:imum)?|limit(?:ed)?)\b.{0,60}\bblocks?\b|smaller than size \d/i;

/** geth's words for a range of blocks that it does not have: the ranges that it is asked for are in order. */
const BEHIND = /^(?:block range extends beyond current head block|invalid block range params)\b/i;

const NUMBER = /(?<![\dx])(\d{1,3}(?:,\d{3}){1,3}|\d{1,12})\s?(k\b)?/gi;

/** What a node's error says about a question for logs; undefined when it is about something else. */
export function readLogRefusal(message: string): UpstreamFault | undefined {
  if (BEHIND.test(message)) return new UpstreamFault('missing', message);
  if (SIZE.test(message)) return new LogRefusal('size', message);
  return RANGE.test(message) ? new LogRefusal('range', message, ...findNumbers(message)) : undefined;
}

/** Numbers in decimal: the bound is among them. */
function findNumbers(message: string): number[] {
  return [...message.matchAll(NUMBER)].map(
    ([, digits = '', thousands]) =>
      Number(digits.replaceAll(',', '')) * (thousands === undefined ? 1 : 1_000),
  );
}
