import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readReply } from '../../../src/upstream/transport/read-reply.ts';
import { ReplyScanner } from '../../../src/upstream/transport/reply-scanner.ts';

const LONG = `0x${'0a'.repeat(300_000)}`;
const CODE = '"code":3,"message":"execution reverted"';

/** Errors as text, as nodes may write them. */
const ERRORS: Readonly<Record<string, string>> = {
  'data last': `{${CODE},"data":"${LONG}"}`,
  'data first, with white space': `{ "data" :\n "${LONG}" , ${CODE} }`,
  'data in an object': `{${CODE},"data":{"data":"${LONG}"}}`,
  'data behind an object that has data': `{${CODE},"cause":{"data":"${LONG}"},"data":"0x01"}`,
  'data twice': `{"data":"${LONG}",${CODE},"data":"0x02"}`,
  'data that is no text': `{${CODE},"data":[1,2],"more":"${LONG}"}`,
  'no data': `{${CODE},"more":"${LONG}"}`,
  'data with escapes': `{${CODE},"data":"\\u0030x${LONG}"}`,
  'data in other letters': `{${CODE},"data":"é${LONG}"}`,
  'a name that ends like data': `{${CODE},"\\"data":"${LONG}"}`,
  'a message beside it': `{"message":"${'x'.repeat(16_384)}","code":3,"data":"${LONG}"}`,
  'data that is short': `{${CODE},"data":"0x01"}`,
};

for (const [name, text] of Object.entries(ERRORS)) {
  test(`an error is read as it is: ${name}`, () => {
    const scanner = new ReplyScanner();
    const bytes = Buffer.from(`{"jsonrpc":"2.0","id":1,"error":${text}}`);
    scanner.push(bytes);
    const { code, message, data } = JSON.parse(text) as Record<string, unknown>;
    assert.deepEqual(readReply(scanner, bytes), { kind: 'error', error: { code, message, data } });
  });
}

test('of a long message the beginning is read', () => {
  const scanner = new ReplyScanner();
  const bytes = Buffer.from(`{"id":1,"error":{"code":3,"message":"${'y'.repeat(300_000)}"}}`);
  scanner.push(bytes);
  const reply = readReply(scanner, bytes);
  assert.ok(reply.kind === 'error');
  assert.equal(reply.error.message, 'y'.repeat(16_384));
});

test('an error of megabytes is the fault of its node, but for plain data', () => {
  const long = 'y'.repeat(2_000_000);
  const read = (error: string): unknown => {
    const bytes = Buffer.from(`{"id":1,"error":${error}}`);
    const scanner = new ReplyScanner();
    scanner.push(bytes);
    return readReply(scanner, bytes);
  };
  for (const error of [
    `{"code":3,"message":"${long}"}`,
    `{${CODE},"data":{"data":"${long}"}}`,
    `{${CODE},"data":"\\u0030${long}"}`,
  ])
    assert.throws(() => read(error), { kind: 'excessive' });
  assert.deepEqual(read(`{${CODE},"data":"${long}"}`), {
    kind: 'error',
    error: { code: 3, message: 'execution reverted', data: long },
  });
});
