import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { MAIN } from '../../scripts/program-files.ts';
import { LmdbSpendTable } from '../../src/shared-store/spend/lmdb-spend-table.ts';
import { AnchoredRollup, PORTAL } from '../support/anchored-rollup.ts';
import { ANVIL_SKIP, startAnvil } from '../support/anvil.ts';
import { FaultUpstream } from '../support/fault-upstream.ts';
import { FULL_HEIGHT, startNode } from '../support/served-node.ts';

type Outcome = { readonly code: number | null; readonly out: string; readonly err: string };

/** Runs doctor asynchronously, because the scripted nodes live in this process. */
async function run(args: readonly string[], environment: Record<string, string> = {}): Promise<Outcome> {
  const child = spawn(process.execPath, [MAIN, 'doctor', ...args], {
    env: { PATH: process.env['PATH'], ...environment },
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, err };
}

function writeConfig(t: TestContext, networks: Record<string, object>): string {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'p.yaml');
  const rows = Object.entries(networks).map(([name, network]) => [name, { hosts: [name], ...network }]);
  writeFileSync(file, JSON.stringify({ networks: Object.fromEntries(rows) }));
  return file;
}

/** Returns a reference to an environment variable in a configuration. */
function refer(name: string): string {
  return `\${${name}}`;
}

/** Reads the table row of a node, by column. */
function readRow(out: string, name: string): Record<string, string> {
  const lines = out.split('\n');
  const titles = lines.find((line) => line.startsWith('UPSTREAM')) ?? '';
  const row = lines.find((line) => line.startsWith(`${name} `)) ?? '';
  const starts = [...titles.matchAll(/\S+/g)];
  return Object.fromEntries(
    starts.map(({ 0: title, index }, i) => [title, row.slice(index, starts[i + 1]?.index).trim()]),
  );
}

test('doctor reports the state of each node of a mixed network', async (t) => {
  const hanging = await startNode(t, { respond: () => true });
  const config = writeConfig(t, {
    mixed: {
      pool: { answerTimeout: '3s' },
      upstreams: [
        { name: 'good', url: (await startNode(t)).url },
        { name: 'same', url: (await startNode(t)).url },
        { name: 'slow', url: (await startNode(t, { height: FULL_HEIGHT - 17 })).url },
        {
          name: 'poor',
          url: (await startNode(t, { answers: { eth_getBlockReceipts: undefined }, batchItems: 10 })).url,
        },
        { name: 'other', url: (await startNode(t, { chainId: 5 })).url },
        { name: 'hangs', url: hanging.url },
        { name: 'gone', url: 'http://127.0.0.1:1' },
      ],
    },
  });
  const { code, out, err } = await run(['--config', config]);
  assert.equal(err, '');
  assert.equal(code, 0);
  assert.match(out, /^mixed: chain 1, 4 of 7 nodes are available\n/);
  const { MS, AGE, ...good } = readRow(out, 'good');
  assert.deepEqual(good, {
    UPSTREAM: 'good',
    STATE: 'ok',
    CLIENT: 'Geth/v1.16.7-stable-b9f3',
    CHAIN: '1',
    HEAD: `${FULL_HEIGHT}`,
    LAG: '0',
    SAFE: 'yes',
    FINALIZED: 'yes',
    PENDING: 'yes',
    METHODS: '5 of 5',
    READS: '14 of 14',
    RECEIPTS: 'yes',
    HASHES: 'yes',
    OVERRIDES: 'yes',
    REVERTS: 'yes',
    BATCH: '1000',
    HEADS: 'polled',
  });
  assert.match(MS ?? '', /^\d+\.\d$/);
  assert.match(AGE ?? '', /^\d+[smh]$/);
  assert.equal(readRow(out, 'slow')['LAG'], '17');
  const poor = readRow(out, 'poor');
  assert.deepEqual([poor['METHODS'], poor['RECEIPTS'], poor['BATCH']], ['4 of 5', 'no', '10']);
  assert.equal(readRow(out, 'other')['STATE'], 'other chain');
  assert.equal(readRow(out, 'hangs')['STATE'], 'no answer');
  assert.match(out, /^ {2}error {4}other: chain id 5, the others report 1; it is quarantined/m);
  assert.match(out, /^ {2}error {4}hangs: no answer within 3 s; /m);
  assert.match(out, /^ {2}error {4}gone: /m);
  assert.match(out, /^ {2}error {4}poor: no eth_getBlockReceipts .*; it answers batches of 10 at most/m);
  assert.match(out, /^ {2}warning {2}slow: 17 blocks behind (good|same|poor); /m);
});

test('secrets in URLs and headers are in no output', async (t) => {
  const environment = { NODE_KEY: 'k3y-in-the-path', NODE_TOKEN: 't0ken-in-a-header' };
  const secrets = /k3y-in|t0ken-in|dDBrZW4/;
  const refusing = await startNode(t, {
    respond: (request, response) => {
      response.writeHead(401).end(`no ${request.url} ${request.headers.authorization}`);
      return true;
    },
  });
  const telling = await startNode(t, { answers: { web3_clientVersion: () => environment.NODE_KEY } });
  const config = writeConfig(t, {
    secret: {
      upstreams: [
        { name: 'refuses', url: `${refusing.url}/v3/${refer('NODE_KEY')}`, bearer: refer('NODE_TOKEN') },
        {
          name: 'tells',
          url: `${telling.url}/v3/${refer('NODE_KEY')}`,
          headers: { 'x-key': refer('NODE_TOKEN') },
        },
        {
          url: `http://127.0.0.1:1/v3/${refer('NODE_KEY')}`,
          basic: { user: 'u', password: refer('NODE_TOKEN') },
        },
      ],
    },
  });
  for (const options of [[], ['--json']]) {
    const { code, out, err } = await run(['--config', config, ...options], environment);
    // Only one of three nodes reports a chain id.
    assert.equal(code, 1);
    assert.match(out, /refuses/);
    assert.match(out, /127\.0\.0\.1:1#3/);
    assert.doesNotMatch(out + err, secrets);
  }
});

test('doctor fails if a network has no usable node, and names networks without nodes', async (t) => {
  const { url } = await startNode(t);
  const config = writeConfig(t, {
    dead: { upstreams: ['http://127.0.0.1:1'] },
    half: {
      upstreams: [
        { url, operator: 'a' },
        { url: 'http://127.0.0.1:1', operator: 'b' },
      ],
    },
    alive: { upstreams: [url] },
    dev: { builtin: 'devnet' },
    own: { embedded: { data: 'nowhere' } },
  });
  const all = await run(['--config', config]);
  assert.equal(all.code, 1);
  assert.match(all.out, /^dead: 0 of 1 node is available: the network cannot be served\n/);
  const verdict = 'the network cannot be served: too few operators report a chain id: 1 of 2';
  assert.match(all.out, new RegExp(`^half: chain 1, 1 of 2 nodes are available: ${verdict}$`, 'm'));
  assert.equal((await run(['--config', config, '--network', 'half'])).code, 1);
  assert.match(all.out, /^alive: chain 1, 1 of 1 node is available\n/m);
  assert.match(all.out, /^dev: builtin, there are no nodes to examine\n/m);
  assert.match(all.out, /^own: embedded, there are no nodes to examine\n/m);
  const one = await run(['--config', config, '--network', 'alive']);
  assert.equal(one.code, 0);
  assert.doesNotMatch(one.out, /dead|dev/);
});

test('--json prints one object with the whole report', async (t) => {
  const { url } = await startNode(t, { answers: { eth_getBlockReceipts: undefined } });
  const config = writeConfig(t, {
    nodes: { upstreams: [{ name: 'one', url }] },
    dev: { builtin: 'devnet' },
  });
  const { code, out } = await run(['--config', config, '--json']);
  assert.equal(code, 0);
  const { networks } = JSON.parse(out);
  assert.deepEqual(networks[1], { name: 'dev', source: 'builtin' });
  const [{ upstreams, findings, ...network }] = networks;
  assert.equal(network.chainId, '1');
  assert.equal(network.isServable, true);
  assert.equal(upstreams[0].name, 'one');
  assert.equal(upstreams[0].standing, 'usable');
  assert.equal(upstreams[0].latest.number, `${FULL_HEIGHT}`);
  assert.equal(upstreams[0].features.eth_getBlockReceipts.state, 'no');
  assert.ok(findings.some(({ upstream }: { upstream?: string }) => upstream === 'one'));
});

test('anvil has no errors or warnings', { skip: ANVIL_SKIP }, async (t) => {
  const anvil = await startAnvil();
  t.after(() => anvil.kill());
  await anvil.request('evm_mine');
  const config = writeConfig(t, {
    dev: { upstreams: [{ name: 'anvil', url: anvil.webSocketUrl }], verify: 'auto' },
  });
  const { code, out } = await run(['--config', config]);
  assert.equal(code, 0);
  const row = readRow(out, 'anvil');
  assert.deepEqual([row['STATE'], row['METHODS'], row['HEADS']], ['ok', '5 of 5', 'announced']);
  assert.doesNotMatch(out, /^ {2}(error|warning)/m);
  assert.match(out, /^ {2}verified against the block hash:\n {4}header, .*state/m);
  assert.match(out, /^ {2}not tried yet, because no recent block has them:\n {4}transactions, receipts, /m);
  assert.match(
    out,
    /^ {2}note +anvil: the node is a development node \(anvil.*\); set pool\.development: true/m,
  );
});

test('unverifiable parts of a network are reported with the reason', { skip: ANVIL_SKIP }, async (t) => {
  const anvil = await startAnvil();
  t.after(() => anvil.kill());
  const node = await FaultUpstream.start(anvil.httpUrl);
  t.after(() => node.close());
  await node.setFault({
    concerns: ({ method }) => method === 'eth_getBlockByNumber',
    answer: async (call, ask) => {
      const answer = await ask(call);
      if (!('result' in answer) || answer.result === null) return answer;
      return { result: { ...(answer.result as object), mixHash: `0x${'11'.repeat(32)}` } };
    },
  });
  const config = writeConfig(t, { dev: { upstreams: [{ name: 'odd', url: node.httpUrl }], verify: 'auto' } });
  const { out } = await run(['--config', config]);
  assert.match(out, /^ {2}compared between nodes: the header does not hash to the block hash:\n {4}header$/m);
  const json = JSON.parse((await run(['--config', config, '--json'])).out);
  assert.deepEqual(json.networks[0].verification[0], {
    subject: 'header',
    state: 'unverifiable',
    reason: 'the header does not hash to the block hash',
  });
});

test('doctor tests whether calls can be executed here', { skip: ANVIL_SKIP }, async (t) => {
  const anvil = await startAnvil();
  t.after(() => anvil.kill());
  // The header of anvil's genesis block does not commit to its state, so another block is mined.
  await anvil.request('anvil_mine', '0x1');
  const node = await FaultUpstream.start(anvil.httpUrl);
  t.after(() => node.close());
  const config = writeConfig(t, {
    dev: { upstreams: [{ name: 'anvil', url: node.httpUrl }], execution: 'auto' },
  });
  const { out } = await run(['--config', config]);
  assert.match(
    out,
    /^ {2}calls can be executed here: nodes proved the state of one at the head in \d round trips?$/m,
  );
  await node.setFault({
    concerns: ({ method }) => method === 'eth_getProof',
    answer: async () => ({ error: { code: -32_601, message: 'the method eth_getProof does not exist' } }),
  });
  const json = JSON.parse((await run(['--config', config, '--json'])).out);
  assert.equal(json.networks[0].execution.isHere, false);
  assert.equal(json.networks[0].execution.reason, 'nodes do not prove the state of the head (eth_getProof)');
  const required = writeConfig(t, {
    dev: { upstreams: [{ name: 'anvil', url: node.httpUrl }], verify: 'require', pool: { chainId: 31_337 } },
  });
  assert.match(
    (await run(['--config', required])).out,
    /^ {2}calls are refused: the answer is not verified/m,
  );
});

test('state from nodes without proofs is reported as accepted from one node', {
  skip: ANVIL_SKIP,
}, async (t) => {
  const anvil = await startAnvil();
  t.after(() => anvil.kill());
  await anvil.request('evm_mine');
  const node = await FaultUpstream.start(anvil.httpUrl);
  t.after(() => node.close());
  await node.setFault({
    concerns: ({ method }) => method === 'eth_getProof',
    answer: async () => ({ error: { code: -32601, message: 'Method not found' } }),
  });
  const config = writeConfig(t, { dev: { upstreams: [{ name: 'odd', url: node.httpUrl }], verify: 'auto' } });
  const { out } = await run(['--config', config]);
  assert.match(out, /^ {2}verified against the block hash:\n {4}header/m);
  assert.match(out, /^ {2}accepted from one node: no node proves the state: .+:\n {4}state$/m);
});

test('unusable arguments exit with 2', async (t) => {
  const config = writeConfig(t, { dev: { builtin: 'devnet' } });
  for (const args of [
    [],
    ['--nonsense'],
    ['--config', config, 'more'],
    ['--config', config, '--network', 'x'],
  ]) {
    const { code, out, err } = await run(args);
    assert.equal(code, 2, args.join(' '));
    assert.equal(out, '');
    assert.match(err, /^portcullis: /);
  }
  assert.match((await run(['--help'])).out, /^portcullis doctor --config FILE/);
  assert.equal((await run(['--config', 'none.yaml'])).code, 1);
});

test('for a rollup doctor reports the family, the name of the estimate method, and fields without a source', async (t) => {
  const { url } = await startNode(t, { answers: { taiko_estimateGas: () => null } });
  const config = writeConfig(t, {
    taiko: { upstreams: [url], rollup: { family: 'taiko' } },
    dev: { builtin: 'devnet' },
    base: { upstreams: [url], rollup: { family: 'op-stack', prefix: 'base', l1: 'dev' } },
    linea: {
      builtin: 'rollup',
      rollup: { family: 'linea', l1: 'dev', messageService: `0x${'11'.repeat(20)}` },
    },
    any: { upstreams: [url], rollup: {} },
  });
  const { out } = await run(['--config', config]);
  const gaps = 'always 0 in rollup_getInfo:';
  assert.match(
    out,
    new RegExp(
      `^ {2}a rollup of the family taiko, estimates as taiko_estimateGas; ${gaps} ethContext.timestamp, rollupContext.queueIndex$`,
      'm',
    ),
  );
  assert.match(
    out,
    new RegExp(`family op-stack, estimates as base_estimateGas; ${gaps} rollupContext.queueIndex$`, 'm'),
  );
  assert.match(out, /family linea, estimates as linea_estimateGas$/m);
  assert.match(
    out,
    /^ {2}a rollup; its family is recognised from the answers of its nodes, unless rollup.family is set$/m,
  );
  // The node has no contracts, and chain id 1.
  assert.match(
    out,
    /^ {2}warning: the configured rollup family is taiko, but the nodes look like ethereum$/m,
  );
  assert.match(out, /^ {4}no {3}taiko: there is an anchor contract at 0x<chain id>0\.\.010001$/m);
  assert.match(out, /^ {2}the nodes show the rollup family ethereum\n {4}yes {2}ethereum: the chain id/m);
  const { networks } = JSON.parse((await run(['--config', config, '--json'])).out) as {
    networks: { name: string; rollup?: object; recognition?: { recognised: string } }[];
  };
  assert.equal(networks.find(({ name }) => name === 'any')?.recognition?.recognised, 'ethereum');
  assert.deepEqual(networks.find(({ name }) => name === 'base')?.rollup, {
    family: 'op-stack',
    prefix: 'base',
    unknown: ['rollupContext.queueIndex'],
  });
  assert.equal(networks.find(({ name }) => name === 'dev')?.rollup, undefined);
});

test('doctor examines the layer 1 of a rollup, and fails if it does not answer', async (t) => {
  const node = await startNode(t);
  const upstreams = [node.url];
  const config = writeConfig(t, {
    one: { upstreams, verify: 'off' },
    gone: {
      upstreams,
      verify: 'off',
      rollup: { family: 'linea', l1: 'http://127.0.0.1:1/secret-key' },
    },
    self: { upstreams, verify: 'off', rollup: { family: 'scroll', l1: node.url } },
    any: { upstreams, verify: 'off', rollup: { l1: 'one', messageService: `0x${'11'.repeat(20)}` } },
  });
  const { out, code } = await run(['--config', config]);
  assert.equal(code, 1);
  assert.match(
    out,
    /^ {2}error: layer 1 \(127\.0\.0\.1:1#1\) does not answer: .+; rollup_getInfo reads ethContext\.blockNumber and ethContext\.timestamp from it, so calls/m,
  );
  assert.doesNotMatch(out, /secret-key/);
  assert.match(
    out,
    /^ {2}error: layer 1 \(.+\) has the chain id 1 of the rollup itself: correct rollup\.l1$/m,
  );
  // The recognised family is `ethereum`.
  assert.match(out, /^ {2}always 0 in rollup_getInfo: rollupContext\.queueIndex$/m);
  assert.match(out, /^ {2}warning: its family does not use messageService: remove it$/m);
  assert.match(out, /layer 1 \(the network one of this file\)/);
});

test('doctor reports whether a rollup is anchored in its layer 1', { skip: ANVIL_SKIP }, async (t) => {
  const chains = await AnchoredRollup.start(60n);
  t.after(() => chains.kill());
  const other = await FaultUpstream.start(chains.l1.httpUrl);
  t.after(() => other.close());
  const networks = {
    one: { verify: 'auto', upstreams: [chains.l1.httpUrl, other.httpUrl] },
    two: {
      verify: 'auto',
      upstreams: [chains.rollup.httpUrl],
      rollup: { family: 'op-stack', l1: 'one', anchor: { portal: PORTAL } },
    },
  };
  const config = writeConfig(t, networks);
  const before = await run(['--config', config, '--network', 'two']);
  assert.match(before.out, /\n {2}not anchored in one: the portal 0x(a1){20} names no AnchorStateRegistry/);
  await chains.resolveGame(40n, await chains.findOutputRoot(40n));
  const after = await run(['--config', config, '--network', 'two']);
  assert.match(after.out, /\n {2}anchored in one: layer 1 commits to block 40, 20 below the head\n/);
});

test('doctor reports budgets that are used up or nearly used up, and no other budget', async (t) => {
  const node = await startNode(t);
  const credits = { default: 20 };
  const config = writeConfig(t, {
    priced: {
      upstreams: [
        { url: node.url, name: 'spent', credits, budget: { credits: 100 } },
        { url: node.url, name: 'nearly', credits, budget: { credits: 100 } },
        { url: node.url, name: 'fresh', credits, budget: { credits: 100 } },
      ],
      verify: 'off',
      pool: { chainId: 1 },
    },
  });
  const dataDir = mkdtempSync(join(tmpdir(), 'portcullis-'));
  t.after(() => rmSync(dataDir, { recursive: true }));
  const table = new LmdbSpendTable(dataDir, assert.ifError);
  const day = Math.floor(Date.now() / 86_400_000);
  for (const [name, spent] of [
    ['spent', 120],
    ['nearly', 95],
    ['fresh', 80],
  ] as const)
    table.report({ account: `node/priced/${name}`, day, credits: spent, since: day, entry: 1 });
  await table.close();
  const { out } = await run(['--config', config], { PORTCULLIS_DATA_DIR: dataDir });
  assert.match(
    out,
    /warning {2}spent: its budget of 100 credits is used up until \d{4}-\d\d-01 00:00 UTC; until then, the node gets no requests of clients/,
  );
  assert.match(out, /note {5}nearly: 5 of 100 credits are left of its budget until/);
  assert.doesNotMatch(out, /fresh: \d+ of 100 credits/);
});
