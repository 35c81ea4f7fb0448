import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BannerParts, formatBanner } from '../../src/cli/banner.ts';
import { parseConfig } from '../../src/config/load-config.ts';

const NODE = { upstreams: ['http://127.0.0.1:1'] };
const DEVNET = { hosts: ['devnet.localhost'], builtin: 'devnet' };

function format(config: Readonly<Record<string, unknown>>, parts: Partial<BannerParts> = {}): string[] {
  const text = JSON.stringify(config);
  const banner = formatBanner({
    title: 'Portcullis listens on 127.0.0.1:8545',
    config: parseConfig(text, { name: 'test', folder: '/', environment: {} }),
    address: { host: '127.0.0.1', port: 8_545 },
    admin: { host: '127.0.0.1', port: 9_545 },
    keysPlace: ['--config', 'p.yaml'],
    ...parts,
  });
  const lines = banner.split('\n');
  assert.equal(lines.pop(), '');
  assert.ok(lines.length <= 12);
  return lines;
}

test('built-in networks have the key demo and a curl command that can be pasted', () => {
  assert.deepEqual(format({ defaultNetwork: 'a', networks: { a: DEVNET, b: { ...DEVNET, hosts: ['b'] } } }), [
    'Portcullis listens on 127.0.0.1:8545',
    '  Networks:  a (default), b',
    '  HTTP:      POST http://127.0.0.1:8545/<network>/v3/demo',
    '  WebSocket: ws://127.0.0.1:8545/<network>/ws/v3/demo',
    '  Key:       demo',
    '  Status:    http://127.0.0.1:9545/status',
    `  Try:       curl -s http://127.0.0.1:8545/a/v3/demo -H 'Content-Type: application/json' -d '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}'`,
  ]);
});

test('other networks have the command that creates a key', () => {
  const [, , http, , key, curl] = format(
    { networks: { a: { hosts: ['a'], ...NODE } } },
    { admin: undefined, keysPlace: ['--config', "it's mine.yaml"] },
  );
  assert.equal(http, '  HTTP:      POST http://127.0.0.1:8545/<network>/v3/<API_KEY>');
  assert.equal(key, `  Key:       portcullis keys create --name NAME --config 'it'\\''s mine.yaml'`);
  assert.match(curl ?? '', /^ {2}Try: +curl -s http:\/\/127\.0\.0\.1:8545\/a\/v3\/\$KEY /);
});

test('the command that creates a key has the data folder of the environment', () => {
  const lines = format(
    { networks: { a: { hosts: ['a'], ...NODE } } },
    { keysPlace: ['--config', 'p.yaml', '/var/lib/my keys'] },
  );
  assert.equal(
    lines[4],
    `  Key:       PORTCULLIS_DATA_DIR='/var/lib/my keys' portcullis keys create --name NAME --config p.yaml`,
  );
});

test('with both kinds of networks, the curl command uses a network that the key demo opens', () => {
  const networks = { a: { hosts: ['a'], ...NODE }, devnet: DEVNET };
  const lines = format({ networks });
  assert.equal(
    lines[4],
    '  Key:       demo (devnet); other networks: portcullis keys create --name NAME --config p.yaml',
  );
  assert.match(lines.at(-1) ?? '', /\/devnet\/v3\/demo /);
});

test('the key demo is not named where the service does not accept it', () => {
  const lines = format({ listen: { host: '0.0.0.0' }, networks: { devnet: DEVNET } });
  assert.doesNotMatch(lines.join('\n'), /demo/);
});

test('a single default network has no name in its addresses', () => {
  const config = { defaultNetwork: 'dev', networks: { dev: { hosts: ['dev.localhost'], ...NODE } } };
  const lines = format(config, { demoNetworks: ['dev'] });
  assert.equal(lines[1], '  HTTP:      POST http://127.0.0.1:8545/v3/demo');
  assert.match(lines.at(-1) ?? '', /curl -s http:\/\/127\.0\.0\.1:8545\/v3\/demo /);
});

test('many networks take one line', () => {
  const networks = Object.fromEntries(
    Array.from({ length: 100 }, (_, i) => [`n${i}`, { hosts: [`n${i}`], ...NODE }]),
  );
  const lines = format({ networks });
  assert.equal(lines[1], '  Networks:  n0, n1, n2, n3, n4, n5, n6, n7, and 92 more');
});

test('commands begin as the program was started', (t) => {
  const before = process.env['npm_lifecycle_event'];
  t.after(() => {
    if (before === undefined) delete process.env['npm_lifecycle_event'];
    else process.env['npm_lifecycle_event'] = before;
  });
  for (const [event, program] of [
    ['start', 'npm start --'],
    ['npx', 'npx portcullis'],
    ['test', 'portcullis'],
  ] as const) {
    process.env['npm_lifecycle_event'] = event;
    const key = format({ networks: { a: NODE } }).find((line) => line.startsWith('  Key:'));
    assert.equal(key, `  Key:       ${program} keys create --name NAME --config p.yaml`);
  }
});
