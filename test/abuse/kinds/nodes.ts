/** Calls that are expensive for a network's nodes, or for the log because of the nodes' answers. */

import type { Abuse } from '../abuse.ts';
import { HOSTILE_DATA, HOSTILE_NETWORKS } from '../stage/hostile-networks.ts';
import { type BodyAbuse, bodyAbuse, encodeCall, NODES, nextNumber } from './body-abuse.ts';

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

/** Nodes that answer far more than was requested, or send what was not requested, when a caller wants it. */
const HOSTILE_ROWS = HOSTILE_NETWORKS.map(
  ({ name, sends }, index): Omit<BodyAbuse, 'family'> => ({
    name: `a node that sends ${sends}`,
    host: `${name}.localhost`,
    connections: 4,
    ms: 2_500,
    // The first such answer takes the node out of use, and further calls are refused.
    pause: 20,
    ...(index === 0 && { isShort: true }),
    makeBody: () => () => call(numbered(HOSTILE_DATA)),
  }),
);

export const NODES_ABUSES: readonly Abuse[] = [
  ...ROWS.map((row) => bodyAbuse({ host: NODES, charge: 'calls', ...row, family })),
  ...HOSTILE_ROWS.map((row) => bodyAbuse({ charge: 'calls', ...row, family })),
];
