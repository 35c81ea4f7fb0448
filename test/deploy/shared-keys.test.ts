/** Several instances of deploy/portcullis.yaml, over a Valkey server with the options of deploy/compose.yaml. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { parse } from 'yaml';
import { MAIN } from '../../scripts/program-files.ts';
import { findRedisProgram, NO_REDIS_REASON, type RedisServer, startRedis } from '../support/redis.ts';
import { startNode } from '../support/served-node.ts';
import { serve } from './serving.ts';

const ADMIN_KEY = 'a-key-of-some-length';

type Scene = {
  readonly file: string;
  readonly dataDir: string;
  readonly valkey: RedisServer;
  readonly environment: Readonly<Record<string, string>>;
};

async function createScene(t: TestContext): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-compose-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const { command } = parse(readFileSync('deploy/compose.yaml', 'utf8')).services.valkey;
  const valkey = await startRedis(...command.slice(1));
  t.after(() => valkey.close());
  const node = await startNode(t);
  const file = join(folder, 'portcullis.yaml');
  const text = readFileSync('deploy/portcullis.yaml', 'utf8');
  writeFileSync(
    file,
    text.replaceAll('host: 0.0.0.0', 'host: 127.0.0.1').replace('workers: auto', 'workers: 2'),
  );
  const dataDir = join(folder, 'data');
  const environment = {
    NODE_URL: node.url,
    VALKEY_URL: `redis://127.0.0.1:${valkey.port}`,
    ADMIN_KEY,
    PORTCULLIS_DATA_DIR: dataDir,
  };
  return { file, dataDir, valkey, environment };
}

/** Runs the equivalent of `docker compose run --rm portcullis keys ...`. */
function runKeys({ file, environment }: Scene, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, 'keys', ...args, '--config', file], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], ...environment },
  });
  assert.equal(status, 0, stderr);
  return stdout.trim();
}

/** Sends a request with a key. @returns the HTTP status */
async function ask(port: number, key: string): Promise<number> {
  const { status } = await fetch(`http://127.0.0.1:${port}/v3/${key}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}',
  });
  return status;
}

test('a key created separately is valid on every instance, survives a restart of Valkey, and needs no local disk', {
  skip: findRedisProgram() === undefined && NO_REDIS_REASON,
}, async (t) => {
  const scene = await createScene(t);
  const { file, dataDir, valkey, environment } = scene;
  const [first, second] = await Promise.all([serve(t, file, environment), serve(t, file, environment)]);
  const key = runKeys(scene, 'create', '--name', 'my-app');
  for (const { port } of [first, second]) assert.equal(await ask(port, key), 200);
  assert.equal(await ask(first.port, '0'.repeat(32)), 401);
  assert.ok(!existsSync(dataDir), 'nothing is written');

  const [job] = parse(readFileSync('deploy/prometheus/prometheus.yaml', 'utf8')).scrape_configs;
  const url = `http://127.0.0.1:${first.admin}${job.metrics_path}`;
  assert.equal((await fetch(url)).status, 401);
  const headers = { Authorization: `${job.authorization.type} ${ADMIN_KEY}` };
  const metrics = await (await fetch(url, { headers })).text();
  assert.match(metrics, /^portcullis_processes 2$/m);
  const { metrics: rows } = parse(
    readFileSync('deploy/kubernetes/horizontal-pod-autoscaler.yaml', 'utf8'),
  ).spec;
  assert.match(metrics, new RegExp(`^${rows[0].pods.metric.name}\\{network="mainnet"\\} 0$`, 'm'));

  await valkey.kill();
  await valkey.restart();
  assert.match(runKeys(scene, 'list'), /my-app +open/);
});
