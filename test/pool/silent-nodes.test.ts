/** Nodes of a better tier that do not answer calls: how many calls wait for them, and the outcome of these calls. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MethodSilences } from '../../src/pool/method-silences.ts';
import { describeState } from '../../src/pool/node-state.ts';
import type { Pool } from '../../src/pool/pool.ts';
import { createRecordingLog, type RecordingLog } from '../gateway/recording-log.ts';
import { waitUntil } from '../support/wait-until.ts';
import { createCall, createExchange, createScope } from './support/exchange.ts';
import { openWholePool } from './support/pool.ts';
import {
  answer,
  type Behaviour,
  createNode,
  later,
  nodeError,
  type ScriptedNode,
  silent,
} from './support/scripted-node.ts';

/** Call deadline, ms: a silent node gets a third of it before the next node gets the request. */
const LIMIT_MS = 450;
const OVERTAKEN_IN_A_ROW = 3;
const BLOCK = { number: 7n, hash: `0x${'7'.repeat(64)}` };

type Stage = {
  readonly first: ScriptedNode;
  readonly second: ScriptedNode;
  readonly pool: Pool;
  readonly log: RecordingLog;
  /** Advances the clock of the first node's health. */
  pass(ms: number): void;
};

function openStage(behaviour: Behaviour, answerTimeout = 20): Stage {
  let now = 0;
  const first = createNode({ behaviour, name: 'first', now: () => now });
  const second = createNode({ behaviour: answer('"0x2"'), name: 'second', tier: 2 });
  const log = createRecordingLog();
  const pool = openWholePool([first, second], { log, options: { answerTimeout } });
  const pass = (ms: number): void => {
    now += ms;
  };
  return { first, second, pool, log, pass };
}

async function requestOnce({ pool }: Stage, params = '[]', method = 'eth_call'): Promise<void> {
  const answered = await pool.ask(createExchange({ method, params, nulls: 'truth' }, createScope(LIMIT_MS)));
  assert.match(String(answered), /^"0x[12]"$/);
}

async function sendInOrder(stage: Stage, times: number): Promise<void> {
  for (let call = 0; call < times; call++) await requestOnce(stage);
}

const listMessages = ({ log }: Stage): readonly string[] =>
  log.lines.map((line) => (JSON.parse(line) as { readonly message: string }).message);
const NAMED = 'upstream does not answer calls that others answer: it is used last until it answers a probe';
const HEARD = 'upstream answers calls again';

describe('a silent node', () => {
  it('delays three calls at most, is logged once, probed, and used first again when it answers', async () => {
    const stage = openStage(silent);
    const { first, second, pass } = stage;
    await sendInOrder(stage, OVERTAKEN_IN_A_ROW + 10);
    assert.equal(first.givenUp(), OVERTAKEN_IN_A_ROW);
    assert.equal(
      first.requested.calls.length,
      OVERTAKEN_IN_A_ROW + 1,
      'and one probe, which nobody waits for',
    );
    await waitUntil(() => listMessages(stage).includes(NAMED));
    assert.deepEqual(describeState(first.upstream, 0), {
      state: 'down',
      reason: 'does not answer calls that other nodes answer',
    });
    assert.equal(first.upstream.faults.get('timeout'), 1);

    for (const round of [1, 2, 3]) {
      pass(60_000);
      await sendInOrder(stage, 5);
      await waitUntil(() => first.upstream.faults.get('timeout') === 1 + round);
    }
    assert.equal(first.givenUp(), OVERTAKEN_IN_A_ROW, 'no call has waited for a probe');
    assert.equal(listMessages(stage).filter((message) => message === NAMED).length, 1);

    pass(60_000);
    first.behave(answer('"0x1"'));
    await requestOnce(stage);
    await waitUntil(() => listMessages(stage).includes(HEARD));
    assert.equal(first.upstream.health.circuit, 'closed');
    const before = second.requested.calls.length;
    await sendInOrder(stage, 5);
    assert.equal(second.requested.calls.length, before);
  });

  it('is treated the same for coalesced calls', async () => {
    const stage = openStage(silent);
    const { first, pool, pass } = stage;
    const sendCoalesced = async (round: number): Promise<void> => {
      const calls = [0, 1].map((item) =>
        createCall({
          params: `[${round},${item}]`,
          block: BLOCK,
          key: { blockHash: BLOCK.hash, request: `${round} ${item}` },
        }),
      );
      const outcomes = await pool.sendCoalesced(calls, createScope(LIMIT_MS));
      assert.deepEqual(
        outcomes.map((outcome) => outcome?.answer),
        ['"0x2"', '"0x2"'],
      );
    };
    for (let round = 0; round < 10; round++) await sendCoalesced(round);
    assert.equal(first.givenUp(), 4, 'two rounds of two calls');
    await waitUntil(() => listMessages(stage).includes(NAMED));
    pass(60_000);
    first.behave(answer('"0x1"'));
    await sendCoalesced(10);
    await waitUntil(() => listMessages(stage).includes(HEARD));
    assert.equal(first.upstream.health.circuit, 'closed');
  });
});

describe('a node that is silent on one method', () => {
  const SILENT_ON = 'eth_getLogs';
  const onlyOthers: Behaviour = (call, options) =>
    (call.method === SILENT_ON ? silent : answer('"0x1"'))(call, options);
  /** Between calls of the silent method the node answers another method. */
  const askBoth = async (stage: Stage, times: number): Promise<void> => {
    for (let call = 0; call < times; call++) {
      await requestOnce(stage, `[${call}]`, SILENT_ON);
      await requestOnce(stage);
    }
  };
  const count = ({ requested }: ScriptedNode, method: string): number =>
    requested.calls.filter((call) => call.method === method).length;
  const METHOD_NAMED =
    'upstream does not answer a method that others answer: it is used last for the method until it answers a probe';
  const METHOD_HEARD = 'upstream answers the method again';

  it('delays three calls of the method at most, and is used first for other methods, and for this one after an answered probe', async () => {
    const stage = openStage(onlyOthers);
    const { first, second, pass } = stage;
    await askBoth(stage, OVERTAKEN_IN_A_ROW + 10);
    assert.equal(first.givenUp(), OVERTAKEN_IN_A_ROW);
    assert.equal(count(first, SILENT_ON), OVERTAKEN_IN_A_ROW + 1, 'and one probe, which nobody waits for');
    assert.equal(count(second, 'eth_call'), 0);
    assert.equal(first.upstream.health.circuit, 'closed');
    await waitUntil(() => listMessages(stage).includes(METHOD_NAMED));
    assert.ok(!listMessages(stage).includes(NAMED));

    pass(15_000);
    first.behave(answer('"0x1"'));
    await requestOnce(stage, '[]', SILENT_ON);
    await waitUntil(() => listMessages(stage).includes(METHOD_HEARD));
    const before = second.requested.calls.length;
    await askBoth(stage, 3);
    assert.equal(second.requested.calls.length, before);
  });

  it('is used first for the method again after five minutes, even if probes fail', async () => {
    const stage = openStage(onlyOthers);
    await askBoth(stage, OVERTAKEN_IN_A_ROW + 1);
    stage.pass(299_999);
    await askBoth(stage, 1);
    assert.equal(stage.first.givenUp(), OVERTAKEN_IN_A_ROW);
    stage.pass(1);
    await askBoth(stage, 2 * OVERTAKEN_IN_A_ROW);
    assert.equal(stage.first.givenUp(), 2 * OVERTAKEN_IN_A_ROW);
  });

  it('is recorded for a bounded number of methods', () => {
    const silences = new MethodSilences(() => 0);
    const names = Array.from({ length: 100 }, (_, i) => `method${i}`);
    for (const name of names) for (let i = 0; i < OVERTAKEN_IN_A_ROW; i++) silences.noteOvertaken(name);
    assert.deepEqual(
      names.filter((name) => silences.isSilent(name)),
      names.slice(-64),
    );
  });
});

describe('a slow node', () => {
  it('keeps its rank while it answers other calls, even with errors', async () => {
    for (const other of [answer('"0x1"'), nodeError(-32000, 'header not found')]) {
      const slow = '["slow"]';
      const stage = openStage((call, options) => (call.params === slow ? silent : other)(call, options));
      for (let round = 0; round < 2 * OVERTAKEN_IN_A_ROW; round++) {
        await requestOnce(stage, slow);
        await requestOnce(stage);
      }
      assert.equal(stage.first.givenUp(), 2 * OVERTAKEN_IN_A_ROW);
      assert.equal(stage.first.upstream.health.circuit, 'closed');
      assert.ok(!listMessages(stage).includes(NAMED));
    }
  });

  it('regains its rank with the answer to its first probe, even if overtaken, and is not logged', async () => {
    const stage = openStage(later(LIMIT_MS / 2, answer('"0x1"')), 60_000);
    const { first } = stage;
    await sendInOrder(stage, OVERTAKEN_IN_A_ROW);
    assert.equal(first.upstream.health.circuit, 'open');
    await requestOnce(stage);
    await waitUntil(() => first.upstream.health.circuit === 'closed');
    assert.equal(first.upstream.faults.size, 0);
    assert.deepEqual(
      listMessages(stage).filter((message) => message === NAMED || message === HEARD),
      [],
    );
  });
});
