/**
 * Two nodes of three and of five are replaced by nodes with a forged chain, valid to its last root, and the honest ones fall silent one
 * after the other. Where agreement is required, no forged answer is served; elsewhere no forged answer is labelled better than one node's
 * word.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { FORGED_PENDING, ForgedBranch, SHARED, TOPS } from '../../../support/forged-branch.ts';
import { type AskedQuestion, listQuestions } from './agreement-questions.ts';
import { AnswerJudge } from './answer-judge.ts';
import { AttackedNetwork, type Reply, SILENCES, type Silence, type Transport } from './attacked-network.ts';

const TRANSPORTS: readonly Transport[] = ['HTTP', 'WebSocket'];
const ORDER: readonly Silence[] = ['dead', 'slow', 'flooded'];
const LIARS = 2;
/** `AGREEMENT_ATTACKS=all` attacks every network; without it only those below are attacked, and the honest nodes do not come back. */
const IS_WHOLE = process.env['AGREEMENT_ATTACKS'] === 'all';
const SHORT: ReadonlySet<string> = new Set(['3 agreement: bridge', '5 verify: auto with three voices']);
/** Concurrent requests. */
const WIDTH = 24;
/** Longer than a stall of a busy machine, ms. */
const PATIENCE_MS = 60_000;
const NEWEST: AskedQuestion = { method: 'eth_blockNumber', params: [] };

type Row = {
  readonly name: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly isDemanded: boolean;
};

const ROWS: readonly Row[] = [
  { name: 'agreement: bridge', options: { agreement: 'bridge' }, isDemanded: true },
  {
    name: 'verify: require with three voices',
    options: { verify: 'require', agreement: { voices: 3 } },
    isDemanded: true,
  },
  {
    name: 'verify: auto with three voices',
    options: { verify: 'auto', agreement: { voices: 3 } },
    isDemanded: false,
  },
];

type Figures = { answers: number; refused: number; forged: number; labelled: number; pushed: number };

describe('two of several nodes with a forged chain', { concurrency: false }, () => {
  let branches: ForgedBranch;
  let classify: AnswerJudge;
  let requests: readonly AskedQuestion[];
  const total: Figures = { answers: 0, refused: 0, forged: 0, labelled: 0, pushed: 0 };

  before(async () => {
    branches = await ForgedBranch.open();
    classify = new AnswerJudge(branches);
    requests = listQuestions(branches.facts.forged);
  });
  after(async () => {
    await branches.close();
    const { answers, refused, forged, labelled, pushed } = total;
    console.log(
      `replaced nodes: ${answers} answers and ${pushed} notifications, ${refused} refused; forged where agreement is demanded: ${forged}; forged above single elsewhere: ${labelled}`,
    );
  });

  /** Sends all requests, alternating between the transports, and classifies the answers. */
  const attack = async (network: AttackedNetwork, row: Row, phase: string): Promise<Figures> => {
    const figures: Figures = { answers: 0, refused: 0, forged: 0, labelled: 0, pushed: 0 };
    const wrong: string[] = [];
    const sendToOne = async (request: AskedQuestion, transport: Transport): Promise<void> => {
      const reply = await network.ask(request, transport);
      figures.answers++;
      if (reply.error !== undefined) figures.refused++;
      else await note(request, reply, transport);
    };
    const note = async (
      request: AskedQuestion,
      { result, trust }: Reply,
      transport: Transport,
    ): Promise<void> => {
      const verdict = await classify.classify(request, result);
      const text = `${phase}, ${transport}: ${request.method} ${JSON.stringify(request.params)} is ${verdict}, ${trust}: ${JSON.stringify(result).slice(0, 200)}`;
      if (verdict === 'unknown') wrong.push(text);
      if (verdict !== 'forged' || request.isNamed === true) return;
      if (row.isDemanded) figures.forged++;
      else if (trust !== 'single') figures.labelled++;
      if (row.isDemanded || trust !== 'single') wrong.push(text);
    };
    const all = TRANSPORTS.flatMap((transport) => requests.map((request) => ({ request, transport })));
    for (let i = 0; i < all.length; i += WIDTH)
      await Promise.all(
        all.slice(i, i + WIDTH).map(({ request, transport }) => sendToOne(request, transport)),
      );
    for (const name of ['answers', 'refused', 'forged', 'labelled'] as const) total[name] += figures[name];
    assert.deepEqual(wrong, []);
    return figures;
  };

  /** Asserts that notifications and filter changes belong to the honest chain, where agreement is required. */
  const judgePushed = (network: AttackedNetwork, row: Row): void => {
    total.pushed += network.pushed.length;
    if (!row.isDemanded) return;
    const { forged } = branches.facts;
    const named = new Set([...forged.blocks.slice(SHARED + 1), FORGED_PENDING]);
    const text = JSON.stringify(network.pushed);
    const found = [...named].filter((hash) => text.includes(hash));
    total.forged += found.length;
    assert.deepEqual(found, []);
  };

  /** Waits until the newest block that the service reports is at least this one. */
  const followTo = async (network: AttackedNetwork, number: number): Promise<void> => {
    const limit = performance.now() + PATIENCE_MS;
    for (;;) {
      const { result, error } = await network.ask(NEWEST, 'HTTP');
      if (Number(result) >= number) return;
      if (performance.now() > limit) assert.fail(`not at block ${number}: ${result} ${error?.message}`);
      await sleep(20);
    }
  };

  for (const count of [3, 5]) {
    for (const row of ROWS) {
      const attackOneAfterTheOther = async (): Promise<void> => {
        const network = await AttackedNetwork.open(branches, count, row.options, async () => {});
        try {
          await followTo(network, 15);
          for (const kind of ['newHeads', 'logs', 'newPendingTransactions'])
            await network.ask(
              { method: 'eth_subscribe', params: kind === 'logs' ? [kind, {}] : [kind] },
              'WebSocket',
            );
          const filters: unknown[] = [];
          for (const method of ['eth_newBlockFilter', 'eth_newFilter', 'eth_newPendingTransactionFilter'])
            filters.push(
              (await network.ask({ method, params: method === 'eth_newFilter' ? [{}] : [] }, 'HTTP')).result,
            );
          const healthy = await attack(network, row, 'healthy');
          assert.ok(healthy.refused < healthy.answers / 2, 'most is answered while nothing is wrong');
          for (let i = 0; i < count; i++) network.set(i, 'honest', i < LIARS ? 15 : 17);
          for (let i = 0; i < LIARS; i++) network.set(i, 'forged');
          await attack(network, row, 'replaced');
          let node = LIARS;
          for (const silence of ORDER) {
            await network.nodes[node]?.setFault(SILENCES[silence]);
            await sleep(300);
            await attack(network, row, `an honest node is ${silence}`);
            if (count > 3) node++;
          }
          // Longer than pool.headAge.
          await sleep(1_200);
          await attack(network, row, 'only liars answer');
          for (const filter of filters)
            network.pushed.push(
              (await network.ask({ method: 'eth_getFilterChanges', params: [filter] }, 'HTTP')).result,
            );
          judgePushed(network, row);
          if (!IS_WHOLE) return;
          for (const each of network.nodes) await each.setFault();
          for (let i = 0; i < count; i++) network.set(i, 'honest');
          await followTo(network, row.isDemanded ? TOPS.honest : 0);
        } finally {
          await network.close();
        }
      };
      if (IS_WHOLE || SHORT.has(`${count} ${row.name}`))
        test(`${count} nodes, ${row.name}`, attackOneAfterTheOther);

      test(`${count} nodes, ${row.name}: a start at which only lying nodes answer`, async () => {
        const network = await AttackedNetwork.open(branches, count, row.options, async (nodes, state) => {
          for (let i = 0; i < LIARS; i++)
            Object.assign(state[i] ?? {}, { branch: 'forged', top: TOPS.forged });
          await Promise.all(nodes.slice(LIARS).map((node) => node.setFault(SILENCES.dead)));
        });
        try {
          await attack(network, row, 'cold start');
          judgePushed(network, row);
        } finally {
          await network.close();
        }
      });
    }
  }

  test('without agreement the forged chain is served', async () => {
    const network = await AttackedNetwork.open(branches, 3, { verify: 'require' }, async (nodes, state) => {
      for (let i = 0; i < LIARS; i++) Object.assign(state[i] ?? {}, { branch: 'forged', top: TOPS.forged });
      await nodes[LIARS]?.setFault(SILENCES.dead);
    });
    try {
      await followTo(network, TOPS.forged);
      const request = { method: 'eth_getBlockByNumber', params: ['latest', false] };
      const { result, trust } = await network.ask(request, 'HTTP');
      assert.equal(await classify.classify(request, result), 'forged');
      assert.equal(trust, 'proven');
    } finally {
      await network.close();
    }
  });
});
