/** Credits of hosted nodes, counted by several processes and by the nodes themselves. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { MAIN } from '../../scripts/program-files.ts';
import type { NodeSpend } from '../../src/service/list-spend.ts';
import { postText } from '../support/ask-program.ts';
import { Program } from '../support/program.ts';
import { type ScriptedNode, startNode } from '../support/served-node.ts';
import { waitUntil } from '../support/wait-until.ts';

const PRICES = { default: 3, eth_call: 26, eth_getBalance: 11 };
const HOST = 'nodes.localhost';

/** Credits that the provider of a node bills. */
function bill({ calls }: ScriptedNode): number {
  return calls.reduce(
    (total, method) => total + ((PRICES as Readonly<Record<string, number>>)[method] ?? PRICES.default),
    0,
  );
}

/** Waits until the nodes get no requests for a second. Their heads are polled once a minute. */
async function waitForQuiet(nodes: readonly ScriptedNode[]): Promise<void> {
  const countAll = (): number => nodes.reduce((total, { calls }) => total + calls.length, 0);
  await waitUntil(async () => {
    const before = countAll();
    await sleep(1_000);
    return countAll() === before;
  });
}

async function runSpend(program: Program, format: string): Promise<string> {
  const args = [MAIN, 'spend', '--config', program.configFile, '--format', format];
  return (await promisify(execFile)(process.execPath, args)).stdout;
}

async function listSpent(program: Program): Promise<readonly NodeSpend[]> {
  return (JSON.parse(await runSpend(program, 'json')) as { readonly nodes: readonly NodeSpend[] }).nodes;
}

async function start(t: TestContext, upstreams: readonly object[]): Promise<Program> {
  const program = new Program({
    workers: 2,
    networks: {
      nodes: {
        hosts: [HOST, '127.0.0.1'],
        upstreams,
        verify: 'off',
        // On a busy machine, a call may take longer than the default.
        callTimeout: '60s',
        pool: { chainId: 1, pollInterval: '60s' },
      },
    },
  });
  t.after(() => program.dispose());
  await program.start();
  return program;
}

/** Sends calls and batches over connections of their own, which the kernel spreads over the processes. */
async function sendLoad(program: Program, key: string, round: number): Promise<void> {
  const call = (id: number): object => ({
    jsonrpc: '2.0',
    id,
    method: 'eth_call',
    params: [{ to: `0x${String(round).padStart(20, '0')}${String(id).padStart(20, '0')}` }, 'latest'],
  });
  const balance = (id: number): object => ({
    jsonrpc: '2.0',
    id,
    method: 'eth_getBalance',
    params: [`0x${String(round).padStart(20, '0')}${String(id).padStart(20, '0')}`, 'latest'],
  });
  for (let from = 0; from < 20; from++) {
    const bodies = [call(from), [call(100 + from), balance(200 + from), balance(300 + from)]];
    const replies = await Promise.all(
      bodies.map((body) => postText(program.port, JSON.stringify(body), { host: HOST, key })),
    );
    for (const { status, body } of replies) {
      assert.equal(status, 200);
      assert.doesNotMatch(JSON.stringify(body), /"error"/);
    }
  }
}

test('two processes count exactly what the nodes count, over a restart', async (t) => {
  const [first, second] = [await startNode(t), await startNode(t)];
  const nodes = [first, second];
  const program = await start(t, [
    { name: 'cheap', url: first.url, credits: PRICES, budget: { credits: 1_000_000 } },
    { name: 'dear', url: second.url, credits: PRICES, tier: 2 },
  ]);
  const { key } = await program.createKey();
  await sendLoad(program, key, 1);
  await waitForQuiet(nodes);
  await waitUntil(async () => {
    const { networks } = await program.readStatus();
    return networks[0]?.upstreams[0]?.spend?.credits === bill(first);
  });
  await waitUntil(async () =>
    (await program.readMetrics()).includes(
      `portcullis_upstream_credits_total{network="nodes",upstream="cheap"} ${bill(first)}\n`,
    ),
  );
  assert.equal(await program.stop(), 0);
  assert.deepEqual(
    (await listSpent(program)).map(({ upstream, credits, remaining }) => [upstream, credits, remaining]),
    [
      ['cheap', bill(first), 1_000_000 - bill(first)],
      ['dear', bill(second), undefined],
    ],
  );

  await program.start();
  await sendLoad(program, key, 2);
  await waitForQuiet(nodes);
  assert.equal(await program.stop(), 0);
  assert.ok(first.calls.filter((method) => method === 'eth_call').length >= 80);
  const spent = await listSpent(program);
  assert.deepEqual(
    spent.map(({ credits }) => credits),
    nodes.map(bill),
  );
  const csv = await runSpend(program, 'csv');
  assert.match(csv, /^day,network,upstream,credits\n\d{4}-\d\d-\d\d,nodes,cheap,\d+\n/);
  const total = csv.split('\n').reduce((sum, line) => sum + Number(/,cheap,(\d+)$/.exec(line)?.[1] ?? 0), 0);
  assert.equal(total, bill(first));
  assert.match(await runSpend(program, 'table'), /NETWORK +UPSTREAM +FROM.*\nnodes +cheap .* 1000000 /);
});

test('a node whose budget is used up gets no calls of clients, and the status names the reason', async (t) => {
  const [own, hosted] = [await startNode(t), await startNode(t)];
  const budget = { credits: 1, per: 'day' };
  const program = await start(t, [
    { name: 'hosted', url: hosted.url, credits: PRICES, budget },
    { name: 'own', url: own.url, credits: { default: 1_000 } },
  ]);
  const { key } = await program.createKey();
  await waitUntil(async () => {
    const { networks } = await program.readStatus();
    return networks[0]?.upstreams[0]?.spend?.isUsedUp === true;
  });
  await sendLoad(program, key, 1);
  assert.equal(hosted.calls.includes('eth_call'), false);
  const { networks } = await program.readStatus();
  const [node] = networks[0]?.upstreams ?? [];
  assert.equal(node?.state, 'up');
  assert.match(
    String(node?.reason),
    /^it has used up its budget of 1 credit until \d{4}-\d\d-\d\d 00:00 UTC: it is used only if no other node answers$/,
  );
  assert.match(
    await program.readMetrics(),
    /portcullis_upstream_budget_remaining\{network="nodes",upstream="hosted"\} 0\n/,
  );
});
