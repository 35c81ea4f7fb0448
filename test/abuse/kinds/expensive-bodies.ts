/** Bodies that are expensive to read, over HTTP and WebSocket. */
import { gzipSync } from 'node:zlib';
import type { Abuse } from '../abuse.ts';
import { type BodyAbuse, bodyAbuse, NODES } from './body-abuse.ts';

const family = 'expensive bodies';
/** Slightly less than the maximum size of a body. */
const FULL = 5_200_000;
const MANY = 500_000;
const ADDRESS = `0x${'11'.repeat(20)}`;
const word = (value: number): string => value.toString(16).padStart(64, '0');
const text = (body: string): Uint8Array => Buffer.from(body);
const zip = (body: string): Uint8Array => gzipSync(body, { level: 9 });
const GZIP = { 'content-encoding': 'gzip' } as const;
const call = (params: string): string => `{"jsonrpc":"2.0","id":1,"method":"eth_call","params":${params}}`;
const list = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => make(index)).join(',');

type Row = Omit<BodyAbuse, 'family' | 'makeBody'> & { readonly body: () => Uint8Array };

const ROWS: readonly Row[] = [
  { name: '5 MB that are no JSON', isShort: true, body: () => text('x'.repeat(FULL)) },
  { name: '5 MB that are no JSON, WebSocket', transport: 'WebSocket', body: () => text('x'.repeat(FULL)) },
  {
    name: '5 MB of JSON without its end',
    body: () => text(call(`[{"data":"0x${'00'.repeat(FULL / 2 - 50)}`)).subarray(0, -2),
  },
  { name: '5 MB of white space', body: () => text(' '.repeat(FULL)) },
  { name: '5 MB of [', body: () => text('['.repeat(FULL)) },
  { name: '5 MB of nested objects', body: () => text(call('{"a":'.repeat(FULL / 6))) },
  { name: '5 MB that are no UTF-8', body: () => Buffer.alloc(FULL, 0xc3) },
  { name: '5 MB of escapes', body: () => text(call(`["${'\\u0061'.repeat(FULL / 7)}"]`)) },
  { name: 'a number of 5 MB', body: () => text(call(`[${'9'.repeat(FULL - 100)}]`)) },
  {
    name: 'a method of 2.5 million é',
    body: () => text(`{"jsonrpc":"2.0","id":1,"method":"${'é'.repeat(FULL / 2 - 50)}"}`),
  },
  {
    name: '5 MB of white space behind 2,100 members',
    body: () =>
      text(call(`[{${list(2_100, (index) => `"${index.toString(36)}":0`)}},${' '.repeat(FULL - 60_000)}1]`)),
  },
  {
    name: '32,700 members with numbers of one hash as names',
    body: () => text(call(`[{${list(32_700, (index) => `"${index * 2 ** 17}":0`)}}]`)),
  },
  {
    name: '500,000 members',

    body: () => text(call(`[{${list(MANY, (index) => `"${index.toString(36)}":0`)}}]`)),
  },
  {
    name: '500,000 members, WebSocket',
    transport: 'WebSocket',
    body: () => text(call(`[{${list(MANY, (index) => `"${index.toString(36)}":0`)}}]`)),
  },
  {
    name: '400,000 members, rated key',
    key: 'rated',
    body: () => text(call(`[{${list(400_000, (index) => `"${index.toString(36)}":0`)}}]`)),
  },
  { name: '500,000 elements', body: () => text(call(`[${list(MANY, () => '0')}]`)) },
  { name: '1,700,000 empty arrays', body: () => text(call(`[${list(1_700_000, () => '[]')}]`)) },
  { name: '500,000 times the same member', body: () => text(call(`[{${list(MANY, () => '"a":0')}}]`)) },
  {
    name: 'an envelope of 400,000 members',
    body: () =>
      text(
        `{${list(400_000, (index) => `"${index.toString(36)}":0`)},"jsonrpc":"2.0","id":1,"method":"eth_chainId"}`,
      ),
  },
  { name: 'gzip of 5 MB of zeros', headers: GZIP, body: () => zip('0'.repeat(FULL)) },
  { name: 'gzip of 500 MB', charge: 'refused', headers: GZIP, body: () => zip('0'.repeat(500_000_000)) },
  {
    name: 'gzip of a batch of 520,000 items',
    isShort: true,
    headers: GZIP,
    body: () => zip(`[${list(520_000, () => '{"id":1}')}]`),
  },
  {
    name: 'gzip of a batch of 520,000 items, rated key',
    key: 'rated',
    headers: GZIP,
    body: () => zip(`[${list(520_000, () => '{"id":1}')}]`),
  },
  {
    name: 'batch of 100,000 items, WebSocket',
    transport: 'WebSocket',
    body: () => text(`[${list(100_000, (index) => `{"id":${index},"method":"eth_chainId"}`)}]`),
  },
  { name: 'batch of 1,000,000 numbers', body: () => text(`[${list(1_000_000, () => '1')}]`) },
  { name: 'batch of 1,000 malformed items', body: () => text(`[${list(1_000, () => '{"id":1}')}]`) },
  {
    name: 'batch of 1,000 malformed items, WebSocket',
    transport: 'WebSocket',
    body: () => text(`[${list(1_000, () => '{"id":1}')}]`),
  },
  {
    name: 'batch of 1,000 ids of 5 KB',
    body: () =>
      text(
        `[${list(1_000, (index) => `{"jsonrpc":"2.0","id":"${'i'.repeat(5_000)}${index}","method":"no_method"}`)}]`,
      ),
  },
  {
    name: 'an id of 5 MB',
    body: () => text(`{"jsonrpc":"2.0","id":"${'i'.repeat(FULL - 100)}","method":"eth_chainId"}`),
  },
  {
    name: 'a method of 5 MB',
    body: () => text(`{"jsonrpc":"2.0","id":1,"method":"${'m'.repeat(FULL - 100)}"}`),
  },
  {
    name: 'a method of 5 MB, WebSocket',
    transport: 'WebSocket',
    body: () => text(`{"jsonrpc":"2.0","id":1,"method":"${'m'.repeat(FULL - 100)}"}`),
  },
  {
    name: 'call data of 5 MB',
    body: () => text(call(`[{"to":"${ADDRESS}","data":"0x${'ab'.repeat(FULL / 2 - 100)}"},"latest"]`)),
  },
  {
    name: 'call data of 5 MB to a node',
    host: NODES,
    body: () => text(call(`[{"to":"${ADDRESS}","data":"0x${'ab'.repeat(FULL / 2 - 100)}"},"latest"]`)),
  },
  {
    name: 'overrides of 36,000 slots',
    body: () =>
      text(
        call(
          `[{"to":"${ADDRESS}"},"latest",{"${ADDRESS}":{"stateDiff":{${list(36_000, (index) => `"0x${word(index)}":"0x${word(1)}"`)}}}}]`,
        ),
      ),
  },
  {
    name: 'overrides of 8,000 slots',
    body: () =>
      text(
        call(
          `[{"to":"${ADDRESS}"},"latest",{"${ADDRESS}":{"stateDiff":{${list(8_000, (index) => `"0x${word(index)}":"0x${word(1)}"`)}}}}]`,
        ),
      ),
  },
  {
    name: 'a simulated block of 8,000 withdrawals',
    isShort: true,
    body: () =>
      text(
        `{"jsonrpc":"2.0","id":1,"method":"eth_simulateV1","params":[{"blockStateCalls":[{"blockOverrides":{"withdrawals":[${list(8_000, () => '{}')}]}}]},"latest"]}`,
      ),
  },
  {
    name: 'overrides of 80,000 accounts',
    body: () =>
      text(
        call(
          `[{"to":"${ADDRESS}"},"latest",{${list(80_000, (index) => `"0x${index.toString(16).padStart(40, '0')}":{"nonce":"0x1"}`)}}]`,
        ),
      ),
  },
  {
    name: 'an override of code of 2.5 MB',
    body: () =>
      text(call(`[{"to":"${ADDRESS}"},"latest",{"${ADDRESS}":{"code":"0x00${'5b'.repeat(2_500_000)}"}}]`)),
  },
  {
    name: 'an access list of 70,000 slots',
    body: () =>
      text(
        call(
          `[{"to":"${ADDRESS}","accessList":[{"address":"${ADDRESS}","storageKeys":[${list(70_000, (index) => `"0x${word(index)}"`)}]}]},"latest"]`,
        ),
      ),
  },
  {
    name: 'an access list of 60,000 accounts',
    body: () =>
      text(
        call(
          `[{"to":"${ADDRESS}","accessList":[${list(60_000, (index) => `{"address":"0x${index.toString(16).padStart(40, '0')}","storageKeys":[]}`)}]},"latest"]`,
        ),
      ),
  },
  {
    name: '70,000 blob hashes and 10,000 authorizations',
    body: () =>
      text(
        call(
          `[{"to":"${ADDRESS}","blobVersionedHashes":[${list(40_000, (index) => `"0x01${word(index).slice(2)}"`)}],"authorizationList":[${list(
            7_000,
            (index) =>
              `{"chainId":"0x0","address":"${ADDRESS}","nonce":"0x0","yParity":"0x0","r":"0x${index.toString(16)}1","s":"0x1"}`,
          )}]},"latest"]`,
        ),
      ),
  },
];

export const EXPENSIVE_BODIES: readonly Abuse[] = ROWS.map(({ body, ...row }) =>
  bodyAbuse({ ...row, family, makeBody: body }),
);
