import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import * as z from 'zod';
import { createBuiltinConfig } from '../../src/config/builtin-config.ts';
import type { Config } from '../../src/config/config.ts';
import { ConfigError } from '../../src/config/config-error.ts';
import { loadConfig, parseConfig } from '../../src/config/load-config.ts';
import { type NetworkOptions, networkRowSchema } from '../../src/config/network-options.ts';
import { SIZE_HINT } from '../../src/util/size.ts';

const NETWORKS = 'networks: { a: { hosts: [a.localhost], builtin: devnet } }\n';

function parse(text: string, environment: Record<string, string> = {}): Config {
  return parseConfig(text, { name: 'p.yaml', folder: '/etc/portcullis', environment });
}

function errorsOf(text: string, environment: Record<string, string> = {}): readonly string[] {
  try {
    parse(text, environment);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.lines;
  }
  return [];
}

test('the example file validates, and its values match its comments', async () => {
  const config = await loadConfig('portcullis.example.yaml', { NODE_KEY: 'k3y' });
  assert.deepEqual(Object.keys(config.networks), ['devnet', 'mine', 'nodes']);
  assert.equal(config.dataDir, resolve('data'));
  const { pool, ...mine } = config.networks['mine'] as NetworkOptions;
  assert.deepEqual(mine, {
    hosts: ['mine.localhost', '*.mine.example.org'],
    embedded: { data: resolve('data/mine'), proofBlocks: 128 },
    execution: 'node',
    send: { to: 'all' },
    methods: { except: [], also: [] },
    logs: { results: 10_000, bytes: 33_554_432 },
    safeTag: 'reject',
    callTimeout: 5_000,
    rollup: { family: 'linea', prefix: 'linea', mode: 'verifier', l1CostMode: 'folded', l1: 'devnet' },
  });
  const { upstreams } = config.networks['nodes'] as NetworkOptions;
  const batch = { items: 100, callers: 'auto' };
  assert.deepEqual(upstreams, [
    { url: 'http://127.0.0.1:8546', tier: 1, connections: 64, inFlight: 1_024, batch },
    {
      url: 'https://node.example.org/v1/k3y',
      heads: 'wss://node.example.org/v1/k3y',
      tier: 2,
      connections: 64,
      inFlight: 1_024,
      batch,
    },
  ]);
  assert.deepEqual(config.networks['nodes']?.pool, pool, 'the values of the example are the defaults');
});

test('the example file contains every option of a network', async () => {
  const text = await readFile('portcullis.example.yaml', 'utf8');
  assert.ok(networkRowSchema instanceof z.ZodObject);
  const missing = Object.keys(networkRowSchema.shape).filter(
    (name) => !new RegExp(`^ {4}#?${name}:`, 'm').test(text),
  );
  assert.deepEqual(missing, []);
});

test('limits, execution and cache of the example file equal the defaults', async () => {
  const example = await loadConfig('portcullis.example.yaml', { NODE_KEY: 'k3y' });
  assert.deepEqual(example.limits, parse(NETWORKS).limits);
  assert.deepEqual(example.cache, parse(NETWORKS).cache);
  assert.deepEqual(example.execution, parse(NETWORKS).execution);
  assert.equal(example.limits.bodyBytes, 5_242_880);
  assert.equal(example.limits.webSocketPing, 30_000);
});

test('the built-in configuration serves both development networks', () => {
  const config = createBuiltinConfig({});
  assert.deepEqual(config.listen, { host: '127.0.0.1', port: 8545, trustedProxies: [] });
  assert.equal(config.defaultNetwork, 'devnet');
  assert.equal(config.networks['rollup']?.rollup?.l1, 'devnet');
  assert.equal(config.dataDir, resolve('.portcullis'));
});

test('relative paths are resolved against the folder of the file', () => {
  const config = parse(
    'listen: { tls: { cert: t/c, key: /k } }\ndataDir: ../d\nnetworks: { a: { hosts: [a], embedded: { data: x/y } } }',
    { PORTCULLIS_PORT: '1' },
  );
  assert.deepEqual(config.listen.tls, { cert: '/etc/portcullis/t/c', key: '/k' });
  assert.equal(config.dataDir, '/etc/d');
  assert.equal(config.networks['a']?.embedded?.data, '/etc/portcullis/x/y');
});

test('an error in one form of an option names the member that is wrong', () => {
  assert.deepEqual(errorsOf(`${NETWORKS}admin:\n  host: 127.0.0.1\n  port: hello\n`), [
    'p.yaml:4: admin.port: expected a number, not a text',
  ]);
  const [unknown = ''] = errorsOf(`${NETWORKS}admin:\n  prot: 9545\n`);
  assert.match(unknown, /^p\.yaml:3: admin\.prot: unknown key, did you mean port\?$/);
  assert.deepEqual(errorsOf(`${NETWORKS}admin: 7\n`), [
    'p.yaml:2: admin: expected false, or a map of host, port, key and api',
  ]);
});

test('environment variables override the file', () => {
  const config = parse(NETWORKS, {
    PORTCULLIS_HOST: '::1',
    PORTCULLIS_PORT: '9000',
    PORTCULLIS_DATA_DIR: '/var/p',
  });
  assert.deepEqual(config.listen, { host: '::1', port: 9000, trustedProxies: [] });
  assert.equal(config.dataDir, '/var/p');
  assert.deepEqual(errorsOf(NETWORKS, { PORTCULLIS_PORT: '70000' }), [
    'PORTCULLIS_PORT: expected a port number from 0 to 65535',
  ]);
});

test('a network without hosts has the host NAME.localhost, and a network with an empty list has none', () => {
  const { networks } = parse('networks: { Main_1: { builtin: devnet }, b: { hosts: [], builtin: rollup } }');
  assert.deepEqual(networks['Main_1']?.hosts, ['main_1.localhost']);
  assert.deepEqual(networks['b']?.hosts, []);
});

test('sizes and durations have units, and a size may be a number of bytes', () => {
  const { limits, cache } = parse(
    `${NETWORKS}limits: { bodyBytes: 2 MB, arrivingBytes: 64 mib, sendRate: 512kB, unsentBytes: 1000, drainDelay: 0 s, queueWait: 250 ms, filterLife: 5 min, requestTimeout: 2 minutes }\ncache: { memoryBytes: 0 }\n`,
  );
  assert.equal(limits.bodyBytes, 2_000_000);
  assert.equal(limits.arrivingBytes, 64 * 1024 * 1024);
  assert.equal(limits.sendRate, 512_000);
  assert.equal(limits.unsentBytes, 1_000);
  assert.equal(limits.drainDelay, 0);
  assert.equal(limits.queueWait, 250);
  assert.equal(limits.filterLife, 300_000);
  assert.equal(limits.requestTimeout, 120_000);
  assert.equal(cache.memoryBytes, 0);
});

test('other names of a rollup family, and names of its chains, get a hint', () => {
  const rows = [
    ['optimism', 'op-stack'],
    ['OP', 'op-stack'],
    ['opstack', 'op-stack'],
    ['bedrock', 'op-stack'],
    ['Base', 'op-stack'],
    ['nitro', 'arbitrum'],
    ['Arbitrum One', 'arbitrum'],
    ['zksync-era', 'zksync'],
    ['polygon pos', 'ethereum'],
    ['ovm', 'l2geth'],
  ];
  for (const [written, family] of rows) {
    const [line = ''] = errorsOf(`networks: { a: { builtin: rollup, rollup: { family: ${written} } } }`);
    assert.ok(line.endsWith(`ethereum, did you mean ${family}?`), line);
  }
});

test('an invalid PORTCULLIS_HOST is an error', () => {
  assert.deepEqual(errorsOf(NETWORKS, { PORTCULLIS_HOST: '127.0.0.1:80', PORTCULLIS_PORT: '1' }), [
    'PORTCULLIS_HOST: expected a host without a port: set port',
  ]);
});

const rows: { name: string; text: string; errors: (string | RegExp)[] }[] = [
  {
    name: 'a syntax error',
    text: 'networks:\n  a: [\n',
    errors: [/^p\.yaml:\d+: .*flow/i],
  },
  {
    name: 'a duplicate key',
    text: `${NETWORKS}dataDir: a\ndataDir: b\n`,
    errors: ['p.yaml:3: the key dataDir appears twice'],
  },
  { name: 'an empty file', text: '', errors: ['p.yaml: the file is empty'] },
  { name: 'a file of comments', text: '# a\n\n', errors: ['p.yaml: the file is empty'] },
  { name: 'nothing but null', text: 'null\n', errors: ['p.yaml: the file is empty'] },
  { name: 'a list', text: '- 1\n', errors: ['p.yaml:1: expected a map, not a list'] },
  {
    name: 'an unknown key',
    text: `${NETWORKS}log:\n  levl: info\n`,
    errors: ['p.yaml:3: log.levl: unknown key, did you mean level?'],
  },
  {
    name: 'an unknown key at the top',
    text: `${NETWORKS}\nlisten: {}\nport: 1\n`,
    errors: ['p.yaml:4: port: unknown key, did you mean listen.port or admin.port?'],
  },
  {
    name: 'unknown keys: another word for an option, an option of another place, no option at all',
    text: 'chains: {}\nnetworks:\n  a:\n    nodes: [x]\n    builtin: devnet\n    workers: 2\n    zzz: 1\nlisten: { ssl: {}, callers: auto }\n',
    errors: [
      'p.yaml:1: chains: unknown key, did you mean networks?',
      'p.yaml:4: networks.a.nodes: unknown key, did you mean upstreams?',
      'p.yaml:6: networks.a.workers: unknown key, did you mean workers (top level)?',
      /^p\.yaml:7: networks\.a\.zzz: unknown key; there are: hosts, /,
      'p.yaml:8: listen.ssl: unknown key, did you mean tls?',
      'p.yaml:8: listen.callers: unknown key, did you mean networks.NAME.upstreams[].batch.callers?',
    ],
  },
  {
    name: 'several errors at once',
    text: 'networks:\n  a:\n    hosts:\n      - a.b\n      - "http://x"\n    builtin: devnet\n    callTimeout: 5\n',
    errors: [
      'p.yaml:5: networks.a.hosts[1]: expected a host name without port, or *.name for every name below it',
      'p.yaml:7: networks.a.callTimeout: expected a duration such as 250ms, 5s, 1.5m, 2h or 1d',
    ],
  },
  {
    name: 'a bad duration',
    text: 'networks:\n  a:\n    hosts: [a]\n    builtin: devnet\n    callTimeout: 5 weeks\n',
    errors: ['p.yaml:5: networks.a.callTimeout: expected a duration such as 250ms, 5s, 1.5m, 2h or 1d'],
  },
  {
    name: 'a certificate without a key, and a proxy that is none',
    text: `${NETWORKS}listen:\n  tls: { cert: c }\n  trustedProxies:\n    - private\n    - proxy.local\n`,
    errors: [
      'p.yaml:3: listen.tls.key: is missing',
      'p.yaml:6: listen.trustedProxies[1]: expected an address, a range such as 10.0.0.0/8, loopback or private',
    ],
  },
  {
    name: 'a delay that is too long',
    text: `${NETWORKS}limits: { drainDelay: 11m }\n`,
    errors: ['p.yaml:2: limits.drainDelay: expected a duration from 0s to 10m'],
  },
  {
    name: 'a network that is called as paths begin',
    text: 'networks:\n  ws: { hosts: [a], builtin: devnet }\n',
    errors: [
      'p.yaml:2: networks.ws: ws is reserved, because other paths begin with /ws/: expected another name',
    ],
  },
  {
    name: 'a bad network name',
    text: 'networks:\n  "a b": { hosts: [a], builtin: devnet }\n',
    errors: ['p.yaml:2: networks.a b: expected a name of letters, digits, _ and -'],
  },
  {
    name: 'a default network that is not there',
    text: `defaultNetwork: b\n${NETWORKS}`,
    errors: ['p.yaml:1: defaultNetwork: there is no network b; there are: a'],
  },
  { name: 'no network', text: 'networks: {}\n', errors: ['p.yaml:1: networks: names no network'] },
  {
    name: 'no chain',
    text: 'networks:\n  a: { hosts: [a] }\n',
    errors: ['p.yaml:2: networks.a: has no chain: expected builtin, embedded or upstreams'],
  },
  {
    name: 'two chains',
    text: 'networks:\n  a: { hosts: [a], builtin: devnet, embedded: { data: x } }\n',
    errors: ['p.yaml:2: networks.a: has both builtin and embedded, expected one of them'],
  },
  {
    name: 'a host given twice',
    text: 'networks:\n  a: { hosts: [x], builtin: devnet }\n  b:\n    hosts:\n      - X\n    builtin: rollup\n',
    errors: ['p.yaml:5: networks.b.hosts[0]: x already belongs to a'],
  },
  {
    name: 'a layer 1 that is not there',
    text: 'networks:\n  a:\n    hosts: [x]\n    builtin: rollup\n    rollup: { family: linea, prefix: linea, l1: b }\n',
    errors: ['p.yaml:5: networks.a.rollup.l1: there is no network b; there are: a'],
  },
  {
    name: 'a layer 1 that may be an address with a key: it is not repeated',
    text: 'networks:\n  a:\n    hosts: [x]\n    builtin: rollup\n    rollup: { l1: n.example.org/v2/K3Y }\n',
    errors: ['p.yaml:5: networks.a.rollup.l1: names neither a network nor an address'],
  },
  {
    name: 'a network that is its own layer 1',
    text: 'networks:\n  a:\n    hosts: [x]\n    builtin: rollup\n    rollup: { family: linea, prefix: linea, l1: a }\n',
    errors: ['p.yaml:5: networks.a.rollup.l1: a network cannot be its own layer 1'],
  },
  {
    name: 'a family that there is not',
    text: 'networks:\n  a:\n    hosts: [x]\n    builtin: rollup\n    rollup: { family: base }\n',
    errors: [
      'p.yaml:5: networks.a.rollup.family: expected one of linea, mantle, op-stack, arbitrum, scroll, morph, zksync, polygon-zkevm, taiko, l2geth, ethereum, did you mean op-stack?',
    ],
  },
  {
    name: 'options of another family',
    text: `networks:
  a:
    hosts: [x]
    builtin: rollup
    rollup:
      family: linea
      opNode: http://127.0.0.1:9546
  b:
    hosts: [y]
    builtin: op-rollup
    rollup:
      family: op-stack
      messageService: '0x508ca82df566dcd1b0de8296e70a96332cd644ec'
`,
    errors: [
      'p.yaml:7: networks.a.rollup.opNode: the family linea has no opNode: remove it, or set family to op-stack or mantle',
      'p.yaml:13: networks.b.rollup.messageService: the family op-stack has no messageService: remove it, or set family to linea',
    ],
  },
  {
    name: 'addresses of nodes that are none',
    text: 'networks:\n  a:\n    hosts: [x]\n    builtin: rollup\n    rollup:\n      l1: ftp://x\n      opNode: https://me:pw@x\n',
    errors: ['l1', 'opNode'].map(
      (field, i) =>
        `p.yaml:${6 + i}: networks.a.rollup.${field}: expected the address of a node: http, https, ws or wss, without credentials`,
    ),
  },
  {
    name: 'a reserved prefix',
    text: 'networks:\n  a:\n    hosts: [x]\n    builtin: rollup\n    rollup: { family: linea, prefix: eth }\n',
    errors: ['p.yaml:5: networks.a.rollup.prefix: this prefix is taken'],
  },
  {
    name: 'room for less than one body',
    text: `${NETWORKS}limits:\n  bodyBytes: 2000\n  arrivingBytes: 1000\n`,
    errors: [
      'p.yaml:4: limits.arrivingBytes: must be at least bodyBytes: otherwise no body of that size could arrive',
    ],
  },
  {
    name: 'what is inside of a network with a bad name',
    text: 'networks:\n  "a b": { hosts: [a], builtin: devnt }\n',
    errors: [
      'p.yaml:2: networks.a b.builtin: expected one of devnet, rollup, op-rollup, did you mean devnet?',
      'p.yaml:2: networks.a b: expected a name of letters, digits, _ and -',
    ],
  },
  {
    name: 'a network with nothing in it',
    text: 'networks:\n  b: {}\n',
    errors: ['p.yaml:2: networks.b: has no chain: expected builtin, embedded or upstreams'],
  },
  {
    name: 'what else is wrong beside a key given twice',
    text: `${NETWORKS}log: { level: loud, level: warn }\nlimts: {}\n`,
    errors: ['p.yaml:2: the key level appears twice', 'p.yaml:3: limts: unknown key, did you mean limits?'],
  },
  {
    name: 'a key given twice that may be a secret',
    text: `${NETWORKS}"https://n.example/k3y": 1\n"https://n.example/k3y": 2\n`,
    errors: [/^p\.yaml:\d+: .*unknown key/, 'p.yaml:3: a key appears twice'],
  },
  {
    name: 'what is wrong in other sections than the one with a syntax error',
    text: `log: { level: loud }\n${NETWORKS}limits:\n  bodyBytes: "1\n`,
    errors: [
      'p.yaml:1: log.level: expected one of silent, error, warn, info, debug',
      /^p\.yaml:\d+: .*quote/,
    ],
  },
  {
    name: 'networks that cannot be read, and what depends on them',
    text: 'defaultNetwork: a\nlimts: {}\nnetworks:\n  a: { hosts: [a], builtin: devnet ]\n',
    errors: ['p.yaml:2: limts: unknown key, did you mean limits?', /^p\.yaml:4: /],
  },
  {
    name: 'variables where they are not replaced',
    text: `${NETWORKS}dataDir: "\${NO_DIR}"\naccess: { jwt: { sso: { jwks: "http://x/\${K}" } } }\n`,
    errors: [
      /^p\.yaml:2: dataDir: \$\{NO_DIR\} is not replaced by an environment variable here: write the value$/,
      /^p\.yaml:3: access\.jwt\.sso\.jwks: \$\{K\} is not replaced by an environment variable here/,
    ],
  },
  {
    name: 'a variable that is missing, once',
    text: `networks:\n  a: { hosts: [a], upstreams: ["\${URL}"] }\n`,
    errors: ['p.yaml:2: networks.a.upstreams[0]: the environment has no variable URL'],
  },
  {
    name: 'credits of methods that there are not',
    text: 'networks:\n  a: { hosts: [a], upstreams: ["http://x"], methods: { also: [trace_block, debug_*] }, rollup: { prefix: mine } }\naccess:\n  credits:\n    default: 1\n    eth_call: 1\n    trace_block: 1\n    debug_traceCall: 1\n    eth_getLogs: 1\n    eth_subscription_newHeads: 1\n    eth_cal: 1\n    taiko_estimateGas: 1\n    eth_subscription_heads: 1\n    mine_estimateGas: 1\n',
    errors: [
      'p.yaml:11: access.credits.eth_cal: there is no method eth_cal, did you mean eth_call?',
      /^p\.yaml:12: access\.credits\.taiko_estimateGas: there is no method taiko_estimateGas/,
      /^p\.yaml:13: access\.credits\.eth_subscription_heads: there is no method eth_subscription_heads/,
    ],
  },
  {
    name: 'numbers beyond their bounds',
    text: `${NETWORKS}limits: { batchItems: 0, sendRate: 1.5 }\n`,
    errors: [`p.yaml:2: limits.sendRate: ${SIZE_HINT}`, 'p.yaml:2: limits.batchItems: expected at least 1'],
  },
  {
    name: 'sizes with unknown units, or out of range',
    text: `${NETWORKS}limits:\n  bodyBytes: 5 megs\n  arrivingBytes: 2 GiB\n  unsentBytes: 0\n  sendRate: "5"\n`,
    errors: [
      `p.yaml:3: limits.bodyBytes: ${SIZE_HINT}`,
      'p.yaml:4: limits.arrivingBytes: expected a size from 1B to 1GiB',
      'p.yaml:5: limits.unsentBytes: expected a size from 1B to 1GiB',
      `p.yaml:6: limits.sendRate: ${SIZE_HINT}`,
    ],
  },
  {
    name: 'two networks with one default host',
    text: 'networks:\n  a: { hosts: [b.localhost], builtin: devnet }\n  B: { builtin: rollup }\n',
    errors: [
      'p.yaml:3: networks.B.hosts[0]: b.localhost already belongs to a: set the hosts of B, or [] for none',
    ],
  },
  {
    name: 'texts that are not hosts',
    text: `listen: { host: 300.1.1.1 }\nadmin: { host: "[::1]" }\nnetworks:\n  a:\n    hosts:\n      - 1.2.3.256\n    builtin: devnet\n`,
    errors: [
      'p.yaml:1: listen.host: expected an IP address such as 127.0.0.1, 0.0.0.0 or ::, or a host name: a host name does not end with a number',
      'p.yaml:2: admin.host: expected an IPv6 address without brackets',
      /^p\.yaml:6: networks\.a\.hosts\[0\]: expected a host name without port/,
    ],
  },
  {
    name: 'multiplying aliases',
    text: `a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c]\n`,
    errors: [/^p\.yaml:1: .*alias/i],
  },
];
for (const { name, text, errors } of rows) {
  test(`reports file, line and key of ${name}`, () => {
    const found = errorsOf(text);
    assert.equal(found.length, errors.length, found.join('\n'));
    for (const [i, expected] of errors.entries()) {
      if (typeof expected === 'string') assert.equal(found[i], expected);
      else assert.match(found[i] ?? '', expected);
    }
  });
}

test('all errors are reported at once, ordered by line', () => {
  const text = `networks:
  a: { hosts: [a], upstreams: ["https://n.example/\${NODE_KEY}"] }
  b: { hosts: [b, A], upstreems: [], builtin: devnt }
  c: { hosts: [b], builtin: rollup, safeTag: finalised, rollup: { l1: aa } }
  d: { hosts: [d], upstreams: [{ ulr: http://x }], methods: { only: [eth_getBalance] } }
  e: { hosts: [] }
defaultNetwork: cc
limts: {}
log: { level: warning }
`;
  const lines = errorsOf(text, { PORTCULLIS_PORT: 'x', PORTCULLIS_ADMIN_PORT: 'y' });
  const [first, second] = ['expected one of devnet, rollup, op-rollup', 'expected one of reject, finalized'];
  const levels = 'expected one of silent, error, warn, info, debug';
  assert.deepEqual(lines.slice().sort(), [
    'PORTCULLIS_ADMIN_PORT: expected a port number from 0 to 65535, or off',
    'PORTCULLIS_PORT: expected a port number from 0 to 65535',
    'p.yaml:2: networks.a.upstreams[0]: the environment has no variable NODE_KEY',
    `p.yaml:3: networks.b.builtin: ${first}, did you mean devnet?`,
    'p.yaml:3: networks.b.hosts[1]: a already belongs to a',
    'p.yaml:3: networks.b.upstreems: unknown key, did you mean upstreams?',
    'p.yaml:4: networks.c.hosts[0]: b already belongs to b',
    'p.yaml:4: networks.c.rollup.l1: there is no network aa; there are: a, b, c, d, e',
    `p.yaml:4: networks.c.safeTag: ${second}, did you mean finalized?`,
    'p.yaml:5: networks.d.upstreams[0].ulr: unknown key, did you mean url?',
    'p.yaml:5: networks.d.upstreams[0].url: is missing',
    'p.yaml:6: networks.e: has no chain: expected builtin, embedded or upstreams',
    'p.yaml:7: defaultNetwork: there is no network cc; there are: a, b, c, d, e',
    'p.yaml:8: limts: unknown key, did you mean limits?',
    `p.yaml:9: log.level: ${levels}, did you mean warn?`,
  ]);
  const numbers = lines.flatMap((line) => /^p\.yaml:(\d+)/.exec(line)?.[1] ?? []).map(Number);
  assert.deepEqual(
    numbers,
    [...numbers].sort((a, b) => a - b),
  );
  assert.deepEqual(lines.slice(-2), [
    'PORTCULLIS_PORT: expected a port number from 0 to 65535',
    lines.at(-1),
  ]);
});

test('an invalid network still counts as a network in references', () => {
  const network = '{ hosts: [b.localhost], builtin: nope }';
  const text = `defaultNetwork: b\nnetworks:\n  b: ${network}\n  c: { hosts: [c], builtin: rollup, rollup: { l1: b } }\n`;
  assert.deepEqual(
    errorsOf(text).map((line) => line.split(': ')[1]),
    ['networks.b.builtin'],
  );
});

test('arbitrary text is a configuration or a ConfigError', () => {
  const fragment = fc.constantFrom(
    'networks',
    'a',
    ': ',
    '\n',
    '  ',
    '- ',
    '{',
    '}',
    '[',
    '*x',
    '&x ',
    '!!map',
    '"',
    '|',
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(fragment).map((parts) => parts.join('')),
  );
  fc.assert(fc.property(text, (yaml) => void errorsOf(yaml)));
});

test('unreadable files are reported with their name', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'portcullis-'));
  t.after(() => rm(folder, { recursive: true }));
  await assert.rejects(loadConfig(join(folder, 'none.yaml'), {}), /none\.yaml: no such file/);
  await assert.rejects(loadConfig(folder, {}), /is a folder/);
  await writeFile(join(folder, 'large.yaml'), '#'.repeat(2_000_000));
  await assert.rejects(loadConfig(join(folder, 'large.yaml'), {}), /larger than/);
});
