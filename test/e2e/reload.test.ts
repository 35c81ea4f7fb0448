/** Changes of a running program's configuration: by SIGHUP, and by writing the file alone. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { renameSync, writeFileSync } from 'node:fs';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHAIN_ID, DEVNET, openSocket, postText, postTo } from '../support/ask-program.ts';
import { FACTS } from '../support/development.ts';
import { HELD_CALL, startHeldNode } from '../support/held-node.ts';
import { type LogLine, Program, type ProgramConfig } from '../support/program.ts';
import { startNode } from '../support/served-node.ts';
import { waitUntil } from '../support/wait-until.ts';

const IN_FORCE = 'the new configuration is in force';
const REFUSED = 'the new configuration cannot be used; the previous one stays in force';
const ROLLUP = { rollup: { builtin: 'rollup', hosts: ['rollup.localhost'] } };
const ROLLUP_CHAIN_ID = `0x${Number(FACTS.rollup.chainId).toString(16)}`;
const BOTH = { networks: { ...DEVNET, ...ROLLUP } };

async function start(t: TestContext, config: ProgramConfig): Promise<Program> {
  const program = new Program(config);
  t.after(() => program.dispose());
  await program.start();
  return program;
}

function countLines(program: Program, message: string): number {
  return program.log.filter(({ msg }) => msg === message).length;
}

type Outcome = { readonly msg: string; readonly isOf: (line: LogLine) => boolean };

const problemsOf = (line: LogLine | undefined): string => String(line?.['problems']);

/** Matches the refusal of one file: the watch and SIGHUP may both have reported the file before it. */
const refusedFor = (problem: RegExp): Outcome => ({
  msg: REFUSED,
  isOf: (line) => problem.test(problemsOf(line)),
});

const inForceWith = ({ networks }: ProgramConfig): Outcome => ({
  msg: IN_FORCE,
  isOf: (line) => String(line['networks']) === String(Object.keys(networks ?? {})),
});

/** Writes a configuration and waits for the log message of the outcome. @returns the line of the log */
async function change(
  program: Program,
  config: ProgramConfig | string,
  outcome: Outcome = inForceWith(config as ProgramConfig),
): Promise<LogLine | undefined> {
  const before = program.log.length;
  if (typeof config === 'string') program.writeConfig(config);
  else program.configure(config);
  program.signal('SIGHUP');
  const find = () => program.log.slice(before).find((line) => line.msg === outcome.msg && outcome.isOf(line));
  await waitUntil(() => find() !== undefined);
  return find();
}

/** Sends enough requests that every worker answers some. @returns the different answers */
async function requestAll(program: Program, host: string): Promise<Set<unknown>> {
  const answers = new Set<unknown>();
  for (let count = 0; count < 12; count++) {
    const { status, body } = await postTo(program.port, { method: 'eth_chainId', host });
    answers.add(status === 200 ? (body as { readonly result?: unknown }).result : status);
  }
  return answers;
}

for (const workers of [1, 2]) {
  describe(`reload with ${workers === 1 ? 'one process' : 'two workers'}`, () => {
    test('networks can be added and removed without affecting the others', async (t) => {
      const program = await start(t, { workers, networks: DEVNET });
      const socket = await openSocket(program.port);
      assert.deepEqual(await requestAll(program, 'rollup.localhost'), new Set([404]));

      await change(program, { workers, ...BOTH });
      assert.deepEqual(await requestAll(program, 'rollup.localhost'), new Set([ROLLUP_CHAIN_ID]));
      assert.deepEqual(await requestAll(program, 'devnet.localhost'), new Set([CHAIN_ID]));
      const names = (await program.readStatus()).networks.map(({ name }) => name);
      assert.deepEqual(names.sort(), ['devnet', 'rollup']);
      const leftOver = await openSocket(program.port, 'demo', 'rollup.localhost');

      await change(program, { workers, networks: DEVNET });
      assert.deepEqual(await requestAll(program, 'rollup.localhost'), new Set([404]));
      leftOver.send('{"jsonrpc":"2.0","id":4,"method":"eth_chainId","params":[]}');
      const [refusal] = await once(leftOver, 'message');
      assert.notEqual(JSON.parse(String(refusal)).error, undefined);
      leftOver.terminate();
      socket.send('{"jsonrpc":"2.0","id":5,"method":"eth_chainId","params":[]}');
      const [data] = await once(socket, 'message');
      assert.deepEqual(JSON.parse(String(data)), { jsonrpc: '2.0', id: 5, result: CHAIN_ID });
      assert.equal(await program.stop(), 0);
    });

    test('the outcome of each of twenty reloads in a row is logged', async (t) => {
      const program = await start(t, { workers, networks: DEVNET });
      for (let reload = 1; reload <= 20; reload++) {
        await change(program, { workers, networks: DEVNET });
        assert.equal(countLines(program, IN_FORCE), reload);
      }
    });

    test('a removed network is closed, and its node gets no more requests', async (t) => {
      const node = await startNode(t, { chainId: 99 });
      const nodes = { hosts: ['nodes.localhost'], upstreams: [node.url], pool: { pollInterval: '50ms' } };
      const program = await start(t, { workers, networks: { ...DEVNET, nodes } });
      const { key } = await program.createKey();
      const reply = await postTo(program.port, { method: 'eth_chainId', host: 'nodes.localhost', key });
      assert.deepEqual(reply.body, { jsonrpc: '2.0', id: 1, result: '0x63' });
      await change(program, { workers, networks: DEVNET });
      await sleep(500);
      const before = node.calls.length;
      await sleep(1_000);
      assert.equal(node.calls.length, before);
    });

    test('an unusable configuration is refused with the reason, and the previous one stays in force', async (t) => {
      const program = await start(t, { workers, networks: DEVNET });
      await change(program, { workers, networks: { devnet: { builtin: 'devnt' } } }, refusedFor(/builtin/));
      assert.deepEqual(await requestAll(program, 'devnet.localhost'), new Set([CHAIN_ID]));

      await change(program, 'networks: [', refusedFor(/^portcullis\.yaml:1: /));

      const broken = { hosts: ['broken.localhost'], embedded: { data: './nothing' } };
      const networks = { ...DEVNET, ...ROLLUP, broken };
      await change(program, { workers, networks }, refusedFor(/^network broken: /));
      assert.deepEqual(await requestAll(program, 'rollup.localhost'), new Set([404]));

      // A refused file does not block the next valid one.
      await change(program, { workers, ...BOTH });
      assert.deepEqual(await requestAll(program, 'rollup.localhost'), new Set([ROLLUP_CHAIN_ID]));
    });

    test('settings that need a restart are named', async (t) => {
      const program = await start(t, { workers, networks: DEVNET });
      const limits = { connections: 100, batchItems: 3 };
      const config = {
        workers,
        networks: DEVNET,
        limits,
        log: { level: 'warn' },
        access: { valkey: { url: 'redis://127.0.0.1:1' } },
      };
      const line = await change(program, config, refusedFor(/restart it/));
      assert.deepEqual(
        ((line?.['problems'] ?? []) as string[]).toSorted(),
        ['access.valkey', 'limits.connections', 'log'].map(
          (name) => `${name} cannot change while the service runs: restart it`,
        ),
      );
      await change(program, { workers, networks: DEVNET, limits: { batchItems: 3 } });
      const item = { jsonrpc: '2.0', id: 1, method: 'eth_chainId' };
      const { body } = await postText(program.port, JSON.stringify([item, item, item, item]));
      assert.match(JSON.stringify(body), /batch/);
    });

    test('a request in progress is answered by the chain that it started with', async (t) => {
      const slow = await startHeldNode(t);
      const nodes = { hosts: ['nodes.localhost'], upstreams: [slow.url] };
      const program = await start(t, { workers, networks: { ...DEVNET, nodes } });
      const { key } = await program.createKey();
      const inWork = postTo(program.port, { ...HELD_CALL, key, host: 'nodes.localhost' });
      await waitUntil(() => slow.reserved() > 0);
      await change(program, { workers, networks: DEVNET });
      assert.deepEqual(await requestAll(program, 'nodes.localhost'), new Set([404]));
      slow.release();
      assert.deepEqual(await inWork, { status: 200, body: { jsonrpc: '2.0', id: 1, result: '0x' } });
    });

    test('a changed file is loaded without a signal, whether written in place or replaced', async (t) => {
      const program = await start(t, { workers, networks: DEVNET });
      program.configure({ workers, ...BOTH });
      await waitUntil(() => countLines(program, IN_FORCE) === 1);
      assert.deepEqual(await requestAll(program, 'rollup.localhost'), new Set([ROLLUP_CHAIN_ID]));
      const other = `${program.configFile}.new`;
      const ports = { listen: { port: 0 }, admin: { port: 0 }, dataDir: program.folder };
      writeFileSync(other, JSON.stringify({ ...ports, workers, networks: DEVNET }));
      renameSync(other, program.configFile);
      await waitUntil(() => countLines(program, IN_FORCE) === 2);
      assert.deepEqual(await requestAll(program, 'rollup.localhost'), new Set([404]));
    });
  });
}

test('a worker that starts during a reload uses the new configuration', async (t) => {
  const program = await start(t, { workers: 2, networks: DEVNET });
  for (const isAdded of [true, false, true, false]) {
    const { processes } = await program.readStatus();
    process.kill((processes.at(-1) as { readonly pid: number }).pid, 'SIGKILL');
    await sleep(Math.random() * 400);
    await change(program, { workers: 2, ...(isAdded ? BOTH : { networks: DEVNET }) });
    await waitUntil(async () => {
      const { processes: now } = await program.readStatus();
      return now.length === 2 && now.every(({ pid }) => pid !== processes.at(-1)?.pid);
    });
    assert.deepEqual(
      await requestAll(program, 'rollup.localhost'),
      new Set([isAdded ? ROLLUP_CHAIN_ID : 404]),
    );
  }
});
