import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Envelope, LARGE_BODY_BYTES, parseEnvelope, readEnvelope } from '../../src/rpc/envelope.ts';

function parse(text: string, maxBatchItems = 3): Envelope {
  return parseEnvelope(new TextEncoder().encode(text), maxBatchItems);
}

/** Kind, id and error of a request object with these members. */
function outcomeOf(text: string): unknown {
  const envelope = parse(text);
  if (envelope.kind !== 'malformed') return envelope;
  return [envelope.id, envelope.error.row.code, envelope.error.message];
}

test('the id of a call is preserved as text', () => {
  for (const id of [
    '1',
    '9007199254740993',
    '1.0',
    '1e2',
    '-0',
    '1e400',
    'null',
    '"a"',
    '""',
    '"é\\n\\u2028"',
  ]) {
    const expected = id.startsWith('"') ? JSON.stringify(JSON.parse(id)) : id;
    assert.deepEqual(parse(`{"jsonrpc":"2.0","method":"m","id":${id}}`), {
      kind: 'call',
      id: expected,
      method: 'm',
      params: [],
    });
  }
});

test('params are positional, and empty if they are absent or null', () => {
  const params = (text: string): unknown =>
    (parse(`{"jsonrpc":"2.0","id":1,"method":"m"${text}}`) as { params: unknown }).params;
  assert.deepEqual(params(',"params":[1,null]'), [1, null]);
  assert.deepEqual(params(',"params":null'), []);
  assert.deepEqual(params(''), []);
});

test('a request without id is a notification, even with invalid params', () => {
  assert.equal(parse('{"jsonrpc":"2.0","method":"m"}').kind, 'notification');
  assert.equal(parse('{"jsonrpc":"2.0","method":"m","params":{}}').kind, 'notification');
  assert.equal(parse('{"jsonrpc":"2.0","method":"m","id":null}').kind, 'call');
});

const MALFORMED: readonly [text: string, id: string, code: number, message: string][] = [
  ['', 'null', -32700, 'parse error: unexpected end at position 0'],
  ['{', 'null', -32700, 'parse error: unexpected end at position 1'],
  ['{"id":1', 'null', -32700, 'parse error: unexpected end at position 7'],
  ['{"jsonrpc":"2.0"', 'null', -32700, 'parse error: unexpected end at position 16'],
  ['{"jsonrpc":"2.0', 'null', -32700, 'parse error: unexpected end at position 15'],
  ['[1,', 'null', -32700, 'parse error: unexpected end at position 3'],
  ['{"id":1]', 'null', -32700, 'parse error: unexpected text at position 7'],
  ['nonsense', 'null', -32700, 'parse error: not a JSON text'],
  ['5', 'null', -32600, 'invalid request: expected a request object'],
  ['"x"', 'null', -32600, 'invalid request: expected a request object'],
  ['null', 'null', -32600, 'invalid request: expected a request object'],
  ['{}', 'null', -32600, 'invalid request: "jsonrpc" must be "2.0"'],
  ['{"jsonrpc":"1.0","id":3,"method":"m"}', '3', -32600, 'invalid request: "jsonrpc" must be "2.0"'],
  ['{"jsonrpc":2.0,"id":"a","method":"m"}', '"a"', -32600, 'invalid request: "jsonrpc" must be "2.0"'],
  ['{"jsonrpc":"2.0","id":3}', '3', -32600, 'invalid request: "method" must be a string'],
  ['{"jsonrpc":"2.0","method":1}', 'null', -32600, 'invalid request: "method" must be a string'],
  [
    '{"jsonrpc":"2.0","id":3,"method":"m","params":{"a":1}}',
    '3',
    -32602,
    'params must be an array: parameters are given by position',
  ],
  [
    '{"jsonrpc":"2.0","id":3,"method":"m","params":"x"}',
    '3',
    -32602,
    'params must be an array: parameters are given by position',
  ],
  ['[]', 'null', -32600, 'empty batch'],
];
for (const [text, ...expected] of MALFORMED) {
  test(`${text || 'an empty body'} is malformed`, () => assert.deepEqual(outcomeOf(text), expected));
}

for (const id of ['{}', '[1]', 'true', 'false']) {
  test(`an id ${id} is refused with id null`, () => {
    assert.deepEqual(outcomeOf(`{"jsonrpc":"2.0","method":"m","id":${id}}`), [
      'null',
      -32600,
      'invalid request: "id" must be a number, a string or null',
    ]);
  });
}

test('invalid UTF-8 and a byte order mark are parse errors', () => {
  const body = Uint8Array.of(0x22, 0xff, 0x22);
  const envelope = parseEnvelope(body, 3);
  assert.equal(envelope.kind === 'malformed' && envelope.error.message, 'parse error: invalid UTF-8');
  assert.equal(parse('\ufeff{}').kind, 'malformed');
});

test('a parse error does not repeat the body', () => {
  const envelope = parse('{"key": topsecret}');
  assert.ok(envelope.kind === 'malformed' && !envelope.error.message.includes('topsecret'));
});

test('a body of only brackets is refused', () => {
  assert.equal(parse('['.repeat(5_000_000)).kind, 'malformed');
  assert.equal(parse(`${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`).kind, 'malformed');
});

test('a batch preserves the order and the kinds of its items', () => {
  const envelope = parse('[{"jsonrpc":"2.0","id":1.0,"method":"a"},7,{"jsonrpc":"2.0","method":"b"}]');
  assert.ok(envelope.kind === 'batch');
  assert.deepEqual(
    envelope.items.map((item) => [item.kind, 'id' in item ? item.id : undefined]),
    [
      ['call', '1.0'],
      ['malformed', 'null'],
      ['notification', undefined],
    ],
  );
});

test('a batch with too many items is a single error with id null', () => {
  const message = 'batch too large: the limit is 3 items (bound: batch.items)';
  assert.deepEqual(outcomeOf('[{"id":1.50},{"id":"x"},{"id":null},{"id":{}},{},5]'), [
    'null',
    -32600,
    message,
  ]);
  const blank = ' '.repeat(LARGE_BODY_BYTES);
  assert.deepEqual(outcomeOf(`${blank}[1,[2,2,2,2],"3,3",4]`), ['null', -32600, message]);
  assert.equal(parse(`${blank}[1,[2,2,2,2],"3,3"]`).kind, 'batch');
});

test('a too long id is refused, and a too long number is a parse error', () => {
  const request = (id: string): string => `{"jsonrpc":"2.0","method":"m","id":${id}}`;
  const longest = `"${'x'.repeat(64 * 1024 - 2)}"`;
  const envelope = parse(request(longest));
  assert.ok(envelope.kind === 'call' && envelope.id === longest);
  const message = 'invalid request: "id" is longer than 65536 characters (bound: body.idLength)';
  assert.deepEqual(outcomeOf(request(`"${'x'.repeat(64 * 1024 - 1)}"`)), ['null', -32600, message]);
  const tooLong = 'parse error: a number of more than 1000 characters (bound: body.numberLength)';
  assert.deepEqual(outcomeOf(request('1'.repeat(64 * 1024 + 1))), ['null', -32700, tooLong]);
});

test('non-ASCII text is decoded in pieces that end between two characters', () => {
  for (const character of ['é', '€', '𝄞']) {
    for (const before of ['', 'a', 'ab', 'abc']) {
      const id = `"${before}1"`;
      const method = character.repeat(300_000);
      const work = readEnvelope(Buffer.from(`{"jsonrpc":"2.0","id":${id},"method":"${method}"}`), 3);
      let pauses = 0;
      let step = work.next();
      for (; step.done !== true; step = work.next()) pauses++;
      assert.ok(step.value.kind === 'call' && step.value.method === method && step.value.id === id);
      assert.ok(pauses > 4);
    }
  }
});
