/**
 * Real nodes killed under load: three of them on the same chain, one killed (SIGKILL) and restarted every few seconds, while 16 connections send
 * mixed requests. Every answer is checked. An undisturbed run of the same length comes first. Seconds of each: SECONDS (60).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { check } from '../test/faults/judge.ts';
import type { Anvil } from '../test/support/anvil.ts';
import { buildScene, startSceneNode } from '../test/support/scene.ts';
import { type AnsweredQuestion, askScene, rephrase } from '../test/support/scene-questions.ts';
import { runAsChild, startServerProcess } from './child.ts';
import { percentile } from './load.ts';
import { awaitHead, serveNetwork } from './upstream-service.ts';

const SECONDS = Number(process.env['SECONDS'] ?? 60);
const KILL_EVERY_SECONDS = Number(process.env['KILL_EVERY_SECONDS'] ?? 5);
const WARM_UP_SECONDS = 2;
const NODES = 3;
const CONNECTIONS = 16;
/** Downtime of a killed node. */
const DOWN_MS = 1_000;
const REQUEST_TIMEOUT_MS = 30_000;
const SHOWN_FAILURES = 5;
const NO_SECRET = '/v3/';

type Outcome = {
  readonly latencies: Float64Array;
  readonly failures: readonly string[];
  readonly kills: number;
};

/** Keeps one request in flight on each of 16 connections until the time is up. */
async function ask(
  port: number,
  requests: readonly AnsweredQuestion[],
  seconds: number = SECONDS,
): Promise<{ latencies: Float64Array; failures: string[] }> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: CONNECTIONS });
  const until = performance.now() + seconds * 1_000;
  const latencies: number[] = [];
  const failures: string[] = [];
  let count = 0;
  const work = async (): Promise<void> => {
    while (performance.now() < until) {
      count++;
      const id = count;
      const query = rephrase(requests[id % requests.length] as AnsweredQuestion, id);
      const startedAt = performance.now();
      const text = await send(pool, id, query).catch((error: Error) => error.message);
      latencies.push(performance.now() - startedAt);
      if (check(text, id, [query.expected], NO_SECRET) !== 'right') {
        failures.push(`${query.label}: ${text.slice(0, 200)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  await pool.close();
  return { latencies: Float64Array.from(latencies).sort(), failures };
}

async function send(pool: Pool, id: number, { method, params }: AnsweredQuestion): Promise<string> {
  const { body } = await pool.request({
    path: '/v3/demo',
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
    headersTimeout: REQUEST_TIMEOUT_MS,
    bodyTimeout: REQUEST_TIMEOUT_MS,
  });
  return body.text();
}

/**
 * Kills the nodes in rotation until `signal` aborts; each is back long before the next is killed.
 * @returns the number of kills
 */
async function killInTurns(nodes: readonly Anvil[], signal: AbortSignal): Promise<number> {
  let kills = 0;
  for (;;) {
    await sleep(KILL_EVERY_SECONDS * 1_000 - DOWN_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return kills;
    const node = nodes[kills % nodes.length] as Anvil;
    kills++;
    await node.kill();
    await sleep(DOWN_MS);
    await node.restart();
  }
}

async function runCalm(port: number, requests: readonly AnsweredQuestion[]): Promise<Outcome> {
  return { ...(await ask(port, requests)), kills: 0 };
}

async function runStorm(
  port: number,
  requests: readonly AnsweredQuestion[],
  nodes: readonly Anvil[],
): Promise<Outcome> {
  const end = new AbortController();
  const killing = killInTurns(nodes, end.signal);
  const requested = await ask(port, requests);
  end.abort();
  return { ...requested, kills: await killing };
}

function describeLatencies({ latencies }: Outcome): string {
  const [p50, p99] = [0.5, 0.99].map((share) => percentile(latencies, share).toFixed(2));
  return `${latencies.length} requests, p50 ${p50} ms, p99 ${p99} ms`;
}

async function runParent(): Promise<void> {
  const scene = await buildScene();
  const nodes = await Promise.all(Array.from({ length: NODES }, () => startSceneNode(scene)));
  const requests = await askScene(scene, nodes[0] as Anvil);
  const gateway = await startServerProcess(import.meta.url, nodes.map(({ httpUrl }) => httpUrl).join());
  try {
    await awaitHead(gateway.port);
    await ask(gateway.port, requests, WARM_UP_SECONDS);
    const calm = await runCalm(gateway.port, requests);
    const storm = await runStorm(gateway.port, requests, nodes);
    const failures = [...calm.failures, ...storm.failures];
    for (const failure of failures.slice(0, SHOWN_FAILURES)) console.log(`failed: ${failure}`);
    console.log(`calm:  ${describeLatencies(calm)}`);
    console.log(`kills: ${describeLatencies(storm)}`);
    console.log(`${failures.length} requests failed over ${storm.kills} kills of nodes`);
    process.exitCode = failures.length === 0 && storm.kills > 0 ? 0 : 1;
  } finally {
    gateway.stop();
    for (const node of nodes) await node.kill();
    scene.remove();
  }
}

const upstreams = process.argv[2];
await (upstreams === undefined
  ? runParent()
  : runAsChild(() => serveNetwork({ upstreams: upstreams.split(',') })));
