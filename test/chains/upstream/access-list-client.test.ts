/** Block access lists of nodes are compared with the hash in the block header as a whole. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import {
  decodeBlockAccessList,
  encodeBlockAccessList,
} from '../../../packages/ethereum/codecs/block-access-list.ts';
import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../../packages/ethereum/primitives/keccak.ts';
import { encodeBlockAccessListJson } from '../../../src/chain/block-access-list-json.ts';
import type { AnsweredList, HeadPlace } from '../../../src/chains/local-execution/proven/state-nodes.ts';
import { AccessListClient } from '../../../src/chains/upstream/access-list-client.ts';
import type { RequestParts } from '../../../src/chains/upstream/call-requests.ts';
import { UpstreamFault } from '../../../src/pool/fault.ts';
import type { UpstreamRequest } from '../../../src/pool/upstream-request.ts';
import { RequestScope } from '../../../src/util/request-scope.ts';
import { openAmsterdamBlocks } from '../local-execution/proven/amsterdam-blocks.ts';

const HASH = `0x${'ab'.repeat(32)}`;
const scope = new RequestScope(performance.now() + 600_000);
const lists: Uint8Array[] = [];
before(async () => {
  const { accessLists, close } = await openAmsterdamBlocks(12);
  lists.push(...accessLists.values());
  close();
});

const headOf = (list: Uint8Array): HeadPlace => ({
  number: 7n,
  hash: HASH,
  stateRoot: HASH,
  parentHash: HASH,
  isCanonical: true,
  accessListHash: bytesToHex(keccak256(list)),
});

/** Opens a client over nodes with this answer, a text or a fault for each method. */
function openAsker(answer: (call: UpstreamRequest) => string): AccessListClient {
  const ask: RequestParts['ask'] = async ({ call }) => call.check?.(answer(call)) ?? '';
  return new AccessListClient({ ask } as RequestParts);
}

const encode = (answered: AnsweredList | undefined): string =>
  bytesToHex(encodeBlockAccessList(answered?.list ?? []));

const toJson = (list: Uint8Array): unknown =>
  JSON.parse([...encodeBlockAccessListJson(decodeBlockAccessList(list))].join(''));

/** Yields the value with one change: each part in turn is changed, removed or duplicated. */
function* listChanges(value: unknown): Generator<unknown> {
  if (typeof value === 'string') {
    const digit = value.at(-1) === '1' ? '2' : '1';
    yield value === '0x' ? '0x00' : `${value.slice(0, -1)}${digit}`;
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      for (const changed of listChanges(item)) yield value.with(index, changed);
      yield value.toSpliced(index, 1);
      yield value.toSpliced(index, 0, item);
    }
  } else {
    for (const [name, member] of Object.entries(value as object))
      for (const changed of listChanges(member)) yield { ...(value as object), [name]: changed };
  }
}

test('a list is accepted in either form, and refused after any change', async () => {
  let changes = 0;
  for (const list of lists) {
    const at = headOf(list);
    const json = toJson(list);
    const right = await openAsker(() => JSON.stringify(json)).requestAccessList(at, scope);
    assert.equal(encode(right), bytesToHex(list));
    for (const changed of listChanges(json)) {
      changes++;
      const client = openAsker(() => JSON.stringify(changed));
      await assert.rejects(client.requestAccessList(at, scope), { name: 'UpstreamFault', kind: 'wrong' });
    }
  }
  assert.ok(changes > 500, `${changes} changes`);
});

test('the encoded form is requested if no node has the other, and there is no list if no node has either', async () => {
  const [list] = lists as [Uint8Array];
  const requested: string[] = [];
  const answer = ({ method, params }: UpstreamRequest, text?: string): string => {
    requested.push(`${method}${params}`);
    if (text === undefined || method.startsWith('eth'))
      throw new UpstreamFault('unsupported', 'no such method');
    return text;
  };
  const encoded = JSON.stringify(bytesToHex(list));
  const found = await openAsker((call) => answer(call, encoded)).requestAccessList(headOf(list), scope);
  assert.equal(encode(found), bytesToHex(list));
  assert.equal(found?.length, encoded.length);
  assert.deepEqual(requested, [`eth_getBlockAccessList["${HASH}"]`, 'debug_getRawBlockAccessList["0x7"]']);
  assert.equal(await openAsker((call) => answer(call)).requestAccessList(headOf(list), scope), undefined);
});

test('a list that is too long to be parsed at once is not parsed', async () => {
  const text = JSON.stringify('0'.repeat(2 << 20));
  const answered = await openAsker(() => text).requestAccessList(headOf(new Uint8Array()), scope);
  assert.deepEqual(answered, { list: undefined, length: text.length });
});
