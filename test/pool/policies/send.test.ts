import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonResult } from '../../../packages/ethereum/primitives/json-result.ts';
import { PIECE_LENGTH, parseJsonText } from '../../../packages/ethereum/primitives/parse-json.ts';
import { UpstreamFault } from '../../../src/pool/fault.ts';
import type { NodeCall } from '../../../src/pool/node-call.ts';
import { createNodeMemory } from '../../../src/pool/node-memory.ts';
import { createSender } from '../../../src/pool/policies/send.ts';
import { createHttpTransport } from '../../../src/pool/transport/http-transport.ts';
import { AnswerMemory } from '../../../src/util/answer-memory.ts';
import { SLOT_MS } from '../../../src/util/slot-scheduler.ts';
import { spin, watchTurns } from '../../support/watch-turns.ts';
import { createDirected, createScope } from '../support/exchange.ts';
import { answer, createNode, nodeError, silent } from '../support/scripted-node.ts';
import { createStream, readAll } from '../support/scripted-stream.ts';
import { setNode } from '../support/set-node.ts';
import { LIMITS, serveHttp } from '../transport/servers.ts';

const sendToUpstream = createSender({ answerBytes: 1_048_576, streamBytes: 16 });

const KNOWS_HASHES = {
  chainId: 1n,
  genesisHash: undefined,
  clientVersion: 'Geth/v1',
  knowsHashParameters: true,
};

describe('sendToUpstream', () => {
  it('sends the block as a hash to nodes that accept it, and as a number to others', async () => {
    const [old, modern] = [createNode(answer('"0x"')), createNode(answer('"0x"'))];
    setNode(modern.upstream, { identity: KNOWS_HASHES });
    const call = { params: '[{},"0x1"]', paramsByHash: '[{},{"blockHash":"0xaa"}]' };
    await sendToUpstream(createDirected(old, call));
    await sendToUpstream(createDirected(modern, call));
    assert.equal(old.requested.calls[0]?.params, call.params);
    assert.equal(modern.requested.calls[0]?.params, call.paramsByHash);
    await sendToUpstream(createDirected(modern, { params: '["0x1"]' }));
    assert.equal(modern.requested.calls[1]?.params, '["0x1"]');
  });

  it('reveals neither the URL nor the key of a node', async () => {
    const secrets = ['node.example.org', 'k3y0123456789abcdef'];
    const behaviour = nodeError(-39999, 'no quota at https://node.example.org/v1/k3y0123456789abcdef today');
    const node = createNode({ behaviour, secrets });
    await assert.rejects(sendToUpstream(createDirected(node)), (error: unknown) => {
      assert.ok(error instanceof UpstreamFault);
      assert.equal(error.kind, 'unknown');
      for (const secret of secrets) assert.ok(!error.message.includes(secret), error.message);
      return true;
    });
  });

  it('checks results, and buffers a whole stream that must be text', async () => {
    const text = JSON.stringify('x'.repeat(1_000));
    const seen: unknown[] = [];
    const check = (result: unknown): string => {
      seen.push(result);
      return 'checked';
    };
    const node = createNode(async () => ({ kind: 'result', result: createStream(text) }));
    assert.equal(await sendToUpstream(createDirected(node, { isText: true, check })), 'checked');
    assert.deepEqual(seen, [text]);
    const passed = await sendToUpstream(createDirected(node));
    assert.notEqual(typeof passed, 'string');
  });

  it('checks simultaneous answers in several turns of the event loop, whatever their length', async () => {
    for (const length of [8 * 1024, 2 * PIECE_LENGTH]) {
      const watch = watchTurns();
      const text = JSON.stringify('x'.repeat(length));
      const check = (result: unknown): string => {
        parseJsonText(result as string);
        watch.note();
        spin(SLOT_MS + 0.1);
        return 'checked';
      };
      const node = createNode(answer(text));
      const checked = Array.from({ length: 12 }, () =>
        sendToUpstream(createDirected(node, { isText: true, check })),
      );
      assert.deepEqual(new Set(await Promise.all(checked)), new Set(['checked']));
      // One call at the end of a turn of the event loop, and one at the beginning of the next.
      assert.ok(watch.end() <= 2, `${watch.end()} in a turn`);
    }
  });

  it('counts values that a check parses against the memory of the node', async () => {
    const budget = createNodeMemory();
    const text = `[${'[0],'.repeat(PIECE_LENGTH)}0]`;
    const node = createNode({
      behaviour: answer(text),
      openMemory: () => new AnswerMemory(budget, 'node'),
    });
    let used = 0;
    const check = (result: JsonResult): JsonResult => {
      parseJsonText(result as string);
      used = budget.used;
      return result;
    };
    assert.equal(await sendToUpstream(createDirected(node, { check })), text);
    assert.ok(used > 40 * text.length, `${used} bytes`);
    assert.equal(budget.used, 0);
  });

  it('returns a buffered stream as a stream if it is long', async () => {
    for (const [length, isText] of [
      [8 * 16, true],
      [8 * 16 + 1, false],
    ] as const) {
      const text = `"${'x'.repeat(length - 2)}"`;
      const node = createNode(async () => ({
        kind: 'result',
        result: createStream(text, { pieceBytes: 5 }),
      }));
      const result = await sendToUpstream(createDirected(node, { isBuffered: true }));
      assert.equal(typeof result === 'string', isText);
      assert.equal(await readAll(result), text);
    }
    const long = createStream('[1,2,3]'.repeat(100));
    const node = createNode(async () => ({ kind: 'result', result: long }));
    const result = await sendToUpstream(createDirected(node, { isBuffered: true }));
    assert.ok(typeof result !== 'string');
    result.cancel();
    assert.equal(long.isCancelled, true);
    await assert.rejects(readAll(result), { kind: 'aborted' });
  });

  it('throws a fault for a stream that breaks while it is collected, and cancels one without a caller', async () => {
    const broken = createNode(async () => ({
      kind: 'result',
      result: createStream('[1,2,3]', { breakAt: 2 }),
    }));
    await assert.rejects(sendToUpstream(createDirected(broken, { isText: true })), { kind: 'unreachable' });
    const endless = createStream('[1,2,3]'.repeat(100));
    const caller = new AbortController();
    const node = createNode(async () => {
      caller.abort();
      return { kind: 'result', result: endless };
    });
    const context = createDirected(node, { isText: true }, createScope(20_000, caller.signal));
    await assert.rejects(sendToUpstream(context), { kind: 'aborted' });
    assert.equal(endless.isCancelled, true);
  });
});

const items = (count: number): NodeCall[] =>
  Array.from({ length: count }, (_, i) => ({ method: 'eth_getTransactionReceipt', params: `["0x${i}"]` }));

describe('a method that the node lacks', () => {
  const lacksReceipts = ({ method, params }: NodeCall): ReturnType<ReturnType<typeof nodeError>> =>
    method === 'eth_getBlockReceipts'
      ? { kind: 'error', error: { code: -32601, message: 'the method does not exist', data: undefined } }
      : { kind: 'result', result: `{"of":${params}}` };

  type Item = { readonly id: number; readonly method: string };
  const answerPart = ({ id, method }: Item): string =>
    method === 'eth_getBlockReceipts'
      ? `{"jsonrpc":"2.0","id":${id},"error":{"code":-32601,"message":"the method does not exist"}}`
      : `{"jsonrpc":"2.0","id":${id},"result":{}}`;

  const call = (count: number): { method: string; batch: () => NodeCall[] } => ({
    method: 'eth_getBlockReceipts',
    batch: () => items(count),
  });

  it('is replaced by its parts as items of batches, in order, up to 100 at a time', async () => {
    const batches = new Map<object | undefined, number>();
    const node = createNode((requested, { batch }) => {
      if (requested.method !== 'eth_getBlockReceipts') batches.set(batch, (batches.get(batch) ?? 0) + 1);
      return lacksReceipts(requested);
    });
    const wanted = items(250).map(({ params }) => ({ of: JSON.parse(params) }));
    for (let time = 0; time < 2; time++) {
      const result = await sendToUpstream(createDirected(node, call(250)));
      assert.deepEqual(JSON.parse(result as string), wanted);
    }
    assert.equal(node.requested.calls.filter(({ method }) => method === 'eth_getBlockReceipts').length, 1);
    assert.ok(!batches.has(undefined));
    assert.deepEqual([...batches.values()], [100, 100, 50, 100, 100, 50]);
    assert.ok(
      node.requested.calls.slice(1).every(({ isSmall }) => isSmall === true),
      'they may share requests',
    );
    assert.equal(node.upstream.lacks('eth_getBlockReceipts'), true);
  });

  it('is replaced by batches of at most the configured size, and by single calls without batches', async () => {
    for (const [items, wanted] of [
      [20, [0, 20, 20, 20]],
      [1, new Array(61).fill(0)],
    ] as const) {
      const sizes: number[] = [];
      const http = await serveHttp((response, { body }) => {
        const request = JSON.parse(body) as Item | readonly Item[];
        sizes.push('length' in request ? request.length : 0);
        response.end('length' in request ? `[${request.map(answerPart)}]` : answerPart(request));
      });
      const transport = createHttpTransport(http.endpoint, {
        ...LIMITS,
        batch: { items, callers: 'never' },
        inFlight: 100,
      });
      const node = createNode({ behaviour: answer('null'), transport });
      const result = await sendToUpstream(createDirected(node, call(60)));
      assert.equal(JSON.parse(result as string).length, 60);
      assert.deepEqual(sizes, wanted);
      await transport.close();
      await http.close();
    }
  });

  it('fails with the first failed part, which cancels the other parts', async () => {
    const node = createNode((requested, options) => {
      if (requested.params === '["0x3"]') return nodeError(-32005, 'limit exceeded')(requested, options);
      return requested.method === 'eth_getBlockReceipts'
        ? lacksReceipts(requested)
        : silent(requested, options);
    });
    await assert.rejects(sendToUpstream(createDirected(node, call(10))), { kind: 'rateLimited' });
    assert.equal(node.givenUp(), 10);
  });

  it('has no answer if a part is null or an error', async () => {
    const withoutLast = createNode((requested) =>
      requested.params === '["0x3"]' ? { kind: 'result', result: 'null' } : lacksReceipts(requested),
    );
    await assert.rejects(sendToUpstream(createDirected(withoutLast, call(4))), { kind: 'missing' });
    const limited = createNode((requested) =>
      requested.params === '["0x2"]'
        ? { kind: 'error', error: { code: -32005, message: 'limit exceeded', data: undefined } }
        : lacksReceipts(requested),
    );
    await assert.rejects(sendToUpstream(createDirected(limited, call(4))), { kind: 'rateLimited' });
  });

  it('has parts that are bounded together like one answer', async () => {
    const node = createNode((requested) =>
      requested.method === 'eth_getBlockReceipts'
        ? lacksReceipts(requested)
        : { kind: 'result', result: '"0123456789"' },
    );
    const context = createDirected(node, call(250));
    assert.equal(
      JSON.parse((await createSender({ answerBytes: 3_000, streamBytes: 16 })(context)) as string).length,
      250,
    );
    await assert.rejects(createSender({ answerBytes: 2_999, streamBytes: 16 })(context), {
      kind: 'tooLarge',
    });
    assert.equal(node.requested.calls.length, 501);
  });

  it('is requested directly from a node that has it', async () => {
    const node = createNode(answer('[]'));
    assert.equal(await sendToUpstream(createDirected(node, call(4))), '[]');
    assert.equal(node.requested.calls.length, 1);
  });

  it('is reported as unsupported without a replacement', async () => {
    const node = createNode(nodeError(-32601, 'the method does not exist'));
    await assert.rejects(sendToUpstream(createDirected(node)), { kind: 'unsupported' });
  });
});
