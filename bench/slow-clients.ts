/**
 * Small calls beside clients that keep connections and give nothing for them: 2,000 idle WebSockets, and 200 connections on
 * which the head of a request arrives byte by byte and which are opened again whenever they are closed. 1,000 chain ids a
 * second at fixed times, first alone, then beside them, in turns; latencies count from when a request was due. Told are the
 * ratio of the 99th percentiles, the median of the rounds, and what the program's memory grew by for each idle WebSocket.
 * The slow clients are a process of their own. `--json` prints the rounds.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { encodePost, median } from './load.ts';
import { encodeRequest } from './support/ask.ts';
import { makeBenchFolder } from './support/chain.ts';
import { LOAD_CORE, pinSelf, pinTo, SERVER_CORE } from './support/cpu.ts';
import { concludeWith, formatColumns, WANTS_JSON } from './support/figures.ts';
import { type PacedResult, runPacedLoad } from './support/paced-load.ts';
import { type Server, startPortcullis } from './support/portcullis.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 7);
const ROUND_MS = Number(process.env['ROUND_MS'] ?? 2_500);
const IDLE = 2_000;
const LORISES = 200;
const PER_SECOND = 1_000;
const TARGET_RATIO = 1.5;
/** Each slow client's byte. */
const TRICKLE_MS = 1_000;
const SETTLE_MS = 1_000;
/** Handshakes under way at the same time. */
const OPENING = 100;
const HOST = 'devnet.localhost';
const HEAD = Buffer.from(`POST /v3/demo HTTP/1.1\r\nHost: ${HOST}\r\n${'X-Slow: yes\r\n'.repeat(500)}`);

type Place = { readonly port: number };

/** The slow clients' side: opens or closes them when told, and answers when that is done. */
async function runSlowClients(): Promise<void> {
  let leave = (): void => {};
  process.on('disconnect', () => process.exit());
  process.on('message', async (message: Place | 'leave') => {
    if (message === 'leave') leave();
    else leave = await besiege(message);
    process.send?.('done');
  });
  process.send?.('there');
}

async function besiege({ port }: Place): Promise<() => void> {
  const sockets: WebSocket[] = [];
  const open = async (): Promise<void> => {
    while (sockets.length < IDLE) {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/v3/demo`, { headers: { Host: HOST } });
      sockets.push(socket);
      await once(socket, 'open');
    }
  };
  await Promise.all(Array.from({ length: OPENING }, open));
  let isOver = false;
  const lurk = (): void => {
    if (isOver) return;
    const socket = connect(port, '127.0.0.1');
    let sent = 0;
    const timer = setInterval(() => socket.write(HEAD.subarray(sent, ++sent)), TRICKLE_MS);
    socket.on('error', () => {});
    socket.resume();
    socket.once('close', () => {
      clearInterval(timer);
      lurk();
    });
    lurking.add(socket);
    socket.once('close', () => lurking.delete(socket));
  };
  const lurking = new Set<ReturnType<typeof connect>>();
  for (let i = 0; i < LORISES; i++) lurk();
  return () => {
    isOver = true;
    for (const socket of lurking) socket.destroy();
    for (const socket of sockets) socket.terminate();
  };
}

async function tell(child: ChildProcess, message: Place | 'leave'): Promise<void> {
  child.send(message);
  await once(child, 'message');
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
}

/** Bytes that a process has in memory. */
function readResidentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1_024;
}

type Rounds = {
  readonly alone: PacedResult[];
  readonly beside: PacedResult[];
  /** Of the program, before and with the first siege. */
  readonly resident: number[];
};

async function measure(server: Server, slow: ChildProcess): Promise<Rounds> {
  const body = encodeRequest('eth_chainId', []);
  const requests = [encodePost(server.path, HOST, body)];
  const run = (durationMs: number): Promise<PacedResult> =>
    runPacedLoad({ ...server, requests, perSecond: PER_SECOND, durationMs });
  await run(ROUND_MS);
  const rounds: Rounds = { alone: [], beside: [], resident: [] };
  for (let round = 0; round < ROUNDS; round++) {
    rounds.alone.push(await run(ROUND_MS));
    rounds.resident.push(readResidentBytes(server.pid));
    await tell(slow, server);
    rounds.resident.push(readResidentBytes(server.pid));
    rounds.beside.push(await run(ROUND_MS));
    await tell(slow, 'leave');
  }
  return rounds;
}

function report(rounds: Rounds): void {
  const { alone, beside, resident } = rounds;
  if (WANTS_JSON) console.log(JSON.stringify(rounds));
  else {
    const describe = (name: string, results: readonly PacedResult[]): string[] => [
      name,
      median(results.map(({ p50 }) => p50)).toFixed(2),
      median(results.map(({ p99 }) => p99)).toFixed(2),
      String(results.reduce((sum, { failed }) => sum + failed, 0)),
    ];
    const header = ['chain ids', 'p50 ms', 'p99 ms', 'failed'];
    console.log(formatColumns([header, describe('alone', alone), describe('beside slow clients', beside)]));
  }
  const ratios = beside.map(({ p99 }, i) => p99 / (alone[i]?.p99 ?? Number.NaN));
  const [before = Number.NaN, besieged = Number.NaN] = resident;
  concludeWith([
    { name: 'p99 alone', value: median(alone.map(({ p99 }) => p99)), unit: ' ms' },
    { name: 'beside slow clients', value: median(beside.map(({ p99 }) => p99)), unit: ' ms' },
    { name: 'ratio', value: median(ratios), below: TARGET_RATIO },
    { name: 'KiB for each idle WebSocket', value: (besieged - before) / 1_024 / IDLE, digits: 1 },
    { name: 'failed', value: beside.reduce((sum, one) => sum + one.failed, 0), digits: 0, below: 1 },
  ]);
}

async function run(): Promise<void> {
  const folder = makeBenchFolder();
  const config = join(folder, 'portcullis.yaml');
  const text = JSON.stringify({
    listen: { port: 0 },
    dataDir: folder,
    networks: { devnet: { builtin: 'devnet', hosts: [HOST] } },
    limits: { connections: 2 * IDLE, webSockets: 2 * IDLE },
  });
  writeFileSync(config, text);
  pinSelf(LOAD_CORE);
  const slow = fork(fileURLToPath(import.meta.url), ['slow-clients']);
  await once(slow, 'message');
  const started = await startPortcullis(['serve', '--config', config], { launcher: pinTo(SERVER_CORE) });
  const server = { ...started, path: '/v3/demo' };
  try {
    report(await measure(server, slow));
  } finally {
    slow.disconnect();
    await server.stop();
  }
}

await (process.argv[2] === 'slow-clients' ? runSlowClients() : run());
