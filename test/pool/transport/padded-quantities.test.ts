/** Quantities with leading zeros, and null in place of lists, in responses of nodes, at any chunk boundary. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isComplete } from '../../../packages/ethereum/primitives/json-result.ts';
import type { NodeReply } from '../../../src/pool/node-call.ts';
import { createNodeMemory } from '../../../src/pool/node-memory.ts';
import { findBatchBounds, findBounds } from '../../../src/pool/transport/answer-bounds.ts';
import { AnswerReader } from '../../../src/pool/transport/answer-reader.ts';
import { readSingleReply } from '../../../src/pool/transport/message.ts';
import { MessagePieces } from '../../../src/pool/transport/message-bytes.ts';
import { countPadding, trimZeros } from '../../../src/pool/transport/padded-quantities.ts';
import { readBatch } from '../../../src/pool/transport/read-batch.ts';
import { ReplyScanner } from '../../../src/pool/transport/reply-scanner.ts';
import type { ResultSource } from '../../../src/pool/transport/result-stream.ts';
import { AnswerMemory } from '../../../src/util/answer-memory.ts';
import { countRuns } from '../../support/count-runs.ts';

const MiB = 1024 * 1024;
const SOURCE: ResultSource = { pause: () => undefined, resume: () => undefined, cancel: () => undefined };
const memory = (): AnswerMemory => new AnswerMemory(createNodeMemory(), 'node');

type Form = { readonly method?: string; readonly streamBytes?: number; readonly takesBytes?: boolean };

function cut(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.map((at) => at % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return places
    .slice(1)
    .map((to, i) => Buffer.from(bytes.subarray(places[i], to)))
    .filter(({ length }) => length > 0);
}

/** The result that a client gets for a response in these chunks. */
async function read(chunks: readonly Buffer[], form: Form = {}): Promise<string> {
  const { method = 'eth_getBlockReceipts', streamBytes = MiB, takesBytes = false } = form;
  const reader = new AnswerReader(
    '1',
    { answerBytes: 64 * MiB, streamBytes, memory },
    findBounds(method, '[]'),
    SOURCE,
    takesBytes,
  );
  let reply: NodeReply | undefined;
  const collected: Promise<string>[] = [];
  for (const chunk of chunks) {
    const begun = reader.push(chunk);
    if (begun === undefined) continue;
    reply = begun;
    collected.push(collect(begun));
  }
  reply ??= await reader.end();
  if (collected.length > 0) await reader.end();
  return (await collected[0]) ?? collect(reply as NodeReply);
}

async function collect(reply: NodeReply): Promise<string> {
  assert.ok(reply.kind === 'result');
  const { result } = reply;
  if (typeof result === 'string') return result;
  if (isComplete(result)) return Buffer.from(result.value.bytes).toString();
  const pieces: Uint8Array[] = [];
  for await (const piece of result.pieces) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces).toString();
}

const wrap = (result: string): Buffer => Buffer.from(`{"jsonrpc":"2.0","id":1,"result":${result}}`);

/** Reference rule of the rewriting of each member, independent of the code. */
const PADDED = /"(\w+)"(\s*):(\s*)"0x(0+)([0-9a-fA-F]+)"/g;
const QUANTITIES = [
  'logIndex',
  'gasUsed',
  'value',
  'v',
  'r',
  'nonce',
  'blockNumber',
  'maxPriorityFeePerGas',
  'type',
];
const DATA = [
  'data',
  'hash',
  'blockHash',
  'to',
  'address',
  'input',
  'logsBloom',
  'miner',
  'key',
  'returnData',
];
const NULLS =
  /"(transactions|uncles|logs|topics|calls|storageKeys|accountProof|storageProof)"(\s*):(\s*)null/g;
const expect = (text: string): string =>
  text
    .replace(NULLS, '"$1"$2:$3[]')
    .replace(PADDED, (all, name: string, before: string, after: string, zeros: string, digits: string) => {
      const length = 2 + zeros.length + digits.length;
      if (!QUANTITIES.includes(name) || length > 66 || (name === 'nonce' && length === 18)) return all;
      return `"${name}"${before}:${after}"0x${digits}"`;
    });

const hex = fc.oneof(
  fc.stringMatching(/^0{0,6}[0-9a-f]{0,4}$/),
  fc.stringMatching(/^0{0,3}[0-9a-fA-F]{14}$/),
  fc.constantFrom(
    '0'.repeat(16),
    `${'0'.repeat(60)}1a2b`,
    '0'.repeat(64),
    '0'.repeat(65),
    `${'0'.repeat(120)}1`,
    '0'.repeat(512),
  ),
);
const blank = fc.constantFrom('', '', '', ' ', '\n  ');
const member = fc
  .tuple(fc.constantFrom(...QUANTITIES, ...DATA), blank, blank, hex)
  .map(([name, before, after, digits]) => `"${name}"${before}:${after}"0x${digits}"`);
const other = fc.constantFrom(
  '"topics":["0x0001","0x00"]',
  '"text":"\\"gas\\":\\"0x00\\""',
  '"gas":7',
  '"gas":null',
  '"logs":null',
  '"topics" :\n null',
  '"transactions":null,"uncles":null',
  '"withdrawals":null,"accessList":null,"to":null',
  '"text":"\\"logs\\":null"',
  '"list":[null,"logs",null,":null"]',
  '"gas":"0x00zz"',
  '"removed":false',
  '"x":":"',
);
const object: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc
    .array(
      fc.oneof(
        { weight: 8, arbitrary: member },
        { weight: 2, arbitrary: other },
        { weight: 2, arbitrary: tie('value').map((value) => `"inner":${value}`) },
        {
          weight: 2,
          arbitrary: fc.array(tie('value'), { maxLength: 3 }).map((list) => `"logs":[${list.join()}]`),
        },
      ),
      { maxLength: 12 },
    )
    .map((members) => `{${members.join()}}`),
})).value;
const FORMS: readonly Form[] = [{}, { streamBytes: 0 }, { streamBytes: 600 }, { takesBytes: true }];

describe('quantities with leading zeros in an answer', () => {
  it('are normalised at any chunk boundary and in any form of the answer', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(object, { minLength: 1, maxLength: 8 }).map((list) => `[${list.join()}]`),
        fc.array(fc.nat(), { maxLength: 12 }),
        fc.constantFrom(...FORMS),
        async (text, cuts, form) => {
          assert.equal(await read(cut(wrap(text), cuts), form), expect(text));
        },
      ),
      { numRuns: countRuns(2_000) },
    );
  });

  it('are normalised byte by byte, and in chunks of any length', async () => {
    const log =
      '{"address":"0x00aa","logIndex":"0x00","data":"0x00","value" : "0x0007","nonce":"0x0000000000000000"}';
    const text = `[${Array.from({ length: 12 }, () => log).join()}]`;
    const bytes = wrap(text);
    for (let length = 1; length < 700; length += length < 90 ? 1 : 37) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / length) }, (_, i) =>
        Buffer.from(bytes.subarray(i * length, (i + 1) * length)),
      );
      for (const form of FORMS) assert.equal(await read(chunks, form), expect(text), `${length}`);
    }
    assert.match(expect(text), /"logIndex":"0x0","data":"0x00","value" : "0x7","nonce":"0x0000000000000000"/);
  });

  it('are normalised where the scan of a long chunk continues in its next memory block', async () => {
    const item = '{"transactionIndex":"0x0012","topics":["0x0001"],"to":"0x0012"}';
    const text = `[${Array.from({ length: 4_000 }, () => item).join()}]`;
    for (let shift = 0; shift < item.length; shift += 3) {
      const shifted = `["${'x'.repeat(shift)}",${text}]`;
      assert.equal(await read([wrap(shifted)], { takesBytes: true }), expect2(shifted));
    }
    function expect2(all: string): string {
      return all.replaceAll('"transactionIndex":"0x0012"', '"transactionIndex":"0x12"');
    }
  });

  it('are normalised in batches and over WebSockets', async () => {
    const text = '{"blockNumber":"0x007","logs":[{"logIndex":"0x00","data":"0x00"}],"to":"0x00"}';
    const calls = [{ method: 'eth_getTransactionReceipt', params: '[]' }];
    const work = readBatch(Buffer.from(`[${wrap(text)}]`), 1, findBatchBounds(calls, MiB));
    let step = work.next();
    while (step.done !== true) step = work.next();
    assert.deepEqual(step.value.replies, [{ kind: 'result', result: expect(text) }]);

    for (const at of [20, 58, 59, 60, 61, 62, 63, 64, 95, 96]) {
      const bytes = wrap(text);
      for (const pieces of [bytes, new MessagePieces([bytes.subarray(0, at), bytes.subarray(at)])])
        for (const streamBytes of [0, MiB]) {
          const scanner = new ReplyScanner(findBounds('eth_getTransactionReceipt', '[]'));
          scanner.push(bytes);
          const message = { bytes: pieces, isList: false, scanners: [scanner] };
          assert.equal(await collect(await readSingleReply(message, streamBytes)), expect(text));
        }
    }
  });

  it('are normalised together with null lists, which become empty lists, in batches too', async () => {
    const text =
      '{"logIndex":"0x00","topics":null,"logs":null,"removed":null,"type":"0x00","uncles" : null,"transactions":null,"v":"0x00"}';
    const fixed =
      '{"logIndex":"0x0","topics":[],"logs":[],"removed":null,"type":"0x0","uncles" : [],"transactions":[],"v":"0x0"}';
    const calls = ['1', '2'].map(() => ({ method: 'eth_getTransactionReceipt', params: '[]' }));
    const second = Buffer.from(`{"id":2,"logs":null,"result":${text}}`);
    const work = readBatch(Buffer.from(`[${wrap(text)},${second}]`), 1, findBatchBounds(calls, MiB));
    let step = work.next();
    while (step.done !== true) step = work.next();
    assert.deepEqual(
      step.value.replies,
      calls.map(() => ({ kind: 'result', result: fixed })),
    );
    const bytes = wrap(text);
    for (let length = 1; length < bytes.length; length++)
      for (const form of FORMS) {
        const chunks = Array.from({ length: Math.ceil(bytes.length / length) }, (_, i) =>
          Buffer.from(bytes.subarray(i * length, (i + 1) * length)),
        );
        assert.equal(await read(chunks, form), fixed, `${length}`);
      }
    assert.equal(await read([bytes], { method: 'debug_traceTransaction' }), text);
  });

  it('are unchanged in methods that have data under such names', async () => {
    const text = '{"storage":{"0x01":{"key":"0x0001","value":"0x0002"}}}';
    for (const method of ['debug_storageRangeAt', 'eth_getBlockAccessList'])
      assert.equal(await read([wrap(text)], { method }), text);
    assert.notEqual(await read([wrap(text)], { method: 'eth_getProof' }), text);
  });

  it('are the only reason to copy an answer', async () => {
    const bytes = Buffer.from('{"gas":"0x1","to":"0x00","nonce":"0x0000000000000000"}');
    assert.equal(trimZeros(bytes, 100, []), bytes);
    assert.equal(trimZeros(bytes, 100, [50 * 64 + 3, 90 * 64, 200 * 64 + 3]), bytes);
    const names = [...bytes.toString().matchAll(/"(0x)/g)].map(({ index }) => index + 1);
    assert.deepEqual(
      names.map((at) => countPadding(bytes, at)),
      [0, 0, 0],
    );
    const chunks = cut(
      wrap(`[${Array.from({ length: 200 }, () => bytes.toString()).join()}]`),
      [3_000, 6_001, 9_500],
    );
    const reader = new AnswerReader(
      '1',
      { answerBytes: MiB, streamBytes: 100, memory },
      findBounds('eth_getBlockReceipts', '[]'),
      SOURCE,
    );
    const reply = chunks.map((chunk) => reader.push(chunk)).find((value) => value !== undefined);
    const end = reader.end();
    assert.ok(reply?.kind === 'result' && typeof reply.result === 'object' && 'pieces' in reply.result);
    const memories = new Set(chunks.map(({ buffer }) => buffer));
    let views = 0;
    for await (const piece of reply.result.pieces) if (memories.has(piece.buffer as ArrayBuffer)) views++;
    await end;
    assert.ok(views > 0);
  });
});
