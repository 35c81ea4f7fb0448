/** Tests of the matrix's tools: nodes recover, faults take effect, and without a fault every answer is correct. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { WebSocket } from 'ws';
import { ANVIL_SKIP } from '../support/anvil.ts';
import { FaultUpstream } from '../support/fault-upstream.ts';
import { type AnsweredQuestion, rephrase } from '../support/scene-questions.ts';
import { FAULTS, type FaultRow } from './catalogue.ts';
import { check, type Verdict } from './judge.ts';
import { UPSTREAM_KINDS, type UpstreamKind } from './matrix.ts';
import { openStage, type Stage } from './stage.ts';

/** Wait for events that must not happen; a healthy answer may take as long as a busy machine stalls. */
const SHORT_MS = 1_000;
const PATIENCE_MS = 60_000;
/** Limit of a reader that accepts no answer unchecked. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
/** Requests that nodes answer exactly as the gateway must answer, byte for byte. */
const LITERAL = /receipts|by hash|found|one of many|head|merge|eth_call (latest|old)/i;
const NO_SECRET = 'no secret';

describe('the fault stage', { skip: ANVIL_SKIP }, () => {
  let stage: Stage;
  let upstream: FaultUpstream;
  let requests: readonly AnsweredQuestion[];

  before(async () => {
    stage = await openStage();
    upstream = await FaultUpstream.start(stage.faulty.httpUrl);
    requests = stage.requests.filter(({ label }) => LITERAL.test(label) && !/unknown/.test(label));
  });

  after(async () => {
    await upstream.close();
    await stage.close();
  });

  const ask = async (
    kind: UpstreamKind,
    question: AnsweredQuestion,
    id: number,
    limitMs: number = PATIENCE_MS,
  ): Promise<Verdict> => {
    const request = JSON.stringify({ jsonrpc: '2.0', id, method: question.method, params: question.params });
    const send = kind === 'HTTP' ? postNaively : sendNaively;
    const text = await send(upstream, request, limitMs).catch(() => undefined);
    return text === undefined ? 'hang' : check(text, id, [question.expected], NO_SECRET);
  };

  test('a restarted node has its whole chain again', async () => {
    const [node] = stage.good;
    const read = (): Promise<unknown[]> =>
      Promise.all(requests.map(({ method, params }) => node.request(method, ...params)));
    const before = await read();
    await node.kill();
    await assert.rejects(node.request('eth_blockNumber'));
    await node.restart();
    assert.deepEqual(await read(), before);
  });

  test('the fork shares its first blocks with the main chain', async () => {
    const calls = [stage.onFork, stage.requests].map((list) => list.map(({ expected }) => expected));
    assert.notDeepEqual(calls[0], calls[1]);
    const receipts = (list: readonly AnsweredQuestion[]): unknown =>
      list.find(({ label }) => label === 'eth_getBlockReceipts a failed one')?.expected;
    assert.deepEqual(receipts(stage.onFork), receipts(stage.requests));
  });

  for (const kind of UPSTREAM_KINDS) {
    test(`every answer over ${kind} is right without a fault`, async () => {
      for (const [id, question] of requests.entries()) {
        assert.equal(await ask(kind, rephrase(question, id), id), 'right', question.label);
      }
    });

    const provoke = async (row: FaultRow): Promise<void> => {
      await upstream.setFault(row.create(stage.others));
      const verdicts = await Promise.all(requests.map((question, id) => ask(kind, question, id, SHORT_MS)));
      assert.ok(
        verdicts.some((verdict) => verdict !== 'right'),
        verdicts.join(),
      );
      await upstream.setFault();
    };
    for (const row of FAULTS) test(`${row.name} over ${kind}`, () => provoke(row));
  }

  test('the proxy forwards announcements of new heads', async () => {
    const socket = new WebSocket(upstream.webSocketUrl);
    const messages: string[] = [];
    await new Promise<void>((resolve, reject) => {
      socket.on('error', reject);
      socket.on('open', () =>
        socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}'),
      );
      socket.on('message', (data) => {
        messages.push(String(data));
        if (messages.length === 1) setTimeout(() => void stage.faulty.request('evm_mine'), 200);
        if (messages.length === 2) resolve();
      });
    });
    socket.terminate();
    const { params } = JSON.parse(messages[1] as string);
    const head = (await stage.faulty.request('eth_getBlockByNumber', 'latest', false)) as { hash: string };
    assert.equal(params.result.hash, head.hash);
  });
});

/** Posts like a client that accepts any JSON. */
async function postNaively(upstream: FaultUpstream, request: string, limitMs: number): Promise<string> {
  const signal = AbortSignal.timeout(limitMs);
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(upstream.httpUrl, { method: 'POST', headers, body: request, signal });
  let text = '';
  for await (const piece of response.body ?? []) {
    text += Buffer.from(piece).toString('latin1');
    if (text.length > MAX_ANSWER_BYTES) throw new Error('too large');
  }
  return response.ok ? text : '';
}

function sendNaively(upstream: FaultUpstream, request: string, limitMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(upstream.webSocketUrl, { maxPayload: MAX_ANSWER_BYTES });
    const fail = (): void => {
      socket.terminate();
      reject(new Error('no answer'));
    };
    const timer = setTimeout(fail, limitMs);
    socket.on('error', fail);
    socket.on('close', fail);
    socket.on('open', () => socket.send(request));
    socket.on('message', (data) => {
      clearTimeout(timer);
      resolve(String(data));
      socket.terminate();
    });
  });
}
