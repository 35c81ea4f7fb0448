/** An error in a configuration file neither stops the service nor opens access. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createLogger } from '../../src/observe/logger.ts';
import { makeConfig, readConfigSource } from '../../src/service/config-source.ts';
import { Reloader } from '../../src/service/reloader.ts';
import type { ServiceHost } from '../../src/service/service-host.ts';
import { makeFolder } from '../access/key-tables.ts';

const GOOD =
  'admin: { key: 0123456789abcdef }\nnetworks: { mine: { hosts: [a.localhost], builtin: devnet } }\n';
const SECRET = 'hunter2hunter2hunter2';

test('an unusable configuration leaves the previous one in force', async (t) => {
  const file = join(makeFolder(t), 'p.yaml');
  writeFileSync(file, GOOD);
  const configSource = await readConfigSource(file);
  assert.ok(configSource.kind === 'file');
  const lines: string[] = [];
  const reloaded: string[] = [];
  const host: Partial<ServiceHost> = {
    reload: async (next) => {
      if (next.kind === 'file') reloaded.push(next.text);
    },
    reloadCertificate: () => {},
  };
  const log = createLogger('info', { sink: { write: (line) => void lines.push(line) } });
  const reloader = new Reloader(configSource, await makeConfig(configSource), host as ServiceHost, log);
  t.after(() => reloader.close());
  const slots = async (): Promise<void> => {
    const before = lines.length;
    process.emit('SIGHUP');
    while (lines.length === before) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  for (const bad of [
    'networks: [',
    '',
    GOOD.replace('devnet', 'nothing'),
    // Settings of access and listeners need a restart: a reload opens nothing.
    GOOD.replace('admin:', 'listen: { host: 0.0.0.0 }\nadmin:'),
    GOOD.replace('{ key: 0123456789abcdef }', '{}'),
    GOOD.replace('devnet', `nothing\n    upstreams: ["ftp://${SECRET}@127.0.0.1"]`),
  ]) {
    writeFileSync(file, bad);
    await slots();
    assert.match(lines.at(-1) ?? '', /the previous one stays in force/, bad);
  }
  assert.deepEqual(reloaded, []);
  assert.ok(!lines.join('').includes(SECRET));
  const next = `${GOOD}defaultNetwork: mine\n`;
  writeFileSync(file, next);
  await slots();
  assert.deepEqual(reloaded, [next]);
});
