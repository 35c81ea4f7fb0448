import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readReply, readReplyInSlices } from '../../../src/pool/transport/read-reply.ts';
import { ReplyScanner } from '../../../src/pool/transport/reply-scanner.ts';

const LONG = `0x${'0a'.repeat(300_000)}`;
const CODE = '"code":3,"message":"execution reverted"';

/** Errors as JSON text, as nodes may write them. */
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
  test(`an error is read unchanged: ${name}`, async () => {
    const scanner = new ReplyScanner();
    const bytes = Buffer.from(`{"jsonrpc":"2.0","id":1,"error":${text}}`);
    scanner.push(bytes);
    const { code, message, data } = JSON.parse(text) as Record<string, unknown>;
    assert.deepEqual(await readReply(scanner, bytes), { kind: 'error', error: { code, message, data } });
  });
}

test('a long message is cut to its beginning', async () => {
  const scanner = new ReplyScanner();
  const bytes = Buffer.from(`{"id":1,"error":{"code":3,"message":"${'y'.repeat(300_000)}"}}`);
  scanner.push(bytes);
  const reply = await readReply(scanner, bytes);
  assert.ok(reply.kind === 'error');
  assert.equal(reply.error.message, 'y'.repeat(16_384));
});

const MEGABYTES = 2_000_000;
/** Errors of megabytes: a caller can cause them on any node by the revert data of a contract. */
const LONG_ERRORS: Readonly<Record<string, string>> = {
  'a message': `{"code":3,"message":"${'y'.repeat(MEGABYTES)}"}`,
  'a message of two bytes a character': `{"code":3,"message":"${'é'.repeat(MEGABYTES / 2)}"}`,
  'a message of escapes': `{"code":3,"message":"${'\\u00e9'.repeat(MEGABYTES / 6)}"}`,
  'data in an object': `{${CODE},"data":{"data":"${'y'.repeat(MEGABYTES)}"}}`,
  'data with an escape': `{${CODE},"data":"\\u0030${'y'.repeat(MEGABYTES)}"}`,
  'data of two bytes a character': `{${CODE},"data":"${'é'.repeat(MEGABYTES / 2)}"}`,
  'a message beside data': `{"code":3,"message":"${'y'.repeat(MEGABYTES / 3)}","data":"${'ab'.repeat(MEGABYTES / 3)}"}`,
};

for (const [name, text] of Object.entries(LONG_ERRORS)) {
  test(`an error of megabytes is read with pauses: ${name}`, () => {
    const bytes = Buffer.from(`{"id":1,"error":${text}}`);
    const scanner = new ReplyScanner();
    scanner.push(bytes);
    const work = readReplyInSlices(scanner, bytes);
    let pauses = 0;
    let step = work.next();
    for (; step.done !== true; step = work.next()) pauses++;
    const { code, message, data } = JSON.parse(text) as Record<string, unknown>;
    const error = { code, message: String(message).slice(0, 16_384), data };
    assert.deepEqual(step.value, { kind: 'error', error });
    // First the bytes are decoded, then the text is parsed, which may have half as many characters.
    assert.ok(pauses >= 1.4 * Math.floor(bytes.length / 65_536), `${pauses} pauses`);
  });
}

test('megabytes of unescaped data are sliced from the bytes without a pause', () => {
  const data = `0x${'ab'.repeat(MEGABYTES / 2)}`;
  const bytes = Buffer.from(`{"id":1,"error":{${CODE},"data":"${data}"}}`);
  const scanner = new ReplyScanner();
  scanner.push(bytes);
  const step = readReplyInSlices(scanner, bytes).next();
  const error = { code: 3, message: 'execution reverted', data };
  assert.deepEqual(step, { done: true, value: { kind: 'error', error } });
});
