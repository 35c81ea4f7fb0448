/** Calls that are expensive for a network's nodes, or for the log because of what nodes say. */

import { DELIVERIES } from '../../support/hostile/deliveries.ts';
import type { Abuse } from '../abuse.ts';
import { encodeHostileData } from '../stage/hostile-calls.ts';
import { type BodyAbuse, bodyAbuse, encodeCall, FLOODING, HOSTILE, NODES, nextNumber } from './body-abuse.ts';

const family = 'nodes';
const call = (data: string): Uint8Array => encodeCall('eth_call', [{ data }, 'latest']);
const numbered = (prefix: string): string => `${prefix}${nextNumber().toString(16).padStart(8, '0')}`;

const ROWS: readonly Omit<BodyAbuse, 'family'>[] = [
  { name: 'errors of unknown text', isShort: true, makeBody: () => () => call(numbered('0xbad0')) },
  {
    name: 'errors of unknown text, WebSocket',
    transport: 'WebSocket',
    makeBody: () => () => call(numbered('0xbad0')),
  },
  { name: 'errors of 1 MB of text', makeBody: () => () => call(numbered('0xbad1')) },
  { name: 'calls at which a node crashes', makeBody: () => () => call(numbered('0xbad2')) },
  { name: 'answers that are no JSON', makeBody: () => () => call(numbered('0xbad3')) },
  {
    name: 'calls that a node never answers',
    connections: 700,
    ms: 3_000,
    makeBody: () => () => call(numbered('0x510e')),
  },
  {
    name: 'calls that a node never answers, WebSocket',
    transport: 'WebSocket',
    connections: 16,
    ms: 3_000,
    makeBody: () => () =>
      Buffer.from(
        `[${Array.from({ length: 64 }, () => Buffer.from(call(numbered('0x510e'))).toString()).join()}]`,
      ),
  },
];

/** A node that answers far more than was asked for, or sends what was not asked for, at a caller's wish: over HTTP or WebSocket. */
const hostile = (
  host: string,
  content: string,
  delivery: string,
  megabytes: number,
): Omit<BodyAbuse, 'family'> => ({
  name: `a node that sends ${describeSent(content, delivery)}${host === FLOODING ? ', WebSocket' : ''}`,
  host,
  connections: 4,
  ms: 2_500,
  // Between two of them the node is out of use, and calls are refused.
  pause: 20,
  makeBody: () => () => call(encodeHostileData(content, delivery, megabytes, nextNumber())),
});

function describeSent(content: string, delivery: string): string {
  const hasOwnContent = DELIVERIES.find(({ name }) => name === delivery)?.hasOwnContent === true;
  return hasOwnContent ? delivery : `${content}, ${delivery}`;
}

const HOSTILE_ROWS: readonly Omit<BodyAbuse, 'family'>[] = [
  { ...hostile(HOSTILE, 'many elements', 'as a whole', 120), isShort: true },
  hostile(HOSTILE, 'one long string', 'as a whole', 120),
  hostile(HOSTILE, 'deep arrays', 'in pieces', 32),
  hostile(HOSTILE, 'many members', 'gzip', 32),
  hostile(HOSTILE, 'one long number', 'br', 32),
  hostile(HOSTILE, 'many elements', 'in pieces of a byte', 2),
  hostile(HOSTILE, 'one long string', 'without end', 2),
  hostile(FLOODING, 'many elements', 'as a whole', 120),
  hostile(FLOODING, 'one long string', 'in pieces of a byte', 2),
  hostile(FLOODING, 'many elements', 'answers to unknown ids', 1),
  hostile(FLOODING, 'many elements', 'notifications of unknown subscriptions', 1),
  hostile(FLOODING, 'many elements', 'small answers to unknown ids', 1),
  hostile(FLOODING, 'many elements', 'random heads', 1),
  hostile(FLOODING, 'many elements', 'pings', 1),
  hostile(FLOODING, 'many elements', 'pongs', 1),
];

export const NODES_ABUSES: readonly Abuse[] = [
  ...ROWS.map((row) => bodyAbuse({ host: NODES, charge: 'calls', ...row, family })),
  ...HOSTILE_ROWS.map((row) => bodyAbuse({ charge: 'calls', ...row, family })),
];
