/** Several processes that serve one port, started by the program. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { askProgram, CHAIN_ID, DEVNET, openSocket, postTo } from '../support/ask-program.ts';
import { HELD_CALL, startHeldNode } from '../support/held-node.ts';
import { Program, type ProgramConfig } from '../support/program.ts';
import { findFreePort } from '../support/redis.ts';
import { waitUntil } from '../support/wait-until.ts';

const CONFIG = { networks: DEVNET, workers: 2 };

async function start(t: TestContext, config: ProgramConfig = CONFIG): Promise<Program> {
  const program = new Program(config);
  t.after(() => program.dispose());
  await program.start();
  return program;
}

/** Lists the processes that answer requests. */
async function listPids(program: Program): Promise<readonly number[]> {
  return (await program.readStatus()).processes.map(({ pid }) => pid);
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** Opens WebSockets until both processes have some, since the kernel spreads connections unevenly. */
async function openSocketsOfBoth(program: Program): Promise<readonly WebSocket[]> {
  const sockets: WebSocket[] = [];
  const listCounts = async (): Promise<readonly number[]> =>
    (await program.readStatus()).processes.map(({ webSockets }) => webSockets);
  for (let tries = 0; tries < 20; tries++) {
    sockets.push(...(await Promise.all(Array.from({ length: 10 }, () => openSocket(program.port)))));
    // The status is computed once a second.
    await waitUntil(
      async () => (await listCounts()).reduce((sum, count) => sum + count, 0) === sockets.length,
    );
    if ((await listCounts()).every((count) => count > 0)) return sockets;
  }
  throw new Error('one process gets all connections');
}

describe('two workers', () => {
  test('serve one port, and their status and metrics are summed', async (t) => {
    const program = await start(t);
    const sockets = await openSocketsOfBoth(program);
    for (const socket of sockets) {
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }));
      const [data] = await once(socket, 'message');
      assert.equal(JSON.parse(String(data)).result, CHAIN_ID);
    }
    for (let count = 0; count < 7; count++) assert.equal(await askProgram(program.port), CHAIN_ID);

    const { processes, networks } = await program.readStatus();
    assert.equal(processes.length, 2);
    assert.equal(new Set(processes.map(({ pid }) => pid)).size, 2);
    assert.ok(!processes.some(({ pid }) => pid === program.pid), 'the primary answers nothing');
    assert.equal(
      processes.reduce((sum, { webSockets }) => sum + webSockets, 0),
      sockets.length,
    );
    assert.equal(networks.length, 1);

    const metrics = await program.readMetrics();
    const calls = [...metrics.matchAll(/^portcullis_calls_total\{[^}]*eth_chainId[^}]*\} (\d+)$/gm)];
    assert.equal(
      calls.reduce((sum, [, count]) => sum + Number(count), 0),
      sockets.length + 7,
      metrics.match(/^.*eth_chainId.*$/gm)?.join('\n'),
    );
    for (const socket of sockets) socket.terminate();
  });

  test('are replaced individually when killed, while the other continues', async (t) => {
    const program = await start(t);
    const [victim = 0, other] = await listPids(program);
    process.kill(victim, 'SIGKILL');
    for (let count = 0; count < 20; count++) assert.equal(await askProgram(program.port), CHAIN_ID);
    await waitUntil(async () => {
      const pids = await listPids(program);
      return pids.length === 2 && !pids.includes(victim);
    });
    assert.ok((await listPids(program)).includes(other as number));
    assert.equal(await askProgram(program.port), CHAIN_ID);
    const ended = program.log.filter(({ msg }) => msg === 'a worker ended and is replaced');
    assert.deepEqual(
      ended.map(({ process, outcome }) => ({ process, outcome })),
      [{ process: victim, outcome: 'SIGKILL' }],
    );
  });

  test('are replaced on the same port when both are killed at once', async (t) => {
    const program = await start(t, { ...CONFIG, listen: { port: await findFreePort() } });
    for (const pid of await listPids(program)) process.kill(pid, 'SIGKILL');
    await waitUntil(
      () => program.log.filter(({ msg }) => msg === 'a worker ended and is replaced').length === 2,
    );
    await waitUntil(() => askProgram(program.port).then(Boolean, () => false));
    assert.equal(await askProgram(program.port), CHAIN_ID);
  });

  test('answer requests in progress after SIGTERM, close WebSockets with 1001, and exit with 0', async (t) => {
    const node = await startHeldNode(t);
    const nodes = {
      hosts: ['127.0.0.1', 'nodes.localhost'],
      upstreams: [node.url],
      pool: { hedgePercent: 0 },
    };
    const program = await start(t, { workers: 2, networks: { nodes } });
    const pids = await listPids(program);
    const { key } = await program.createKey();
    const sockets = await Promise.all(Array.from({ length: 4 }, () => openSocket(program.port, key)));
    const closed = sockets.map((socket) => once(socket, 'close'));
    const answers = sockets.map((socket, id) => {
      const [call, block] = HELD_CALL.params;
      // Different parameters, so that the requests are not coalesced.
      const params = [{ ...call, gas: `0xfff${id}` }, block];
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, ...HELD_CALL, params }));
      return once(socket, 'message');
    });
    const overHttp = postTo(program.port, { ...HELD_CALL, key, host: 'nodes.localhost' });
    await waitUntil(() => node.reserved() === 5);
    program.signal('SIGTERM');
    await sleep(300);
    node.release();
    for (const [id, answer] of answers.entries()) {
      assert.deepEqual(JSON.parse(String((await answer)[0])), { jsonrpc: '2.0', id, result: '0x' });
    }
    assert.deepEqual((await overHttp).body, { jsonrpc: '2.0', id: 1, result: '0x' });
    for (const close of closed) assert.equal((await close)[0], 1001);
    assert.equal(await program.waitForExit(), 0);
    assert.deepEqual(pids.filter(isAlive), []);
  });

  test('exit on SIGTERM without waiting for a replacement that is still starting', async (t) => {
    const program = await start(t);
    const [victim = 0] = await listPids(program);
    process.kill(victim, 'SIGKILL');
    await waitUntil(() => program.log.some(({ msg }) => msg === 'a worker ended and is replaced'));
    // The replacement starts within 100 ms, and takes longer than that to serve.
    await waitUntil(() => listChildren(program.pid).length === 2);
    program.signal('SIGTERM');
    const outcome = await Promise.race([program.waitForExit(), sleep(10_000, 'still there')]);
    assert.equal(outcome, 0);
  });

  test('exit when the primary is killed', async (t) => {
    const program = await start(t);
    const pids = await listPids(program);
    program.signal('SIGKILL');
    await waitUntil(() => pids.every((pid) => !isAlive(pid)));
  });

  test('serve the other networks if one cannot be opened, and fail to start with --strict', async (t) => {
    const chain = { hosts: ['broken.localhost'], embedded: { data: './nothing' } };
    const program = new Program({ workers: 2, networks: { ...DEVNET, broken: chain } });
    t.after(() => program.dispose());
    await assert.rejects(program.start(['--strict']));
    assert.equal(await program.waitForExit(), 1);
    assert.match(program.complaint, /^portcullis: network broken: there is no chain store in /);
    await program.start();
    assert.equal(await askProgram(program.port), CHAIN_ID);
    const { networks } = await program.readStatus();
    const outage = 'the network could not be opened: there is no chain store in nothing';
    assert.equal(networks.find(({ name }) => name === 'broken')?.outage, outage);
    assert.equal(await program.stop(), 0);
  });

  test('fail to start with the reason if the port is in use', async (t) => {
    const other = await start(t);
    const program = new Program({ ...CONFIG, listen: { port: other.port } });
    t.after(() => program.dispose());
    await assert.rejects(program.start());
    assert.equal(await program.waitForExit(), 1);
    assert.match(program.complaint, /is in use; choose another port/);
    assert.equal(await askProgram(other.port), CHAIN_ID);
  });
});

test('connections opened while workers are killed are served or closed, never left hanging', async (t) => {
  const program = await start(t);
  let [opened, silent] = [0, 0];
  let isOver = false;
  const knock = async (): Promise<void> => {
    while (!isOver) {
      const socket = connect(program.port, '127.0.0.1');
      socket.on('error', () => {});
      socket.write(REQUEST);
      opened++;
      const outcome = await Promise.race([
        once(socket, 'data').then(
          () => 'served',
          () => 'closed',
        ),
        once(socket, 'close').then(() => 'closed'),
        sleep(5_000, 'silent'),
      ]);
      if (outcome === 'silent') silent++;
      socket.destroy();
    }
  };
  const knocking = Promise.all(Array.from({ length: 8 }, knock));
  const victims = new Set<number>();
  for (let round = 0; round < 5; round++) {
    let serving: readonly number[] = [];
    // The status page may be a second old.
    await waitUntil(async () => {
      serving = (await listPids(program)).filter((pid) => !victims.has(pid));
      return serving.length === 2;
    });
    victims.add(serving[0] as number);
    process.kill(serving[0] as number, 'SIGKILL');
  }
  isOver = true;
  await knocking;
  assert.ok(opened > 100);
  assert.equal(silent, 0);
});

const BODY = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}';
const REQUEST = `POST /v3/demo HTTP/1.1\r\nHost: devnet.localhost\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`;

/** Lists the processes that this one has started. */
function listChildren(pid: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
        return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === pid;
      } catch {
        return false;
      }
    })
    .map(Number);
}
