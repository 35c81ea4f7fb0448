import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { LATEST_BLOCK, NO_GAS_LIMIT } from '../../../packages/ethereum/primitives/call-bytes.ts';
import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
import { DEFAULT_BLOCK } from '../../../src/methods/block-reference.ts';
import { ethCall } from '../../../src/methods/eth_call.ts';
import { readFastPathCalls } from '../../../src/methods/plain-calls/read-plain-calls.ts';
import { createTextRequest } from '../../../src/methods/plain-calls/text-request.ts';
import { type Call, type Envelope, parseEnvelope } from '../../../src/rpc/envelope.ts';
import { parseParams } from '../../../src/rpc/method.ts';
import { countRuns } from '../../support/count-runs.ts';

const MAX_ITEMS = 20;
const TO = `0x${'5f'.repeat(20)}`;

type CallObject = {
  readonly to: string;
  readonly from?: string;
  readonly data?: string;
  readonly input?: string;
  readonly gas?: string;
};

/** Describes call object and block as read into `plain`. */
function describePlain({ plain }: Call): unknown {
  assert.ok(plain !== undefined);
  const { bytes, from, to, data, dataLength, zeros, gas, block } = plain;
  const input = bytes.subarray(data, data + dataLength);
  assert.equal(zeros, input.filter((byte) => byte === 0).length);
  return {
    from: bytesToHex(bytes.subarray(from, from + 20)),
    to: bytesToHex(bytes.subarray(to, to + 20)),
    data: bytesToHex(input),
    gas,
    block,
  };
}

/** Describes call object and block from the parsed parameters. */
function describeParams({ params }: Call): unknown {
  const [call, block = 'latest'] = params as [CallObject, string?];
  assert.ok(params.length <= 2);
  return {
    from: (call.from ?? `0x${'00'.repeat(20)}`).toLowerCase(),
    to: call.to.toLowerCase(),
    data: (call.data ?? call.input ?? '0x').toLowerCase(),
    gas: call.gas === undefined ? NO_GAS_LIMIT : Number(call.gas),
    block: block === 'latest' ? LATEST_BLOCK : Number(block),
  };
}

/** Checks that a call object that is forwarded as text equals the text of its parsed values. @returns whether it is forwarded so */
function compareText(item: Call): boolean {
  const request = createTextRequest(item);
  if (request === undefined) return false;
  const [call, block = DEFAULT_BLOCK, ...rest] = parseParams(ethCall.params, item.params);
  assert.deepEqual(rest, [undefined, undefined]);
  assert.equal(request.callText, JSON.stringify(call));
  assert.deepEqual({ call: request.call, block: request.block }, { call, block });
  return true;
}

/** Whether the text can be forwarded: it has only the allowed members, in order, without whitespace. */
function isText({ params }: Call, text: string): boolean {
  const { from, to, data, ...others } = params[0] as CallObject;
  const written = JSON.stringify({ from, to, data });
  return Object.keys(others).length === 0 && text.includes(written);
}

function listItems(envelope: Envelope): readonly Envelope[] {
  return envelope.kind === 'batch' ? envelope.items : [envelope];
}

/** Checks that the fast-path reader agrees with the JSON parser. @returns whether the body is on the fast path */
function compare(text: string): boolean {
  const body = Buffer.from(text);
  const read = readFastPathCalls(body, MAX_ITEMS);
  if (read === undefined) return false;
  const parsed = parseEnvelope(body, MAX_ITEMS);
  assert.equal(read.kind, parsed.kind);
  const expected = listItems(parsed);
  const items = listItems(read);
  assert.equal(items.length, expected.length);
  for (const [i, item] of items.entries()) {
    assert.ok(item.kind === 'call');
    const { kind, id, method, params } = item;
    assert.deepEqual({ kind, id, method, params }, expected[i]);
    assert.deepEqual(describePlain(item), describeParams(item));
    const isHandedOn = compareText(item);
    if (read.kind === 'call') assert.equal(isHandedOn, isText(item, text), text);
  }
  return true;
}

const blanks = fc.constantFrom('', '', '', '', ' ', '\n', '\r\n\t ');
const hex = (bytes: number): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom(...'00000123456789abcdefABCDEF'), { minLength: 2 * bytes, maxLength: 2 * bytes })
    .map((digits) => `"0x${digits.join('')}"`);
const data = fc.oneof(
  fc.constantFrom(0, 1, 4, 7, 8, 9, 15, 16, 17, 36, 68, 200).chain(hex),
  fc.nat({ max: 300 }).chain(hex),
);

/** An object with these members in any order, with whitespace anywhere. */
function objectOf(members: readonly (readonly [string, fc.Arbitrary<string>])[]): fc.Arbitrary<string> {
  const written = members.map(([name, value]) =>
    fc.tuple(blanks, blanks, value, blanks).map(([a, b, text, c]) => `${a}"${name}"${b}:${c}${text}`),
  );
  return fc
    .tuple(
      fc.tuple(...written),
      fc.shuffledSubarray(
        written.map((_, i) => i),
        { minLength: written.length },
      ),
      blanks,
    )
    .map(([texts, order, end]) => `{${order.map((i) => texts[i]).join(',')}${end}}`);
}

/** A call object as most clients write it. */
const usualCall = fc
  .record({ from: hex(20), to: hex(20), data }, { requiredKeys: ['to'] })
  .map(({ from, to, data: input }) =>
    JSON.stringify({
      from: from && JSON.parse(from),
      to: JSON.parse(to),
      data: input && JSON.parse(input),
    }),
  );
const plainQuantity = fc
  .bigInt({ min: 0n, max: 2n ** 52n - 1n })
  .map((number) => `"0x${number.toString(16)}"`);
const plainCall = fc
  .tuple(fc.boolean(), fc.boolean(), fc.constantFrom('', 'data', 'input'))
  .chain(([hasFrom, hasGas, dataName]) =>
    objectOf([
      ['to', hex(20)],
      ...(hasGas ? ([['gas', plainQuantity]] as const) : []),
      ...(hasFrom ? ([['from', hex(20)]] as const) : []),
      ...(dataName === '' ? [] : ([[dataName, data]] as const)),
    ]),
  );
const plainBlock = fc.oneof(
  fc.constant(''),
  fc.constant(',"latest"'),
  plainQuantity.map((number) => `, ${number}`),
);
const plainId = fc.oneof(
  fc.nat().map(String),
  fc.bigInt({ min: 0n, max: 10n ** 40n }).map(String),
  fc.constantFrom('"a"', '""', '"6f1e-0b/~ !"', '0', '999999999', '1000000000'),
);
const plainItem = objectOf([
  ['jsonrpc', fc.constant('"2.0"')],
  ['id', plainId],
  ['method', fc.constant('"eth_call"')],
  [
    'params',
    fc
      .tuple(blanks, fc.oneof(plainCall, usualCall), plainBlock, blanks)
      .map(([a, call, block, b]) => `[${a}${call}${block}${b}]`),
  ],
]);
const plainBody = fc.oneof(
  fc.tuple(blanks, plainItem, blanks).map((texts) => texts.join('')),
  fc
    .tuple(blanks, fc.array(plainItem, { minLength: 1, maxLength: 5 }), blanks)
    .map(([a, items, b]) => `${a}[${a}${items.join(`${b},${a}`)}${b}]${b}`),
);

describe('fast-path calls', () => {
  test('are read from bytes with the same meaning as parsed from JSON', () => {
    fc.assert(
      fc.property(plainBody, (text) => {
        assert.ok(compare(text), text);
      }),
      { numRuns: countRuns(2_000) },
    );
  });

  test('mean the same as parsed JSON, or leave the fast path, if they are damaged', () => {
    const damage = fc.record({
      at: fc.nat(),
      removed: fc.nat({ max: 3 }),
      added: fc.oneof(
        fc.constantFrom(
          '',
          ' ',
          '"',
          '\\',
          ',',
          ':',
          '{',
          '}',
          '[',
          ']',
          '0',
          '1',
          '-',
          '.5',
          'e1',
          'x',
          'g',
          'F',
          '\u00e9',
          '\0',
        ),
        fc.constantFrom(
          'null',
          '"latest"',
          '"pending"',
          '{}',
          ',{}',
          '"to":null,',
          '"id":1,',
          '"data":"0x",',
          '\\u0069',
        ),
        fc.constantFrom(
          '"gas":"0x1",',
          '"value":"0x0",',
          '0x',
          '"0X',
          '"0x01"',
          '"0x20000000000000"',
          'eth_call',
          '2.0',
        ),
      ),
    });
    fc.assert(
      fc.property(plainBody, fc.array(damage, { minLength: 1, maxLength: 2 }), (text, damages) => {
        let damaged = text;
        for (const { at, removed, added } of damages) {
          const place = at % (damaged.length + 1);
          damaged = damaged.slice(0, place) + added + damaged.slice(place + removed);
        }
        compare(damaged);
        assert.ok(compare(`${text} `), 'a blank behind it leaves calls plain');
      }),
      { numRuns: countRuns(10_000) },
    );
  });

  test('mean the same as parsed JSON, or leave the fast path, for any JSON', () => {
    fc.assert(
      fc.property(fc.json(), (text) => void compare(text)),
      { numRuns: countRuns(1_000) },
    );
  });
});

const call = (params: string, id = '1'): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"eth_call","params":${params}}`;
const OTHERS: Readonly<Record<string, string>> = {
  'a gas limit of more than 52 bits': call(`[{"to":"${TO}","gas":"0x10000000000000"},"latest"]`),
  'a gas limit with leading zeros': call(`[{"to":"${TO}","gas":"0x05208"},"latest"]`),
  'a gas limit without digits': call(`[{"to":"${TO}","gas":"0x"},"latest"]`),
  'a gas limit that is a number': call(`[{"to":"${TO}","gas":21000},"latest"]`),
  'a gas price': call(`[{"to":"${TO}","gasPrice":"0x0"},"latest"]`),
  'a value': call(`[{"to":"${TO}","value":"0x0"},"latest"]`),
  'no recipient': call('[{"data":"0x00000000000000000000000000000000000000000000000000"},"latest"]'),
  'a recipient that is null': call(`[{"to":null,"from":"${TO}"},"latest"]`),
  'data and input': call(`[{"to":"${TO}","data":"0x01","input":"0x01"},"latest"]`),
  'data of an odd length': call(`[{"to":"${TO}","data":"0x0"},"latest"]`),
  'data without a prefix': call(`[{"to":"${TO}","data":"00"},"latest"]`),
  'a short address': call(`[{"to":"${TO.slice(0, -1)}"},"latest"]`),
  'a long address': call(`[{"to":"${TO}00"},"latest"]`),
  'a member twice': call(`[{"to":"${TO}","to":"${TO}"},"latest"]`),
  'another tag': call(`[{"to":"${TO}"},"pending"]`),
  'a number with leading zeros': call(`[{"to":"${TO}"},"0x01"]`),
  'a number of more than 52 bits': call(`[{"to":"${TO}"},"0x10000000000000"]`),
  'a block that is null': call(`[{"to":"${TO}"},null]`),
  overrides: call(`[{"to":"${TO}"},"latest",{}]`),
  'a comma too many': call(`[{"to":"${TO}"},"latest",]`),
  'an id with a sign': call(`[{"to":"${TO}"},"latest"]`, '-1'),
  'an id that is no integer': call(`[{"to":"${TO}"},"latest"]`, '1.0'),
  'an id with leading zeros': call(`[{"to":"${TO}"},"latest"]`, '01'),
  'an id with an escape': call(`[{"to":"${TO}"},"latest"]`, '"\\n"'),
  'an id that is not ASCII': call(`[{"to":"${TO}"},"latest"]`, '"é"'),
  'an id that is null': call(`[{"to":"${TO}"},"latest"]`, 'null'),
  'no id': `{"jsonrpc":"2.0","method":"eth_call","params":[{"to":"${TO}"},"latest"],   "params":[]}`,
  'another method': call(`[{"to":"${TO}"},"latest"]`).replace('eth_call', 'eth_callX'),
  'another version': call(`[{"to":"${TO}"},"latest"]`).replace('2.0', '2.1'),
  'text behind the end': `${call(`[{"to":"${TO}"},"latest"]`)} 1`,
  'an empty batch': `[${' '.repeat(200)}]`,
  'another element': `[${call(`[{"to":"${TO}"},"latest"]`)},1]`,
  'an open batch': `[${call(`[{"to":"${TO}"},"latest"]`)},`,
};
for (const [name, text] of Object.entries(OTHERS)) {
  test(`not on the fast path: ${name}`, () => {
    assert.equal(compare(text), false);
  });
}

test('a batch with too many items, or a body longer than 64 KiB, is not on the fast path', () => {
  const item = call(`[{"to":"${TO}"},"latest"]`);
  const batchOf = (count: number): string => `[${new Array(count).fill(item).join()}]`;
  assert.ok(compare(batchOf(MAX_ITEMS)));
  assert.equal(compare(batchOf(MAX_ITEMS + 1)), false);
  const longest = call(`[{"to":"${TO}","data":"0x${'00'.repeat(32_700)}"},"latest"]`);
  assert.ok(longest.length < 64 * 1024 && compare(longest));
  assert.equal(compare(longest + ' '.repeat(64 * 1024 - longest.length + 1)), false);
});

test('the bytes of a call are not overwritten by later reads', () => {
  const items = Array.from({ length: 200 }, (_, i) => {
    const to = `0x${i.toString(16).padStart(40, '0')}`;
    return readFastPathCalls(
      Buffer.from(call(`[{"to":"${to}","data":"0x${'ab'.repeat(i)}"},"latest"]`)),
      1,
    ) as Call;
  });
  for (const item of items) assert.deepEqual(describePlain(item), describeParams(item));
});
