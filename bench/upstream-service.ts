import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseConfig } from '../src/config/load-config.ts';
import { createLogger } from '../src/observe/logger.ts';
import { composeService } from '../src/service/compose.ts';

const START_MS = 20_000;
const PAUSE_MS = 50;
const BLOCK_NUMBER = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}';

/**
 * Serves one network in this process.
 * @param row the network's row of `networks:`
 * @returns the port
 */
export async function serveNetwork(row: Readonly<Record<string, unknown>>): Promise<number> {
  const dataDir = mkdtempSync(join(tmpdir(), 'portcullis-bench-'));
  process.on('exit', () => rmSync(dataDir, { recursive: true, force: true }));
  const text = JSON.stringify({
    listen: { port: 0 },
    dataDir,
    defaultNetwork: 'bench',
    networks: { bench: { hosts: ['bench.localhost'], ...row } },
  });
  const config = parseConfig(text, { name: 'bench', folder: process.cwd(), environment: {} });
  const service = await composeService(config, createLogger('error'), { hasDemoKey: () => true });
  return (await service.server.listen()).port;
}

/**
 * Waits until a service answers with the head of its chain.
 * @throws Error when it does not within 20 seconds
 */
export async function awaitHead(port: number, path: string = '/v3/demo'): Promise<void> {
  const until = performance.now() + START_MS;
  for (;;) {
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: BLOCK_NUMBER };
    const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
    const text = await response.text();
    if (text.includes('"result"')) return;
    if (performance.now() > until) throw new Error(`the service did not become ready: ${text}`);
    await sleep(PAUSE_MS);
  }
}
