/** Networks whose nodes do not answer, or that cannot be opened, beside others: in the whole program, and in a service in this process. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { METHODS } from '../../src/methods/table.ts';
import { AnchoredRollup, PORTAL } from '../support/anchored-rollup.ts';
import { ANVIL_SKIP } from '../support/anvil.ts';
import { CHAIN_ID, DEVNET, openSocket, postTo } from '../support/ask-program.ts';
import { ChainBuilder } from '../support/chain-builder.ts';
import { addressOf } from '../support/development.ts';
import { FaultUpstream } from '../support/fault-upstream.ts';
import type { AskNode } from '../support/faults/fault.ts';
import { Program } from '../support/program.ts';
import { type RunningService, startService } from '../support/service.ts';
import { createGenesis, openBuiltChain } from '../support/test-chain.ts';
import { waitUntil } from '../support/wait-until.ts';

const DEAD = { delivery: { kind: 'refuse' } } as const;
const SILENT = { delivery: { kind: 'hang' } } as const;
const WITH_NAME = 'set pool.chainId to skip this step';
const FAST = { pollInterval: '50ms', blockTime: '50ms' } as const;
const NO_ANSWER = 'the chain id of the network is not known yet: the only node does not answer';
/** Chain id that no chain of these tests has. */
const OTHER_ID = '0x539';

let nodes: RunningService;

before(async () => {
  nodes = await startService({
    networks: {
      devnet: { hosts: ['devnet.localhost'], builtin: 'devnet' },
      rollup: { hosts: ['rollup.localhost'], builtin: 'rollup', rollup: { family: 'linea', l1: 'devnet' } },
    },
  });
});
after(() => nodes.close());

/** Starts a proxy before a node of a built-in chain, or before a scripted node. */
async function startNode(t: TestContext, chain: 'devnet' | 'rollup' | AskNode): Promise<FaultUpstream> {
  const node = await FaultUpstream.start(
    typeof chain === 'string' ? `http://${nodes.authority}/${chain}/v3/demo` : chain,
  );
  t.after(() => node.close());
  return node;
}

async function start(t: TestContext, networks: Record<string, object>): Promise<RunningService> {
  const rows = Object.entries(networks).map(([name, row]) => [
    name,
    { hosts: [`${name}.localhost`], ...row },
  ]);
  const service = await startService({ networks: Object.fromEntries(rows) }, 'info');
  t.after(() => service.close());
  return service;
}

type Reply = {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
};

async function ask(
  port: number,
  network: string,
  method: string,
  ...params: readonly unknown[]
): Promise<Reply> {
  const { body } = await postTo(port, { method, params, host: `${network}.localhost` });
  return body as Reply;
}

async function messageOf(port: number, network: string, method: string, ...params: readonly unknown[]) {
  const { error, result } = await ask(port, network, method, ...params);
  return error?.message ?? `result ${JSON.stringify(result)}`;
}

async function readReady(port: number): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${port}/health/ready`);
  return response.json();
}

function linesOf(lines: readonly string[], network: string): Record<string, unknown>[] {
  return lines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((line) => line['network'] === network);
}

test('a network without a known chain id and with its only node down does not affect others, and is served once the node answers', async (t) => {
  const [dead, alive] = [await startNode(t, 'devnet'), await startNode(t, 'devnet')];
  await dead.setFault(DEAD);
  const { port, service, errors } = await start(t, {
    embedded: { builtin: 'devnet' },
    alive: { upstreams: [alive.httpUrl], pool: FAST },
    dead: { upstreams: [dead.httpUrl], pool: FAST },
  });
  for (const network of ['embedded', 'alive'])
    assert.equal((await ask(port, network, 'eth_chainId')).result, CHAIN_ID);
  const refused = `no node could answer: ${NO_ANSWER}`;
  for (const [method, ...params] of [
    ['eth_chainId'],
    ['net_version'],
    ['eth_blockNumber'],
    ['eth_getBlockByNumber', 'latest', false],
    ['eth_call', { to: `0x${'0'.repeat(40)}` }, 'latest'],
    ['eth_getTransactionReceipt', `0x${'1'.repeat(64)}`],
    ['eth_getLogs', {}],
    ['eth_gasPrice'],
    ['eth_sendRawTransaction', '0x02'],
    ['eth_syncing'],
  ] as const)
    assert.equal(await messageOf(port, 'dead', method, ...params), refused, method);
  assert.deepEqual(await readReady(port), { status: 'ready', down: { dead: NO_ANSWER } });
  const readNetwork = async () => {
    const { networks } = await service.readStatus();
    return networks.find(({ name }) => name === 'dead');
  };
  const down = await readNetwork();
  assert.deepEqual([down?.outage, down?.chainId], [NO_ANSWER, undefined]);
  // One log line has the reason.
  await waitUntil(() => linesOf(errors, 'dead').some(({ reason }) => reason === NO_ANSWER));
  await dead.setFault();
  await waitUntil(async () => (await readNetwork())?.outage === undefined);
  assert.equal((await ask(port, 'dead', 'eth_chainId')).result, CHAIN_ID);
  assert.equal((await ask(port, 'dead', 'net_version')).result, `${Number(CHAIN_ID)}`);
  const head = (await ask(port, 'embedded', 'eth_blockNumber')).result;
  assert.equal((await ask(port, 'dead', 'eth_blockNumber')).result, head);
  assert.equal((await readNetwork())?.chainId, `${Number(CHAIN_ID)}`);
  assert.deepEqual(await readReady(port), { status: 'ready' });
  const own = linesOf(errors, 'dead');
  assert.equal(own.filter(({ reason }) => reason === NO_ANSWER).length, 1);
  assert.equal(own.filter(({ msg }) => msg === 'network is served by its nodes').length, 1);
});

test('a node of another chain that answers first is not accepted: a majority of the configured operators decides the chain id', async (t) => {
  const honest = await Promise.all([startNode(t, 'devnet'), startNode(t, 'devnet')]);
  const liar = await startNode(t, async ({ method }) =>
    method === 'eth_chainId'
      ? { result: OTHER_ID }
      : { error: { code: -32_601, message: 'the method does not exist' } },
  );
  for (const node of honest) await node.setFault(DEAD);
  const upstreams = [liar, ...honest].map(({ httpUrl }) => httpUrl);
  const { port, service } = await start(t, { three: { upstreams, pool: FAST } });
  const outage = async () => (await service.readStatus()).networks[0]?.outage;
  const alone = `the chain id of the network is not known yet: 2 of 3 operators must report the same; 1 of 3 operators reported ${Number(OTHER_ID)}; 2 nodes do not answer; ${WITH_NAME}`;
  await waitUntil(async () => (await outage()) === alone);
  assert.equal(await messageOf(port, 'three', 'eth_chainId'), `no node could answer: ${alone}`);
  const [first, second] = honest as [FaultUpstream, FaultUpstream];
  await first.setFault();
  // Each of the two chain ids has one operator.
  await waitUntil(async () =>
    /1 of 3 operators reported \d+; 1 of 3 operators reported \d+; 1 node/.test((await outage()) ?? ''),
  );
  await second.setFault();
  await waitUntil(async () => (await outage()) === undefined);
  assert.equal((await ask(port, 'three', 'eth_chainId')).result, CHAIN_ID);
  const { networks } = await service.readStatus();
  assert.deepEqual(
    networks[0]?.upstreams.map(({ state }) => state),
    ['excluded', 'up', 'up'],
  );
});

test('nodes of one operator count as one in the majority for the chain id', async (t) => {
  const liars = await Promise.all(
    [1, 2, 3].map(() =>
      startNode(t, async ({ method }) =>
        method === 'eth_chainId' ? { result: OTHER_ID } : { result: null },
      ),
    ),
  );
  const honest = await Promise.all([startNode(t, 'devnet'), startNode(t, 'devnet')]);
  const upstreams = [
    ...liars.map(({ httpUrl }) => ({ url: httpUrl, operator: 'one' })),
    ...honest.map(({ httpUrl }, i) => ({ url: httpUrl, operator: `other-${i}` })),
  ];
  const { port } = await start(t, { five: { upstreams, pool: FAST } });
  assert.equal((await ask(port, 'five', 'eth_chainId')).result, CHAIN_ID);
});

test('an unrecognised rollup is served once its nodes answer, and its layer 1 data once the nodes of layer 1 do', async (t) => {
  const [l2, l1] = [await startNode(t, 'rollup'), await startNode(t, 'devnet')];
  await l2.setFault(DEAD);
  await l1.setFault(DEAD);
  const { port, service } = await start(t, {
    embedded: { builtin: 'devnet' },
    one: { upstreams: [l1.httpUrl], pool: FAST },
    two: {
      upstreams: [l2.httpUrl],
      pool: FAST,
      rollup: { l1: 'one' },
      methods: { except: ['linea_estimateGas'] },
    },
    three: { upstreams: [l2.httpUrl], pool: FAST, rollup: { l1: l1.httpUrl } },
  });
  assert.equal((await ask(port, 'embedded', 'eth_chainId')).result, CHAIN_ID);
  const call = { from: addressOf('alice'), to: `0x${'1'.repeat(40)}` };
  const unknown =
    /^no node could answer: the rollup family is not known yet: the chain id .* does not answer; set rollup\.family to skip the recognition$/;
  for (const method of ['l2_estimateGas', 'linea_estimateGas'])
    assert.match(await messageOf(port, 'three', method, call), unknown);
  assert.match(await messageOf(port, 'three', 'rollup_getInfo'), unknown);
  // No rollup family has this method.
  assert.match(await messageOf(port, 'three', 'nonsense_estimateGas', call), /does not exist/);
  await l2.setFault();
  await waitUntil(async () => (await ask(port, 'three', 'l2_estimateGas', call)).result !== undefined);
  const { result } = await ask(port, 'three', 'linea_estimateGas', call);
  assert.equal(typeof (result as { readonly gasLimit: unknown }).gasLimit, 'string');
  assert.match(await messageOf(port, 'three', 'scroll_estimateGas', call), /does not exist/);
  const { networks } = await service.readStatus();
  assert.equal(networks.find(({ name }) => name === 'three')?.family, 'linea');
  // The excepted method stays excepted under the name that the recognised family gives it.
  await waitUntil(async () => (await ask(port, 'two', 'l2_estimateGas', call)).result !== undefined);
  assert.match(await messageOf(port, 'two', 'linea_estimateGas', call), /does not exist/);
  for (const network of ['two', 'three'])
    assert.match(
      await messageOf(port, network, 'rollup_getInfo'),
      /^no node could answer: layer 1 is not available: .*the only node does not answer/,
    );
  const response = await fetch(`http://127.0.0.1:${port}/openrpc.json`);
  assert.match(await response.text(), /"x-served-as":\["linea_estimateGas"\]/);
  await l1.setFault();
  for (const network of ['two', 'three'])
    await waitUntil(async () => (await ask(port, network, 'rollup_getInfo')).result !== undefined);
});

describe('a rollup anchored in its layer 1', { skip: ANVIL_SKIP }, () => {
  test('is anchored once the nodes of both chains answer, even if they were down at the start', async (t) => {
    const chains = await AnchoredRollup.start(60n);
    t.after(() => chains.kill());
    await chains.resolveGame(40n, await chains.findOutputRoot(40n));
    // Layer 1 has two nodes, because one node alone cannot confirm its head.
    const urls = [chains.l1.httpUrl, chains.l1.httpUrl, chains.rollup.httpUrl];
    const all = await Promise.all(urls.map((url) => FaultUpstream.start(url)));
    t.after(() => Promise.all(all.map((node) => node.close())));
    const [first, second, l2] = all as [FaultUpstream, FaultUpstream, FaultUpstream];
    await first.setFault(DEAD);
    await second.setFault(DEAD);
    await l2.setFault(SILENT);
    const { port, service } = await start(t, {
      embedded: { builtin: 'devnet' },
      one: { upstreams: [first.httpUrl, second.httpUrl], pool: FAST },
      two: {
        upstreams: [l2.httpUrl],
        pool: FAST,
        rollup: { family: 'op-stack', l1: 'one', anchor: { portal: PORTAL } },
      },
    });
    assert.equal((await ask(port, 'embedded', 'eth_chainId')).result, CHAIN_ID);
    const readAnchor = async () => {
      const { networks } = await service.readStatus();
      return networks.find(({ name }) => name === 'two')?.anchor;
    };
    assert.equal((await readAnchor())?.state, 'waiting');
    for (const node of all) await node.setFault();
    await waitUntil(async () => (await readAnchor())?.state === 'anchored', 120_000);
    assert.equal((await readAnchor())?.number, 40);
  });
});

/** Methods that are answered without the chain. */
const WITHOUT_CHAIN: ReadonlySet<string> = new Set([
  'web3_clientVersion',
  'web3_sha3',
  'eth_accounts',
  'net_listening',
  'net_peerCount',
  'rpc_modules',
]);
/** Methods of subscriptions and filters, which need an existing one or a WebSocket. */
const ABOUT_FEEDS = /^eth_(?:(?:un)?subscribe|getFilter\w+|uninstallFilter)$/;

test('every method of a network that is down, or could not be opened, reports the reason', async (t) => {
  const { port } = await start(t, {
    embedded: { builtin: 'devnet' },
    unopened: { embedded: { data: '/nothing/here' }, rollup: {} },
    dead: { upstreams: ['http://127.0.0.1:1'], rollup: {} },
  });
  const reasons = {
    unopened: /the network could not be opened: there is no chain store in here$/,
    dead: /the chain id of the network is not known yet: the only node does not answer(?:$|; set rollup\.family)/,
  };
  // A filter of pending transactions waits for nodes, too; debug methods are not served by networks of nodes.
  const isOther = (network: string, name: string): boolean =>
    network === 'dead' && /^debug_|^eth_newPendingTransactionFilter$/.test(name);
  for (const [network, reason] of Object.entries(reasons)) {
    for (const { name, example } of METHODS) {
      if (WITHOUT_CHAIN.has(name) || ABOUT_FEEDS.test(name) || isOther(network, name)) continue;
      assert.match(await messageOf(port, network, name, ...example.params), reason, `${network} ${name}`);
    }
    const socket = await openSocket(port, 'demo', `${network}.localhost`);
    t.after(() => socket.terminate());
    socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}');
    const [answer] = await once(socket, 'message');
    assert.match((JSON.parse(String(answer)) as Reply).error?.message ?? '', reason);
  }
});

test("a network whose configured chain id differs from its node's is down, and reports that", async (t) => {
  const node = await startNode(t, 'devnet');
  const { port } = await start(t, {
    embedded: { builtin: 'devnet' },
    named: { upstreams: [node.httpUrl], pool: { ...FAST, chainId: 5 } },
  });
  assert.equal((await ask(port, 'embedded', 'eth_chainId')).result, CHAIN_ID);
  assert.match(
    await messageOf(port, 'named', 'eth_blockNumber'),
    /^no node could answer: the only node is of another chain: chain id \d+, expected 5;/,
  );
});

for (const workers of [1, 2]) {
  describe(`the program, ${workers} processes`, () => {
    test('each process serves a network once its node answers, whether down at the start or added while down', async (t) => {
      const [dead, added] = [await startNode(t, 'devnet'), await startNode(t, 'rollup')];
      await dead.setFault(DEAD);
      await added.setFault(DEAD);
      const row = { hosts: ['dead.localhost'], upstreams: [dead.httpUrl], pool: FAST };
      const program = new Program({ workers, networks: { ...DEVNET, dead: row } });
      t.after(() => program.dispose());
      await program.start();
      const { key } = await program.createKey();
      const askEach = async (host: string): Promise<string[]> => {
        const replies = await Promise.all(
          Array.from({ length: 4 * workers }, () =>
            postTo(program.port, { method: 'eth_chainId', host, key }),
          ),
        );
        return [...new Set(replies.map(({ body }) => readOutcome(body as Reply)))];
      };
      assert.deepEqual(await askEach('devnet.localhost'), [CHAIN_ID]);
      assert.deepEqual(await askEach('dead.localhost'), [`no node could answer: ${NO_ANSWER}`]);
      const more = { hosts: ['added.localhost'], upstreams: [added.httpUrl], pool: FAST };
      program.configure({ workers, networks: { ...DEVNET, dead: row, added: more } });
      program.signal('SIGHUP');
      await waitUntil(() => program.log.some(({ msg }) => msg === 'the new configuration is in force'));
      assert.deepEqual(await askEach('added.localhost'), [`no node could answer: ${NO_ANSWER}`]);
      assert.deepEqual(await askEach('devnet.localhost'), [CHAIN_ID]);
      await dead.setFault();
      await added.setFault();
      const isServed = async (host: string): Promise<boolean> =>
        (await askEach(host)).every((outcome) => outcome.startsWith('0x'));
      await waitUntil(() => isServed('dead.localhost'));
      await waitUntil(() => isServed('added.localhost'));
      assert.equal(await program.stop(), 0);
    });
  });
}

test('an unopenable store is reported by calls, status and log, does not affect other networks, and ends a start with --strict', async (t) => {
  const broken = { hosts: ['broken.localhost'], embedded: { data: './nothing' } };
  const program = new Program({ networks: { ...DEVNET, broken } });
  t.after(() => program.dispose());
  await assert.rejects(program.start(['--strict']));
  assert.equal(await program.waitForExit(), 1);
  assert.match(program.complaint, /^portcullis: network broken: there is no chain store in .*nothing\n$/);
  await program.start();
  const { key } = await program.createKey();
  const outage = 'the network could not be opened: there is no chain store in nothing';
  const told = async (host: string) =>
    readOutcome((await postTo(program.port, { method: 'eth_chainId', host, key })).body as Reply);
  assert.equal(await told('devnet.localhost'), CHAIN_ID);
  assert.equal(await told('broken.localhost'), `internal error: ${outage}`);
  const { networks } = await program.readStatus();
  assert.equal(networks.find(({ name }) => name === 'broken')?.outage, outage);
  assert.deepEqual(await readReady(program.port), { status: 'ready', down: { broken: outage } });
  const lines = program.log.filter(({ msg }) => msg.startsWith('network could not be opened'));
  assert.equal(lines.length, 1);
  assert.match(String(lines[0]?.['reason']), /^there is no chain store in \/.*nothing$/);
  // The broken network does not prevent a reload of the rest.
  const isReloaded = () => program.log.some(({ msg }) => msg === 'the new configuration is in force');
  program.configure({ networks: { ...DEVNET, broken }, limits: { batchItems: 3 } });
  program.signal('SIGHUP');
  await waitUntil(isReloaded);
  // A signal reloads an unchanged configuration, too: the store may exist now.
  const genesis = createGenesis({ revision: 'cancun' });
  const built = await openBuiltChain(genesis, new ChainBuilder(genesis));
  cpSync(built.store, join(program.folder, 'nothing'), { recursive: true });
  await built.close();
  program.signal('SIGHUP');
  await waitUntil(async () => (await told('broken.localhost')) === '0x539');
  assert.deepEqual(await readReady(program.port), { status: 'ready' });
  assert.equal(await program.stop(), 0);
  // Without any network that can be opened the start fails.
  program.configure({ networks: { broken: { ...broken, embedded: { data: './absent' } } } });
  await assert.rejects(program.start());
  assert.equal(await program.waitForExit(), 1);
});

function readOutcome({ result, error }: Reply): string {
  return error === undefined ? String(result) : error.message;
}
