/**
 * Throughput of the whole service with the built-in development chain: requests per second and per CPU-second of the server process (all its
 * threads), and latencies, over HTTP and WebSocket. Figures hold for one machine at one time: compare rows of one run, not runs.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseConfig } from '../src/config/load-config.ts';
import { createLogger } from '../src/observe/logger.ts';
import { composeService } from '../src/service/compose.ts';
import { runAsChild, startServerProcess } from './child.ts';
import { encodePost, type LoadResult, median, percentile, runLoad } from './load.ts';
import { encodeFrame } from './support/websocket-connection.ts';

const CONNECTIONS = 16;
const ROUNDS = Number(process.env['ROUNDS'] ?? 3);
const ROUND_MS = 2_000;
const FACTS_FILE = join(import.meta.dirname, '../../chains/facts.json');

type Facts = {
  readonly devnet: { readonly calls: Readonly<Record<'tokenBalance' | 'tokenTransfer', object>> };
};
const { calls } = (JSON.parse(readFileSync(FACTS_FILE, 'utf8')) as Facts).devnet;

const SCENARIOS = [
  { name: 'eth_chainId', method: 'eth_chainId', params: [] },
  { name: 'receipts of a small block', method: 'eth_getBlockReceipts', params: ['latest'] },
  { name: 'eth_call ERC-20 balanceOf', method: 'eth_call', params: [calls.tokenBalance, 'latest'] },
  { name: 'eth_estimateGas ERC-20 transfer', method: 'eth_estimateGas', params: [calls.tokenTransfer] },
] as const;

async function serve(): Promise<number> {
  const dataDir = mkdtempSync(join(tmpdir(), 'portcullis-bench-'));
  process.on('exit', () => rmSync(dataDir, { recursive: true, force: true }));
  const yaml = JSON.stringify({
    listen: { port: 0 },
    dataDir,
    defaultNetwork: 'devnet',
    networks: { devnet: { builtin: 'devnet', hosts: ['devnet.localhost'] } },
  });
  const config = parseConfig(yaml, { name: 'bench', folder: process.cwd(), environment: {} });
  const service = await composeService(config, createLogger('warn'));
  return (await service.server.listen()).port;
}

function createLoads(
  port: number,
): readonly { readonly label: string; readonly run: () => Promise<LoadResult> }[] {
  return SCENARIOS.flatMap(({ name, method, params }) => {
    const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const shared = { host: '127.0.0.1', port, connections: CONNECTIONS, durationMs: ROUND_MS };
    const posted = { ...shared, request: encodePost('/v3/demo', '127.0.0.1', message) };
    const framed = { ...shared, request: encodeFrame(message), webSocketPath: '/ws/v3/demo' };
    return [
      { label: `${name}, HTTP`, run: () => runLoad(posted) },
      { label: `${name}, WebSocket`, run: () => runLoad(framed) },
    ];
  });
}

async function runParent(): Promise<void> {
  const server = await startServerProcess(import.meta.url, 'serve');
  const rows = createLoads(server.port).map((load) => ({
    ...load,
    perSecond: [] as number[],
    perCpuSecond: [] as number[],
    p50: [] as number[],
    p99: [] as number[],
  }));
  for (const { run } of rows) await run();
  for (let round = 0; round < ROUNDS; round++) {
    for (const row of rows) {
      const before = await server.readCpuSeconds();
      const { requests, seconds, latencies } = await row.run();
      row.perCpuSecond.push(requests / ((await server.readCpuSeconds()) - before));
      row.perSecond.push(requests / seconds);
      row.p50.push(percentile(latencies, 0.5));
      row.p99.push(percentile(latencies, 0.99));
    }
  }
  server.stop();
  for (const { label, perSecond, perCpuSecond, p50, p99 } of rows) {
    const figures = [
      `${median(perSecond).toFixed(0).padStart(7)} requests/s`,
      `${median(perCpuSecond).toFixed(0).padStart(7)} requests/CPU-s`,
      `p50 ${median(p50).toFixed(2)} ms`,
      `p99 ${median(p99).toFixed(2)} ms`,
    ];
    console.log(`${label.padEnd(44)} ${figures.join('  ')}`);
  }
}

await (process.argv[2] === undefined ? runParent() : runAsChild(serve));
