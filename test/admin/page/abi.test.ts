/** Interfaces of contracts as the console reads them, compared with viem. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  encodeAbiParameters,
  encodeErrorResult,
  encodeEventTopics,
  encodeFunctionData,
  parseAbi,
} from 'viem';
import { createAbiKind } from '../../../src/admin/page/console/abi/abi-kind.ts';
import { type AbiValue, decodeValues, encodeValues } from '../../../src/admin/page/console/abi/abi-values.ts';
import { encodeFunctionCall, KnownInterfaces } from '../../../src/admin/page/console/abi/known-interfaces.ts';
import { parseInterface } from '../../../src/admin/page/console/abi/parse-interface.ts';
import {
  readStandardInterface,
  STANDARD_NAMES,
} from '../../../src/admin/page/console/abi/standard-interfaces.ts';
import { ValueProblem } from '../../../src/admin/page/console/values.ts';
import { chooseKind } from '../../../src/admin/page/console/views/result-kind.ts';

const OWNER = `0x${'ab'.repeat(20)}`;
const BALANCE_OF = {
  type: 'function',
  name: 'balanceOf',
  inputs: [{ type: 'address' }],
  outputs: [{ type: 'uint256' }],
};

describe('interfaces of contracts', () => {
  const texts: readonly (readonly [text: string, signatures: readonly string[]])[] = [
    ['balanceOf(address)(uint256)', ['balanceOf(address)']],
    ['balanceOf(address owner) view returns (uint256)', ['balanceOf(address)']],
    ['function balanceOf(address) view returns (uint256)', ['balanceOf(address)']],
    ['f((uint a, bool[2])[] list)((bool, bytes)[])\ng()', ['f((uint256,bool[2])[])', 'g()']],
    ['struct S { uint8 a; }\nfunction h(S s);', ['h((uint8))']],
    [JSON.stringify([BALANCE_OF, { type: 'constructor', inputs: [] }]), ['balanceOf(address)']],
    [JSON.stringify({ contractName: 'T', abi: [BALANCE_OF] }), ['balanceOf(address)']],
    [JSON.stringify(BALANCE_OF), ['balanceOf(address)']],
    ['["function a(int8)", "event E(uint256 indexed x)"]', ['a(int8)']],
  ];
  for (const [text, signatures] of texts) {
    test(`reads ${text.slice(0, 60)}`, () => {
      const { functions } = parseInterface(text);
      assert.deepEqual(
        functions.map(({ signature }) => signature),
        signatures,
      );
    });
  }

  for (const [text, message] of [
    ['', /expected a signature/],
    ['balanceOf', /expected a signature/],
    ['f(foo)', /"foo" is not a valid ABI type/],
    ['f(address', /expected a signature/],
    ['{', /expected JSON/],
    ['[]', /no functions, events or errors/],
    [
      '[{"type":"function","name":"f","inputs":[{"type":"uint512x"}]}]',
      /f has a parameter of the unknown type/,
    ],
    ['[{"type":"function"}]', /no name/],
    ['[1]', /expected a signature/],
  ] as const) {
    test(`rejects ${text || 'no text'}`, () => {
      assert.throws(
        () => parseInterface(text),
        (error) => error instanceof ValueProblem && message.test(error.message),
      );
    });
  }

  test('arbitrary text is an interface or a ValueProblem', () => {
    const json = fc.json().map((text) => text);
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), json, fc.constantFrom('f(', 'event E', '[{}]', '{"abi":{}}')),
        (text) => {
          try {
            parseInterface(text);
          } catch (error) {
            assert.ok(error instanceof ValueProblem, String(error));
          }
        },
      ),
    );
  });

  test('the built-in interfaces have the selectors of their EIPs', () => {
    const selectors = STANDARD_NAMES.flatMap((name) => {
      const { functions, events, errors } = readStandardInterface(name);
      assert.ok(functions.length > 5, name);
      return [...functions, ...events, ...errors].map(
        ({ signature, selector }) => [signature, selector] as const,
      );
    });
    const found = new Map(selectors);
    for (const [signature, selector] of [
      ['transfer(address,uint256)', '0xa9059cbb'],
      ['ownerOf(uint256)', '0x6352211e'],
      ['safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)', '0x2eb2c2d6'],
      ['aggregate3((address,bool,bytes)[])', '0x82ad56cb'],
      [
        'Transfer(address,address,uint256)',
        '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
      ],
      ['ERC20InsufficientBalance(address,uint256,uint256)', '0xe450d38c'],
    ]) {
      assert.equal(found.get(signature ?? ''), selector);
    }
  });
});

describe('values of ABI types', () => {
  test('calldata equals that of viem, and decodes to the same values', () => {
    const text = 'function f(uint8 a, (int256 x, string y)[] list, bytes4 z, bool[2] flags, bytes rest)';
    const item = parseInterface(text).functions[0];
    assert.ok(item);
    const hex = (size: number): fc.Arbitrary<string> =>
      fc
        .uint8Array({ minLength: size, maxLength: size })
        .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);
    const values = fc.tuple(
      fc.integer({ min: 0, max: 255 }),
      fc.array(fc.tuple(fc.bigInt(-(2n ** 255n), 2n ** 255n - 1n), fc.string({ unit: 'grapheme' })), {
        maxLength: 3,
      }),
      hex(4),
      fc.tuple(fc.boolean(), fc.boolean()),
      fc.nat({ max: 70 }).chain(hex),
    );
    fc.assert(
      fc.property(values, (sample) => {
        const [a, list, z, flags, rest] = sample;
        const objects = list.map(([x, y]) => ({ x, y }));
        const args = [a, objects, z, flags, rest] as never;
        const encoded = encodeFunctionCall(item, sample);
        assert.equal(encoded, encodeFunctionData({ abi: parseAbi([text]), args }));
        assert.deepEqual(decodeValues(item.inputs, encoded.slice(10)), sample);
      }),
    );
  });

  test('members of a tuple with equal names are separate values', () => {
    const parameters = [
      {
        type: 'tuple',
        components: [
          { name: 'a', type: 'uint256' },
          { name: 'a', type: 'uint256' },
        ],
      },
    ];
    const values: readonly AbiValue[] = [[1n, 2n]];
    assert.deepEqual(decodeValues(parameters, encodeValues(parameters, values)), values);
  });

  for (const [type, text, value] of [
    ['uint256', '1_000,000', 1_000_000n],
    ['uint256', '5e18', 5n * 10n ** 18n],
    ['uint8', '0xff', 255n],
    ['int8', '-128', -128n],
    ['address', OWNER.toUpperCase().replace('0X', '0x'), OWNER],
    ['bytes', '0x', '0x'],
    ['string', ' two  spaces ', ' two  spaces '],
  ] as const) {
    test(`parses ${text} as ${type}`, () => assert.equal(createAbiKind(type).parse(text), value));
  }
  for (const [type, text] of [
    ['uint8', '256'],
    ['uint8', '-1'],
    ['int8', '128'],
    ['uint256', '1.5'],
    ['address', '0x12'],
    ['bytes4', '0x123456'],
    ['bytes', '0x123'],
    ['bytes', 'text'],
  ] as const) {
    test(`rejects ${text} as ${type}`, () =>
      assert.throws(() => createAbiKind(type).parse(text), ValueProblem));
  }
});

describe('decoded data', () => {
  const abi = parseAbi([
    'event Sent(address indexed from, string indexed tag, uint256 amount)',
    'error Refused(address caller, uint256 code)',
    'function pair() view returns (uint256 low, uint256 high)',
  ]);
  const known = new KnownInterfaces(parseInterface(JSON.stringify(abi)));

  test('a log, with the hash of an indexed text', () => {
    const topics = encodeEventTopics({
      abi,
      eventName: 'Sent',
      args: { from: OWNER as `0x${string}`, tag: 'x' },
    });
    const data = encodeAbiParameters([{ type: 'uint256' }], [7n]);
    const decoded = known.decodeLog({ topics: topics as string[], data });
    assert.equal(decoded?.summary, `from ${OWNER}, tag ${String(topics[2])}, amount 7`);
    assert.equal(known.decodeLog({ topics: topics.slice(0, 2) as string[], data }), undefined);
    assert.equal(known.decodeLog({ topics: topics as string[], data: '0x12' }), undefined);
    assert.equal(known.decodeLog({ topics: [] }), undefined);
  });

  test('a transfer of ERC-20 and one of ERC-721, which have the same topic', () => {
    const [topic = ''] = encodeEventTopics({ abi: parseAbi(['event Transfer(address,address,uint256)']) });
    const account = `0x${'0'.repeat(24)}${OWNER.slice(2)}`;
    const id = `0x${'5'.padStart(64, '0')}`;
    assert.match(
      known.decodeLog({ topics: [topic as string, account, account], data: id })?.summary ?? '',
      /value 5$/,
    );
    assert.match(
      known.decodeLog({ topics: [topic as string, account, account, id], data: '0x' })?.summary ?? '',
      /tokenId 5$/,
    );
  });

  test('an error of the interface, and errors that no interface has', () => {
    const data = encodeErrorResult({ abi, errorName: 'Refused', args: [OWNER as `0x${string}`, 42n] });
    const { kind, text, rows } = known.decodeRevert(data);
    assert.equal(kind, 'Refused(address,uint256)');
    assert.equal(text, `Refused(caller ${OWNER}, code 42)`);
    assert.equal(rows?.length, 2);
    assert.equal(new KnownInterfaces(undefined).decodeRevert(data).kind, 'custom error');
    assert.equal(known.decodeRevert(data.slice(0, 20)).kind, 'custom error');
    assert.equal(known.decodeRevert('0x').kind, 'no data');
  });

  test('returned values by the function that was called', () => {
    const returned = encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }], [1n, 2n ** 256n - 1n]);
    const calldata = encodeFunctionData({ abi, functionName: 'pair' });
    const decoded = known.decodeReturn(calldata, returned);
    assert.deepEqual(
      decoded?.rows.map(({ name, note }) => [name, note]),
      [
        ['low', undefined],
        ['high', 'the maximum of uint256'],
      ],
    );
    assert.equal(known.decodeReturn(calldata, '0x'), undefined);
    assert.equal(known.decodeReturn('0x12345678', returned), undefined);
  });
});

describe('kinds of results', () => {
  const log = { address: OWNER, topics: [], data: '0x' };
  for (const [method, result, kind] of [
    ['eth_getLogs', [], 'logs'],
    ['eth_getFilterChanges', [log], 'logs'],
    ['eth_getFilterChanges', ['0x12'], 'plain'],
    ['eth_getFilterChanges', [], 'plain'],
    ['eth_getLogs', [log, 1], 'plain'],
    ['eth_simulateV1', [{ number: '0x1', calls: [], parentHash: '0x', stateRoot: '0x' }], 'simulation'],
    ['eth_getBlockReceipts', [], 'receipts'],
    ['eth_accounts', [OWNER], 'plain'],
    ['eth_getUncleByBlockHashAndIndex', { parentHash: '0x', stateRoot: '0x' }, 'block'],
    ['anything', { transactionHash: '0x', cumulativeGasUsed: '0x1' }, 'receipts'],
    ['eth_call', '0x', 'plain'],
    ['eth_syncing', false, 'plain'],
    ['eth_getBlockByNumber', null, 'plain'],
  ] as const) {
    test(`${method} with ${JSON.stringify(result).slice(0, 40)} is displayed as ${kind}`, () => {
      assert.equal(chooseKind(method, result), kind);
    });
  }
});
