/** Nodes that an operator cordons, drains and uncordons while the whole program is under load. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEVNET, postTo } from '../support/ask-program.ts';
import { HELD_CALL, startHeldNode } from '../support/held-node.ts';
import { Program, type ProgramConfig } from '../support/program.ts';
import { makeBlock, RpcError, type ScriptedNode, startNode } from '../support/served-node.ts';
import { waitUntil } from '../support/wait-until.ts';

const TOKEN = 'token-of-a-writer-0123';
const ADMIN = { port: 0, api: { operator: { role: 'write', token: TOKEN } } };
const HOST = 'nodes.localhost';
const CALLERS = 6;
const BLOCK_MS = 250;
const FIRST_HEAD = 30;

type NodeView = {
  readonly network: string;
  readonly node: string;
  readonly state: string;
  readonly reason?: string;
  readonly isCordoned: boolean;
  readonly inFlight: number;
};

type Reply = { readonly status: number; readonly value: unknown };

async function send(program: Program, path: string, json: unknown): Promise<Reply> {
  const response = await fetch(`${program.adminUrl}/admin/v1/nodes${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(json),
  });
  return { status: response.status, value: await response.json() };
}

async function call<T = NodeView>(program: Program, path: string, json: object): Promise<T> {
  const { status, value } = await send(program, path, { network: 'nodes', ...json });
  assert.equal(status, 200, JSON.stringify(value));
  return value as T;
}

async function findNode(program: Program, name: string): Promise<NodeView> {
  const headers = { Authorization: `Bearer ${TOKEN}` };
  const response = await fetch(`${program.adminUrl}/admin/v1/nodes`, { headers });
  const { nodes } = (await response.json()) as { readonly nodes: readonly NodeView[] };
  return nodes.find(({ node }) => node === name) ?? assert.fail(`no node ${name}`);
}

/** Whether two nodes count for the head and get calls. */
async function areUp(program: Program): Promise<boolean> {
  const states = await Promise.all(['a', 'b'].map((name) => findNode(program, name)));
  return states.every(({ state, reason }) => state === 'up' || /^it is at block/.test(reason ?? ''));
}

/**
 * Starts a node whose head grows by the clock, and which has no state of later blocks.
 * @param delayMs delay of its blocks behind those of the fastest node
 */
function startGrowingNode(t: TestContext, startedAt: number, delayMs: number): Promise<ScriptedNode> {
  const readHead = (): number =>
    FIRST_HEAD + Math.max(0, Math.floor((performance.now() - startedAt - delayMs) / BLOCK_MS));
  const latest = (): unknown => makeBlock(readHead());
  return startNode(t, {
    chainId: 99,
    height: 100_000,
    tags: { latest, safe: () => makeBlock(1), finalized: () => makeBlock(1) },
    answers: {
      eth_call: ([, reference]) => {
        const text = typeof reference === 'string' ? reference : String(Object(reference).blockHash);
        const number = text === 'latest' ? 0 : Number(text.length === 66 ? `0x${text.slice(-6)}` : text);
        if (number > readHead()) throw new RpcError(-32000, 'header not found');
        return '0x';
      },
    },
  });
}

function configure(a: ScriptedNode, b: ScriptedNode, pool: object = {}): ProgramConfig {
  const upstreams = [
    { name: 'a', url: a.url },
    { name: 'b', url: b.url },
  ];
  // Without retries, a call that finds no node fails.
  const options = {
    chainId: 99,
    retries: 0,
    pollInterval: '10ms',
    blockTime: '250ms',
    hedgePercent: 0,
    ...pool,
  };
  return {
    admin: ADMIN,
    // The limit is long, so that no call times out on a busy machine.
    limits: { requestTimeout: '1m' },
    networks: {
      ...DEVNET,
      nodes: { hosts: [HOST], verify: 'off', callTimeout: '1m', upstreams, pool: options },
    },
    workers: 2,
  };
}

async function start(t: TestContext, config: ProgramConfig): Promise<Program> {
  const program = new Program(config);
  t.after(() => program.dispose());
  await program.start();
  return program;
}

let calls = 0;

/** Sends a call at the number of the head, as many clients do. @returns the error; undefined for a result */
async function sendNumberedCall(program: Program, key: string): Promise<string | undefined> {
  const { body } = await postTo(program.port, { method: 'eth_blockNumber', host: HOST, key });
  return sendCall(program, key, String(Object(body).result));
}

/** Sends a call whose answer no cache has. @returns the error; undefined for a result */
async function sendCall(program: Program, key: string, block = 'latest'): Promise<string | undefined> {
  const data = `0x${(++calls).toString(16).padStart(64, '0')}`;
  const { status, body } = await postTo(program.port, {
    method: 'eth_call',
    params: [{ to: `0x${'11'.repeat(20)}`, data }, block],
    host: HOST,
    key,
  });
  return status === 200 && Object(body).result === '0x' ? undefined : `${status}: ${JSON.stringify(body)}`;
}

const countCalls = (node: ScriptedNode): number =>
  node.calls.filter((method) => method === 'eth_call').length;

/** Waits for many calls of the program, and checks that a node got none of them. */
async function checkUnused(program: Program, key: string, node: ScriptedNode): Promise<void> {
  const before = countCalls(node);
  for (let i = 0; i < 60; i++) assert.equal(await sendCall(program, key), undefined);
  assert.equal(countCalls(node), before);
}

/** Cordons one node after the other under load, and checks each call. */
async function cordonUnderLoad(t: TestContext, workers: number): Promise<void> {
  const startedAt = performance.now();
  // One node has each head first, so the other node does not have the head when the first node is cordoned.
  const nodes = { a: await startGrowingNode(t, startedAt, 0), b: await startGrowingNode(t, startedAt, 200) };
  const program = await start(t, { ...configure(nodes.a, nodes.b, { headShare: 0.1 }), workers });
  const { key } = await program.createKey();
  await waitUntil(() => areUp(program));
  const errors: string[] = [];
  let answered = 0;
  let isOver = false;
  const callers = Array.from({ length: CALLERS }, async (_, i) => {
    while (!isOver) {
      const error = await (i % 2 === 0 ? sendCall : sendNumberedCall)(program, key);
      if (error !== undefined) errors.push(error);
      answered++;
    }
  });
  for (const name of ['a', 'b', 'a', 'b', 'a'] as const) {
    const view = await call(program, '/cordon', { node: name });
    assert.equal(view.isCordoned, true);
    assert.equal(view.state, 'excluded');
    assert.equal(view.reason, 'it is cordoned by an operator');
    const before = countCalls(nodes[name]);
    const answeredBefore = answered;
    await waitUntil(() => answered >= answeredBefore + 50);
    assert.equal(countCalls(nodes[name]), before, `${name} got calls`);
    assert.equal((await call(program, '/uncordon', { node: name })).isCordoned, false);
    await waitUntil(() => areUp(program));
    await waitUntil(() => countCalls(nodes[name]) > before);
  }
  isOver = true;
  await Promise.all(callers);
  assert.deepEqual(errors, []);
}

test('a cordon under load loses no call, and the node gets none until it is uncordoned', (t) =>
  cordonUnderLoad(t, 1));

test('a cordon under load of two workers loses no call', (t) => cordonUnderLoad(t, 2));

test('a cordon outlives a changed configuration and the end of a worker', async (t) => {
  const startedAt = performance.now();
  const [a, b] = [await startGrowingNode(t, startedAt, 0), await startGrowingNode(t, startedAt, 0)];
  const program = await start(t, configure(a, b));
  const { key } = await program.createKey();
  await waitUntil(() => areUp(program));
  await call(program, '/cordon', { node: 'a' });
  await checkUnused(program, key, a);
  // A changed option of the pool opens the network again, with new connections to its nodes.
  program.configure(configure(a, b, { maxLagBlocks: 9 }));
  const reload = await fetch(`${program.adminUrl}/admin/v1/reload`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' },
  });
  assert.equal(reload.status, 200, await reload.text());
  assert.equal((await findNode(program, 'a')).isCordoned, true);
  await checkUnused(program, key, a);
  const [first = 0] = (await program.readStatus()).processes.map(({ pid }) => pid);
  process.kill(first, 'SIGKILL');
  await waitUntil(async () => {
    const pids = (await program.readStatus()).processes.map(({ pid }) => pid);
    return pids.length === 2 && !pids.includes(first);
  });
  assert.equal((await findNode(program, 'a')).isCordoned, true);
  await waitUntil(async () => (await sendCall(program, key)) === undefined);
  await checkUnused(program, key, a);
  await call(program, '/uncordon', { node: 'a' });
  const before = countCalls(a);
  await waitUntil(async () => {
    await sendCall(program, key);
    return countCalls(a) > before;
  });
});

test('the last node that can answer is cordoned by force only', async (t) => {
  const startedAt = performance.now();
  const [a, b] = [await startGrowingNode(t, startedAt, 0), await startGrowingNode(t, startedAt, 0)];
  const program = await start(t, configure(a, b));
  const { key } = await program.createKey();
  await waitUntil(() => areUp(program));
  await call(program, '/cordon', { node: 'a' });
  await call(program, '/cordon', { node: 'a' });
  const refused = await send(program, '/cordon', { network: 'nodes', node: 'b' });
  assert.equal(refused.status, 409);
  assert.match(
    JSON.stringify(refused.value),
    /no other node of the network can answer: use \\"force\\": true/,
  );
  assert.equal((await findNode(program, 'b')).isCordoned, false);
  assert.equal(await sendCall(program, key), undefined);
  await call(program, '/cordon', { node: 'b', force: true });
  assert.match((await sendCall(program, key)) ?? '', /no node could answer/);
  assert.equal((await findNode(program, 'b')).reason, 'it is cordoned by an operator');
  await call(program, '/uncordon', { node: 'b' });
  await waitUntil(async () => (await sendCall(program, key)) === undefined);
  for (const unknown of [
    { network: 'nodes', node: 'c' },
    { network: 'devnet', node: 'a' },
    { network: 'none', node: 'a' },
  ]) {
    assert.equal((await send(program, '/cordon', unknown)).status, 404);
    assert.equal((await send(program, '/uncordon', unknown)).status, 404);
  }
});

test('a drain answers when nothing is in flight at the node', async (t) => {
  const held = await startHeldNode(t);
  const other = await startNode(t, { chainId: 99 });
  const upstreams = [
    { name: 'a', url: held.url },
    { name: 'b', url: other.url, tier: 2 },
  ];
  const program = await start(t, {
    admin: ADMIN,
    limits: { requestTimeout: '5m' },
    networks: {
      nodes: {
        hosts: [HOST],
        // A call is sent to another node only after a third of this time.
        callTimeout: '5m',
        verify: 'off',
        upstreams,
        pool: { chainId: 99, hedgePercent: 0, headAge: '1h', answerTimeout: '5m' },
      },
    },
  });
  const { key } = await program.createKey();
  await waitUntil(async () => (await findNode(program, 'b')).state !== 'down');
  const answer = postTo(program.port, { ...HELD_CALL, host: HOST, key });
  await waitUntil(() => held.reserved() === 1);
  assert.equal((await findNode(program, 'a')).inFlight, 1);
  type Drained = { readonly node: NodeView; readonly isDrained: boolean };
  const early = await call<Drained>(program, '/drain', { node: 'a', timeout: '100ms' });
  assert.equal(early.isDrained, false);
  assert.equal(early.node.inFlight, 1);
  assert.equal(early.node.isCordoned, true);
  let isDrained = false;
  const draining = call<Drained>(program, '/drain', { node: 'a' }).then((drained) => {
    isDrained = true;
    return drained;
  });
  await sleep(200);
  assert.equal(isDrained, false);
  held.release();
  const { status, body } = await answer;
  assert.equal(status, 200);
  assert.equal(Object(body).result, '0x');
  const { node } = await draining;
  assert.equal(node.inFlight, 0);
  assert.equal(node.isCordoned, true);
});
