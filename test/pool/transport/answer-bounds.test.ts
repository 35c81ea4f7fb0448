/** The request determines the bounds of an answer, which are enforced while it arrives. */
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { isComplete } from '../../../packages/ethereum/primitives/json-result.ts';
import { UpstreamFault } from '../../../src/pool/fault.ts';
import type { NodeCall } from '../../../src/pool/node-call.ts';
import { findBounds } from '../../../src/pool/transport/answer-bounds.ts';
import { type ShapeBounds, UNPARSED_SHAPE } from '../../../src/pool/transport/answer-shape.ts';
import { createHttpTransport } from '../../../src/pool/transport/http-transport.ts';
import { ReplyScanner } from '../../../src/pool/transport/reply-scanner.ts';
import { faultOf, inTime, LIMITS, serveRaw } from './servers.ts';

const open: { close(): Promise<void> }[] = [];
after(async () => {
  for (const one of open.reverse()) await one.close();
});

type Counts = { values: number; text: number; digits: number };

/** Reference count of a JSON value's parts. */
function count(value: unknown, counts: Counts): void {
  counts.values++;
  const noteText = (text: string): void => {
    counts.text = Math.max(counts.text, Buffer.byteLength(JSON.stringify(text)) - 2);
  };
  if (typeof value === 'string') noteText(value);
  else if (typeof value === 'number') counts.digits = Math.max(counts.digits, JSON.stringify(value).length);
  else if (Array.isArray(value)) for (const item of value) count(item, counts);
  else if (typeof value === 'object' && value !== null)
    for (const member of Object.values(value)) {
      counts.values++;
      count(member, counts);
    }
}

function isWithin(bytes: Buffer, size: number, bounds: Partial<ShapeBounds>): boolean {
  const scanner = new ReplyScanner({
    ...UNPARSED_SHAPE,
    bytesPerValue: Number.POSITIVE_INFINITY,
    ...bounds,
  });
  try {
    for (let at = 0; at < bytes.length; at += size) scanner.push(bytes.subarray(at, at + size));
    assert.ok(scanner.isDone);
    return true;
  } catch (error) {
    assert.ok(error instanceof UpstreamFault && error.kind === 'excessive', String(error));
    return false;
  }
}

test('values, strings and numbers of an answer are counted exactly, at any chunk boundary', () => {
  const result = fc.oneof(
    fc.jsonValue({ maxDepth: 6 }),
    fc.array(fc.jsonValue(), { minLength: 60, maxLength: 80 }),
  );
  const size = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constantFrom(255, 256, 300, 1_000_000));
  fc.assert(
    fc.property(result, size, (value, pieceSize) => {
      const answer = JSON.parse(JSON.stringify({ id: 1, result: value })) as unknown;
      const bytes = Buffer.from(JSON.stringify(answer));
      const counts: Counts = { values: 0, text: 0, digits: 0 };
      count(answer, counts);
      const { values, text: textBytes, digits } = counts;
      assert.ok(isWithin(bytes, pieceSize, { values, textBytes, digits }));
      assert.ok(!isWithin(bytes, pieceSize, { values: values - 1 }));
      assert.ok(textBytes === 0 || !isWithin(bytes, pieceSize, { textBytes: textBytes - 1 }));
      assert.ok(!isWithin(bytes, pieceSize, { digits: digits - 1 }));
    }),
  );
});

test('an endless string or number is detected before its end', () => {
  for (const [bytes, bound] of [
    [Buffer.alloc(100_000, 'a'), { textBytes: 50_000 }],
    [Buffer.alloc(100_000, '1'), { digits: 256 }],
  ] as const) {
    const scanner = new ReplyScanner({ ...UNPARSED_SHAPE, ...bound });
    scanner.push(Buffer.from(`{"result":[${'textBytes' in bound ? '"' : ''}`));
    assert.throws(() => {
      for (let at = 0; at < bytes.length; at += 1_000) scanner.push(bytes.subarray(at, at + 1_000));
    }, /bound: /);
  }
});

/** Sends the beginning of a response, then the same bytes repeatedly until the connection is closed. */
function flood(begin: (id: number) => string, again: string): (socket: Socket, id: number) => void {
  return (socket, id) => {
    const block = Buffer.from(again.repeat(Math.ceil(65_536 / again.length)));
    socket.write(`HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n${begin(id)}`);
    const write = (): void => {
      while (!socket.destroyed && socket.write(block));
    };
    socket.on('drain', write);
    write();
  };
}

const CONTENTS: Readonly<Record<string, readonly [begin: string, again: string]>> = {
  'many lists': ['[', '[],'],
  'many objects': ['[', '{},'],
  'many numbers': ['[', '0,'],
  'many members': ['{', '"a":0,'],
  'many blanks': ['', ' '],
  'deep lists': ['', '['],
  'deep objects': ['', '{"a":'],
  'a long string': ['"0x', '0'],
  'a long number': ['', '1'],
  'a long name': ['{"', 'a'],
};

/** Requests whose answers have a fixed size, and those whose size the chain or the caller determines. */
const FIXED: readonly NodeCall[] = [
  { method: 'eth_chainId', params: '[]' },
  { method: 'eth_getBlockByNumber', params: '["latest",false]' },
  { method: 'eth_getProof', params: '["0x00",["0x1"],"latest"]' },
  { method: 'eth_getCode', params: '["0x00","latest"]' },
  { method: 'eth_getUncleByBlockNumberAndIndex', params: '["0x1","0x0"]' },
  { method: 'eth_sendRawTransaction', params: '["0x00"]' },
  { method: 'web3_clientVersion', params: '[]' },
  { method: 'eth_feeHistory', params: '["0x400","latest",[]]' },
];
const OPEN: readonly NodeCall[] = [
  { method: 'eth_getBlockReceipts', params: '["0x1"]' },
  { method: 'eth_getBlockByNumber', params: '["0x1",true]' },
  { method: 'eth_getLogs', params: '[{}]' },
  { method: 'eth_call', params: '[{},"latest"]' },
];

describe('an answer that never ends', () => {
  /** Returns the outcome of a call and the faults counted against the node. */
  async function ask(
    call: NodeCall,
    [begin, again]: readonly [string, string],
    isError = false,
  ): Promise<readonly [fault: string, blames: number]> {
    const member = isError ? 'error' : 'result';
    const node = await serveRaw(flood((id) => `{"jsonrpc":"2.0","id":${id},"${member}":${begin}`, again));
    let blames = 0;
    const limits = { ...LIMITS, answerBytes: 12 * 1024 * 1024, onExcessive: () => blames++ };
    const transport = createHttpTransport(node.endpoint, limits);
    open.push(node, transport);
    try {
      const reply = await transport.send(call, inTime());
      assert.ok(reply.kind === 'result' && !isComplete(reply.result));
      for await (const _ of reply.result.pieces);
      return ['none', blames];
    } catch (error) {
      assert.ok(error instanceof UpstreamFault, String(error));
      return [error.kind, blames];
    }
  }

  for (const call of FIXED)
    test(`to ${call.method} ${call.params} is a fault of the node, whatever its content`, async () => {
      for (const [name, content] of Object.entries(CONTENTS)) {
        assert.deepEqual(await ask(call, content), ['excessive', 1], name);
        assert.deepEqual(await ask(call, content, true), ['excessive', 1], `an error with ${name}`);
      }
    });

  for (const call of OPEN)
    test(`to ${call.method} ${call.params} is a fault of the node for impossible content, but not for length`, async () => {
      for (const [name, content] of Object.entries(CONTENTS)) {
        // The result of a call may have any length, data of a log or a transaction may not.
        const isLength = /blanks/.test(name) || (/string/.test(name) && call.method === 'eth_call');
        const expected = isLength ? ['tooLarge', 0] : ['excessive', 1];
        assert.deepEqual(await ask(call, content), expected, name);
      }
    });

  test('to a passed-on method is bounded only in bytes and depth', async () => {
    const call = { method: 'debug_anything', params: '[]' };
    assert.deepEqual(await ask(call, CONTENTS['many lists'] as [string, string]), ['tooLarge', 0]);
    assert.deepEqual(await ask(call, CONTENTS['deep lists'] as [string, string]), ['excessive', 1]);
  });
});

test('an answer whose declared length exceeds the bound is rejected at once', async () => {
  const node = await serveRaw((socket) =>
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 90000000\r\n\r\n{"jsonrpc":"2.0","id":1,'),
  );
  const transport = createHttpTransport(node.endpoint, LIMITS);
  open.push(node, transport);
  await faultOf(transport.send({ method: 'eth_chainId', params: '[]' }, inTime()), 'excessive');
});

test('buffered answers count against the memory of all nodes, and are released', async () => {
  const bodyOf = (id: number): string => `{"id":${id},"result":"0x${'00'.repeat(60_000)}"}`;
  const node = await serveRaw((socket, id) => {
    const body = bodyOf(id);
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
  });
  const reserved: number[] = [];
  let released = 0;
  const memory = {
    hold: (bytes: number) => reserved.push(bytes) > 0,
    release: () => released++,
  } as unknown as ReturnType<(typeof LIMITS)['memory']>;
  const transport = createHttpTransport(node.endpoint, { ...LIMITS, memory: () => memory });
  open.push(node, transport);
  await transport.send({ method: 'eth_call', params: '[{}]' }, inTime());
  assert.equal(
    reserved.reduce((sum, bytes) => sum + bytes, 0),
    bodyOf(1).length,
  );
  assert.equal(released, 1);
  const full = { hold: () => false, release() {} } as unknown as typeof memory;
  const refusing = createHttpTransport(node.endpoint, { ...LIMITS, memory: () => full });
  open.push(refusing);
  const fault = await faultOf(refusing.send({ method: 'eth_call', params: '[{}]' }, inTime()), 'rateLimited');
  assert.equal(fault.bound, 'nodes.bytes');
});

test('the longest honest answers are within their bounds', () => {
  const within = (method: string, params: string, result: unknown): void => {
    const bounds = findBounds(method, params);
    const bytes = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, result }));
    assert.ok(bytes.length <= bounds.bytes, `${method}: ${bytes.length}`);
    new ReplyScanner(bounds).push(bytes);
  };
  const hash = `0x${'ab'.repeat(32)}`;
  within('eth_getBlockByNumber', '["0x1",false]', { hash, transactions: new Array(100_000).fill(hash) });
  // Some chains put validators and transaction dependencies into their headers.
  const header = (bytes: number) => ({ hash, extraData: `0x${'00'.repeat(bytes)}`, transactions: [] });
  within('eth_getBlockByNumber', '["0x1",false]', header(128 * 1024));
  assert.throws(() => within('eth_getBlockByNumber', '["0x1",false]', header(128 * 1024 + 1)), {
    kind: 'excessive',
  });
  const nodes = new Array(64).fill(`0x${'00'.repeat(532)}`);
  within('eth_getProof', '["0x00",["0x1","0x2"],"latest"]', {
    accountProof: nodes,
    storageProof: [1, 2].map(() => ({ key: hash, value: '0x1', proof: nodes })),
  });
  const code = `0x${'00'.repeat(1024 * 1024)}`;
  within('eth_getCode', '["0x00","latest"]', code);
  assert.throws(() => within('eth_getCode', '["0x00","latest"]', `${code}00`), { kind: 'excessive' });
  const uncle = ['eth_getUncleByBlockHashAndIndex', '["0x00","0x0"]'] as const;
  within(...uncle, { hash, extraData: `0x${'00'.repeat(1_024)}`, uncles: [] });
  assert.equal(findBounds(...uncle).bytes, 65_536);
  within('eth_getTransactionByHash', '["0x00"]', { hash, input: `0x${'00'.repeat(4_000_000)}` });
  within('eth_estimateGas', '[{}]', '0x5208');
  assert.throws(() => within('eth_estimateGas', '[{}]', code.repeat(3)), /4261412|eth_estimateGas/);
  within('eth_feeHistory', '["0x400","latest",[]]', {
    oldestBlock: '0x1',
    reward: new Array(1_024).fill(new Array(100).fill('0x0')),
    gasUsedRatio: new Array(1_024).fill(0),
    baseFeePerGas: new Array(1_025).fill('0x0'),
  });
  within('eth_createAccessList', '[{}]', {
    accessList: new Array(5_000).fill({ address: `0x${'11'.repeat(20)}`, storageKeys: [] }),
    gasUsed: '0x1',
  });
  within(
    'eth_simulateV1',
    '[{}]',
    new Array(256).fill({
      number: '0x1',
      calls: new Array(50).fill({ status: '0x1', logs: [], gasUsed: '0x0', returnData: '0x' }),
    }),
  );
});

describe('an answer with many short values', () => {
  const SHORTEST_LOG = {
    address: `0x${'11'.repeat(20)}`,
    topics: [],
    data: '0x',
    blockNumber: '0x1',
    transactionHash: `0x${'22'.repeat(32)}`,
    transactionIndex: '0x0',
    blockHash: `0x${'33'.repeat(32)}`,
    logIndex: '0x0',
    removed: false,
  };
  const logs = new Array(100_000).fill(SHORTEST_LOG);
  /** Answers of honest nodes with the most values per byte, and the size of a value and its white space in an answer that is refused. */
  const CASES: readonly (readonly [
    method: string,
    params: string,
    honest: unknown,
    bytesPerValue: number,
  ])[] = [
    ['eth_getLogs', '[{}]', logs, 11],
    ['eth_getBlockReceipts', '["0x1"]', [{ logs }], 11],
    ['eth_getTransactionReceipt', '["0x1"]', { logs }, 11],
    [
      'eth_getTransactionByHash',
      '["0x1"]',
      { accessList: new Array(100_000).fill({ address: SHORTEST_LOG.address, storageKeys: [] }) },
      7,
    ],
    [
      'eth_createAccessList',
      '[{}]',
      { accessList: new Array(100_000).fill({ address: SHORTEST_LOG.address, storageKeys: [] }) },
      7,
    ],
    [
      'eth_simulateV1',
      '[{}]',
      [{ calls: new Array(100_000).fill({ status: '0x1', logs: [], gasUsed: '0x0', returnData: '0x' }) }],
      5,
    ],
  ];
  for (const [method, params, honest, bytesPerValue] of CASES)
    test(`to ${method} is refused below ${bytesPerValue + 1} bytes per value`, () => {
      const bounds = findBounds(method, params);
      new ReplyScanner(bounds).push(Buffer.from(JSON.stringify({ id: 1, result: honest })));
      const item = `[0]${' '.repeat(2 * bytesPerValue - 4)},`;
      const hostile = Buffer.from(`{"id":1,"result":[${item.repeat(100_000)}0]}`);
      assert.throws(() => new ReplyScanner(bounds).push(hostile), { kind: 'excessive' });
    });
});

describe('bytes around the body of an answer', () => {
  const HEAD = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
  for (const [name, begin, again] of [
    ['interim answers without end', '', 'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n'],
    ['an extension of a chunk without end', `${HEAD}1;a=b`, ';a=b'],
    ['chunks of a byte', `${HEAD}`, '1\r\n \r\n'],
    ['chunks of a byte with extensions', `${HEAD}`, '1;aaaaaaaaaaaaaaaa\r\n \r\n'],
    ['a head without end', 'HTTP/1.1 200 OK\r\n', 'a:\r\n'],
    ['a trailer without end', `${HEAD}0\r\n`, 'a: b\r\n'],
    ['a trailer without end behind a body', `${HEAD}fff0\r\n${' '.repeat(0xfff0)}\r\n000;x\r\n`, 'a: b\r\n'],
  ] as const)
    test(`${name}: the connection ends, and the node is blamed`, async () => {
      const node = await serveRaw((socket) => {
        const block = Buffer.from(again.repeat(Math.ceil(65_536 / again.length)));
        socket.write(begin);
        const write = (): void => {
          while (!socket.destroyed && socket.write(block));
        };
        socket.on('drain', write);
        write();
      });
      let blames = 0;
      const transport = createHttpTransport(node.endpoint, { ...LIMITS, onExcessive: () => blames++ });
      open.push(node, transport);
      await faultOf(transport.send({ method: 'eth_getLogs', params: '[{}]' }, inTime()), 'excessive');
      assert.equal(blames, 1);
    });

  test('thousands of short answers on one connection are accepted', async () => {
    const node = await serveRaw((socket, id) => {
      const text = `{"jsonrpc":"2.0","id":${id},"result":"0x1"}`;
      socket.write(
        `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(1_000)}\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
      );
    });
    const transport = createHttpTransport(node.endpoint, { ...LIMITS, connections: 1 });
    open.push(node, transport);
    for (let i = 0; i < 1_000; i++)
      assert.equal((await transport.send({ method: 'eth_chainId', params: '[]' }, inTime())).kind, 'result');
  });
});
