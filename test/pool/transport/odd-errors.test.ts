/** Errors that violate JSON-RPC: those that can be interpreted are read, all others are the node's fault. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UpstreamFault } from '../../../src/pool/fault.ts';
import { readReply } from '../../../src/pool/transport/read-reply.ts';
import { ReplyScanner } from '../../../src/pool/transport/reply-scanner.ts';

type Read = { readonly code: number; readonly message: string; readonly data?: unknown };

/** Members of a response beside its id, and the error that they are read as. */
const READABLE: readonly (readonly [members: string, error: Read])[] = [
  ['"error":{"code":"-32005","message":"m"}', { code: -32005, message: 'm' }],
  ['"error":{"code":"SERVER_ERROR","message":"m"}', { code: -32000, message: 'm' }],
  ['"error":{"code":"","message":"m"}', { code: -32000, message: 'm' }],
  ['"error":{"code":null,"message":"m"}', { code: -32000, message: 'm' }],
  ['"error":{"message":"m"}', { code: -32000, message: 'm' }],
  ['"error":{"code":3}', { code: 3, message: '' }],
  ['"error":{"code":3,"message":null,"data":"0x"}', { code: 3, message: '', data: '0x' }],
  ['"error":{}', { code: -32000, message: '' }],
  ['"error":{"code":-32000.0,"message":"m"}', { code: -32000, message: 'm' }],
  ['"error":{"code":3,"message":"m"},"result":null', { code: 3, message: 'm' }],
  ['"result":null,"error":{"code":3,"message":"m","stack":[]}', { code: 3, message: 'm' }],
];

const MALFORMED: readonly string[] = [
  '"error":"execution reverted"',
  '"error":true',
  '"error":3',
  '"error":["execution reverted"]',
  '"error":{"code":1e400,"message":"execution reverted"}',
  '"error":{"code":1.5,"message":"execution reverted"}',
  '"error":{"code":9007199254740993,"message":"execution reverted"}',
  '"error":{"code":true,"message":"execution reverted"}',
  '"error":{"code":[3],"message":"execution reverted"}',
  '"error":{"code":3,"message":{"text":"execution reverted"}}',
  '"error":{"code":3,"message":["execution reverted"]}',
  '"error":{"code":3,"message":3}',
  '"error":{"code":3,"message":"execution reverted"},"result":"0x"',
  '"error":{"code":3,"message":"execution reverted"},"result":false',
];

async function read(members: string): Promise<unknown> {
  const bytes = Buffer.from(`{"jsonrpc":"2.0","id":1,${members}}`);
  const scanner = new ReplyScanner();
  scanner.push(bytes);
  return readReply(scanner, bytes);
}

for (const [members, error] of READABLE)
  test(`readReply accepts ${members}`, async () => {
    assert.deepEqual(await read(members), { kind: 'error', error: { data: undefined, ...error } });
  });

for (const members of MALFORMED)
  test(`readReply rejects ${members}`, async () => {
    await assert.rejects(
      read(members),
      (fault) => fault instanceof UpstreamFault && fault.kind === 'malformed',
    );
  });

test('readReply ignores a null error', async () => {
  assert.deepEqual(await read('"error":null,"result":"0x1"'), { kind: 'result', result: '"0x1"' });
});
