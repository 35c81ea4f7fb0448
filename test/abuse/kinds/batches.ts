/** Batches of permitted calls. */
import type { Abuse } from '../abuse.ts';
import { type BodyAbuse, bodyAbuse, nextNumber, PRAGUE } from './body-abuse.ts';
import { repeat } from './programs.ts';

const family = 'batches';
const ITEMS = 1_000;

/** Encodes a batch of calls of one method; `params` makes the parameters of each. */
function encodeBatch(method: string, params: (index: number) => readonly unknown[]): Uint8Array {
  const items = Array.from({ length: ITEMS }, (_, id) => ({
    jsonrpc: '2.0',
    id,
    method,
    params: params(id),
  }));
  return Buffer.from(JSON.stringify(items));
}

const SPIN = (number: number): string => repeat('', `${number} POP`);

const ROWS: readonly Omit<BodyAbuse, 'family'>[] = [
  {
    name: 'batches of 1,000 chain ids',
    connections: 16,
    makeBody: () => encodeBatch('eth_chainId', () => []),
  },
  {
    name: 'batches of 1,000 chain ids, rated key',
    key: 'rated',
    makeBody: () => encodeBatch('eth_chainId', () => []),
  },
  {
    name: 'batches of 1,000 chain ids, WebSocket',
    transport: 'WebSocket',
    connections: 8,
    makeBody: () => encodeBatch('eth_chainId', () => []),
  },
  { name: 'batches of 1,000 unknown methods', makeBody: () => encodeBatch('no_method', () => []) },
  {
    name: 'batches of 1,000 heavy calls',
    charge: 'calls',
    host: PRAGUE,
    makeBody: () => () => encodeBatch('eth_call', () => [{ data: SPIN(nextNumber()) }, 'latest']),
  },
  {
    name: 'batches of 1,000 heavy calls, WebSocket',
    transport: 'WebSocket',
    charge: 'calls',
    host: PRAGUE,
    makeBody: () => () => encodeBatch('eth_call', () => [{ data: SPIN(nextNumber()) }, 'latest']),
  },
  {
    name: 'batches of 1,000 calls of 1 ms each',
    charge: 'calls',
    makeBody: () => () =>
      encodeBatch('eth_call', () => [{ data: SPIN(nextNumber()), gas: '0x7a120' }, 'latest']),
  },
  {
    name: 'batches of 1,000 estimates',
    charge: 'calls',
    makeBody: () => () =>
      encodeBatch('eth_estimateGas', () => [{ data: SPIN(nextNumber()), gas: '0xf4240' }, 'latest']),
  },
];

export const BATCHES: readonly Abuse[] = ROWS.map((row) => bodyAbuse({ ...row, family }));
