/** Encoding and decoding by signatures, against viem. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type AbiFunction,
  encodeAbiParameters,
  encodeErrorResult,
  encodeEventTopics,
  encodeFunctionData,
  getAddress,
  type Hex,
  parseAbi,
  parseAbiParameters,
  toFunctionSelector,
} from 'viem';
import { decodeLog } from '../../src/mcp/abi/decode-log.ts';
import { decodeRevertData } from '../../src/mcp/abi/decode-revert.ts';
import { MAX_DATA_BYTES } from '../../src/mcp/abi/decoded-size.ts';
import { encodeTopics } from '../../src/mcp/abi/encode-topics.ts';
import { parseErrorSignature, parseEvent, parseFunction } from '../../src/mcp/abi/signatures.ts';
import { decodeResult, encodeArguments } from '../../src/mcp/abi/values.ts';
import { signatures } from '../../src/mcp/arguments.ts';
import { ToolError } from '../../src/mcp/tool-error.ts';

const [ALICE, BOB] = [getAddress(`0x${'a1'.repeat(20)}`), getAddress(`0x${'b0'.repeat(20)}`)];
const HUGE = 2n ** 255n;

describe('functions', () => {
  const text = 'set((address owner, uint256[2] amounts)[] rows, int8 step, bytes data, bool on, string name)';

  test('nested tuples and lists are encoded from objects, lists and decimal texts', () => {
    const parsed = parseFunction(text);
    const rows = [{ owner: ALICE, amounts: [1n, HUGE] }] as const;
    const known = encodeFunctionData({
      abi: parseAbi([`function ${text}`] as unknown as readonly string[]),
      args: [rows, -5, '0x1234', true, 'é'],
    } as never);
    assert.equal(parsed.signature, 'set((address,uint256[2])[],int8,bytes,bool,string)');
    for (const row of [
      { owner: ALICE, amounts: ['1', HUGE.toString()] },
      [ALICE, [1, `0x${HUGE.toString(16)}`]],
    ])
      assert.equal(
        parsed.selector + encodeArguments(parsed.inputs, [[row], -5, '0x1234', true, 'é']).slice(2),
        known,
      );
  });

  test('results are decoded by name where all have names', () => {
    const data = encodeAbiParameters(parseAbiParameters('uint256 a, (address who, int256 n)[] b'), [
      HUGE,
      [{ who: BOB, n: -1n }],
    ]);
    const wanted = [HUGE.toString(), [{ who: BOB, n: '-1' }]];
    for (const [signature, result] of [
      ['f()(uint256 a, (address who, int256 n)[] b)', { a: wanted[0], b: wanted[1] }],
      ['function f() external view returns (uint256, (address who, int256 n)[] b)', wanted],
    ] as const)
      assert.deepEqual(decodeResult(parseFunction(signature).outputs, data), result);
    assert.equal(decodeResult(parseFunction('f()(string)').outputs, '0x1234'), undefined);
  });

  test('data whose values share bytes, and large data, are not decoded', () => {
    const word = (value: number): string => value.toString(16).padStart(64, '0');
    const text = word(64) + '61'.repeat(64);
    const count = 100;
    const { outputs } = parseFunction('f()(string[])');
    const aliased = `0x${word(32)}${word(count)}${word(count * 32).repeat(count)}${text}`;
    assert.equal(decodeResult(outputs, aliased), undefined);
    const { outputs: deep } = parseFunction('f()(uint256[][][][])');
    // Each of 100 offsets points to the same list, at each of three levels.
    const level = word(count) + word(count * 32).repeat(count);
    assert.equal(decodeResult(deep, `0x${word(32)}${level.repeat(3)}${word(0)}`), undefined);
    const { outputs: many } = parseFunction('f()(uint256[999999][999999][999999])');
    assert.equal(decodeResult(many, `0x${word(1)}`), undefined);

    const { outputs: fixed } = parseFunction('f()((bytes[2],(bool,string[1])[])[1],uint256[2][])');
    const values = [[[['0x', '0x12'], [[true, ['é']]]]], [['1', '2']]];
    const encoded = encodeArguments(fixed, values);
    assert.deepEqual(decodeResult(fixed, encoded), values);

    const strings = parseAbiParameters('string[]');
    const honest = Array(count).fill('a'.repeat(64));
    assert.deepEqual(decodeResult(outputs, encodeAbiParameters(strings, [honest])), honest);
    const most = 'a'.repeat(MAX_DATA_BYTES - 64);
    const { outputs: one } = parseFunction('f()(string)');
    const data = encodeAbiParameters([{ type: 'string' }], [most]);
    assert.equal(decodeResult(one, data), most);
    assert.equal(decodeResult(one, `${data}00`), undefined);
    assert.match(
      (decodeRevertData(`0x08c379a0${data.slice(2)}00`) as { reason: string }).reason,
      /more than 20000 bytes are not decoded/,
    );
  });

  test('values that do not fit are named', () => {
    const { inputs } = parseFunction(text);
    const cases: readonly (readonly [unknown[], RegExp])[] = [
      [[[{ owner: ALICE, amounts: [1] }], 1, '0x', true, ''], /args\[0\]\[0\]\.amounts: expected an array/],
      [[[{ owner: ALICE, amounts: [1, 1.5] }], 1, '0x', true, ''], /amounts\[1\]: expected an integer/],
      [[[], 2 ** 60, '0x', true, ''], /args\[1\]: expected an integer; above 2\^53 as text/],
      [[[], 128, '0x', true, ''], /do not fit the signature/],
      [[[], 1, '0x', 'true', ''], /args\[3\]: expected true or false/],
      [[['0x'], 1, '0x', true, ''], /args\[0\]\[0\]: expected an object or an array/],
    ];
    for (const [values, message] of cases)
      assert.throws(
        () => encodeArguments(inputs, values),
        (error) => error instanceof ToolError && message.test(error.message),
        String(message),
      );
  });

  test('texts that are no signatures are refused', () => {
    for (const wrong of [
      '',
      'f',
      'f(',
      ')(',
      'f(uint256',
      'f(foo)',
      '(',
      'event E(uint256)',
      'f(uint256))',
      '{}',
      'f(uint256 indexed a)',
      'f(uint256,)',
      'f(uint256[0])',
      'f(uint7)',
      'f(())',
      'f() sometimes',
      'f()()()',
    ])
      assert.throws(() => parseFunction(wrong), ToolError, wrong);
  });

  test('a signature is parsed as viem parses it', () => {
    for (const signature of [
      'function f()',
      'function f(uint a, int[2][] b) external view returns (bool)',
      'function f((uint8 a, (bytes32, string)[3] b)[] c, address payable to, bytes memory data) payable',
      'function f(function callback, bytes) returns (uint, (address who, bytes1[] flags) found)',
    ]) {
      const [item] = parseAbi([signature] as unknown as readonly string[]) as readonly AbiFunction[];
      const { inputs, outputs, selector, name } = parseFunction(signature);
      assert.ok(item !== undefined);
      assert.deepEqual(
        { inputs, outputs, selector, name },
        {
          inputs: item.inputs,
          outputs: item.outputs,
          selector: toFunctionSelector(item),
          name: item.name,
        },
      );
    }
  });

  test('long and deeply nested signatures are refused', () => {
    const nest = (depth: number): string => `f${'('.repeat(depth)}uint256${')'.repeat(depth)}`;
    assert.equal(parseFunction(nest(8)).signature, nest(8));
    assert.throws(() => parseFunction(nest(9)), /more than 8 nested parentheses/);
    assert.throws(() => parseFunction(nest(300)), /more than 512 characters/);
    assert.throws(() => parseFunction(`f(bool${'[]'.repeat(9)})`), /more than 8 dimensions/);
    assert.throws(() => parseEvent(`E(${'bool,'.repeat(110)}bool)`), /more than 512 characters/);
    assert.throws(() => parseErrorSignature(`E(${' '.repeat(512)})`), /more than 512 characters/);
    assert.throws(() => signatures.parse(Array(21).fill('E()')), /more than 20 signatures/);
    assert.throws(() => signatures.parse(['E'.repeat(513)]), /more than 512 characters/);
    assert.deepEqual(signatures.parse(['E()']), ['E()']);
  });
});

describe('events', () => {
  const TRANSFER = 'event Transfer(address indexed from, address indexed to, uint256 value)';
  const log = {
    address: ALICE,
    topics: encodeEventTopics({ abi: parseAbi([TRANSFER]), args: { from: ALICE, to: BOB } }) as Hex[],
    data: encodeAbiParameters([{ type: 'uint256' }], [7n]),
  };

  test('a filter has the topics of viem', () => {
    assert.deepEqual(encodeTopics(parseEvent(TRANSFER), { from: ALICE, to: BOB }), log.topics);
    assert.deepEqual(encodeTopics(parseEvent(TRANSFER), { to: [ALICE, BOB] }), [
      log.topics[0],
      null,
      [log.topics[1], log.topics[2]],
    ]);
    assert.deepEqual(encodeTopics(parseEvent(TRANSFER), { from: ALICE }), log.topics.slice(0, 2));
    assert.throws(
      () => encodeTopics(parseEvent('E(string indexed name)'), { name: 'x' }),
      /has the type string, of which a log contains only the hash/,
    );
  });

  test('a log is decoded by known events, and by signatures with and without the word indexed', () => {
    const event = 'Transfer(address,address,uint256)';
    assert.deepEqual(decodeLog(log), { event, args: { from: ALICE, to: BOB, value: '7' } });
    assert.deepEqual(decodeLog(log, [parseEvent('Transfer(address,address,uint256)')]), {
      event,
      args: [ALICE, BOB, '7'],
    });
    // The event of ERC-721 has the same signature and one topic more.
    const token = { ...log, topics: [...log.topics, `0x${'9'.padStart(64, '0')}`], data: '0x' };
    assert.deepEqual(decodeLog(token), { event, args: { from: ALICE, to: BOB, tokenId: '9' } });
    assert.equal(decodeLog({ ...log, data: '0x12' }), undefined);
    assert.equal(decodeLog({ ...log, topics: [] }), undefined);
  });
});

test('revert data are decoded by kind', () => {
  const abi = parseAbi(['error Error(string)', 'error Panic(uint256)', 'error Own(address who, uint256 n)']);
  const errorOf = (errorName: 'Error' | 'Panic' | 'Own', args: unknown[]): Hex =>
    encodeErrorResult({ abi, errorName, args } as never);
  assert.deepEqual(decodeRevertData(errorOf('Error', ['no'])), { kind: 'error', reason: 'no' });
  assert.deepEqual(decodeRevertData(errorOf('Panic', [18n])), {
    kind: 'panic',
    code: '0x12',
    reason: 'division or modulo by zero',
  });
  const own = errorOf('Own', [BOB, HUGE]);
  assert.deepEqual(decodeRevertData(own, [parseErrorSignature('Own(address who, uint256 n)')]), {
    kind: 'custom',
    error: 'Own(address,uint256)',
    args: { who: BOB, n: HUGE.toString() },
  });
  assert.equal(decodeRevertData(own).kind, 'unknown');
  const standard = encodeErrorResult({
    abi: parseAbi(['error ERC20InsufficientBalance(address, uint256, uint256)']),
    args: [BOB, 1n, 2n],
  });
  assert.deepEqual(decodeRevertData(standard), {
    kind: 'custom',
    error: 'ERC20InsufficientBalance(address,uint256,uint256)',
    args: { sender: BOB, balance: '1', needed: '2' },
  });
  assert.equal(decodeRevertData('0x').kind, 'empty');
  for (const data of ['0x08c379a0', '0x08', '0x4e487b71ff', '0xc0ffee'])
    assert.equal(decodeRevertData(data).kind, 'unknown', data);
});
