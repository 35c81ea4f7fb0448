import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ConfigError } from '../../src/config/config-error.ts';
import { parseConfig } from '../../src/config/load-config.ts';
import { isServed, type MethodOptions } from '../../src/config/method-options.ts';
import type { NetworkOptions } from '../../src/config/network-options.ts';

type Environment = Readonly<Record<string, string>>;

/** Parses the network `n` with these rows (YAML, from line 4 on). */
function parseNetwork(rows: string, environment: Environment = {}): NetworkOptions {
  const text = `networks:\n  n:\n    hosts: [n.localhost]\n${rows}`;
  const config = parseConfig(text, { name: 'p.yaml', folder: '/etc/portcullis', environment });
  return config.networks['n'] as NetworkOptions;
}

function errorsOf(rows: string, environment: Environment = {}): readonly string[] {
  try {
    parseNetwork(rows, environment);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.lines;
  }
  return [];
}

/** Returns a reference to an environment variable in a configuration. */
function refer(name: string): string {
  return `\${${name}}`;
}

const BATCH = { items: 100, callers: 'auto' };
const DEFAULTS = { tier: 1, connections: 64, inFlight: 1_024, batch: BATCH };
const NODE = '    upstreams: ["http://127.0.0.1:8545"]\n';

test('a URL alone is an upstream with defaults', () => {
  const { upstreams } = parseNetwork(`    upstreams:
      - http://127.0.0.1:8545
      - wss://node.example.org/ws
      - url: https://node.example.org/rpc
        name: hosted
        heads: wss://node.example.org/ws
        headers: { X-Api-Key: abc }
        bearer: token
        tier: 2
        connections: 8
        inFlight: 16
        batch: { callers: never }
      - { url: "ws://127.0.0.1:1", basic: { user: me, password: "" } }
`);
  assert.deepEqual(upstreams, [
    { url: 'http://127.0.0.1:8545', ...DEFAULTS },
    { url: 'wss://node.example.org/ws', ...DEFAULTS },
    {
      url: 'https://node.example.org/rpc',
      name: 'hosted',
      heads: 'wss://node.example.org/ws',
      headers: { 'X-Api-Key': 'abc' },
      bearer: 'token',
      tier: 2,
      connections: 8,
      inFlight: 16,
      batch: { items: 100, callers: 'never' },
    },
    { url: 'ws://127.0.0.1:1', basic: { user: 'me', password: '' }, ...DEFAULTS },
  ]);
});

const ROWS_WITH_SECRETS = `    upstreams:
      - https://node.example.org/v1/\${NODE_KEY}?token=\${NODE_TOKEN}
      - url: https://\${NODE_HOST}/
        heads: wss://\${NODE_HOST}/
        bearer: \${NODE_TOKEN}
        headers: { X-Key: "a\${NODE_KEY}b" }
`;
const SECRETS = { NODE_KEY: 'k3y', NODE_TOKEN: 't0ken', NODE_HOST: 'n.example.org' };

test('environment variables are substituted in upstreams', () => {
  const { upstreams } = parseNetwork(ROWS_WITH_SECRETS, SECRETS);
  assert.deepEqual(upstreams, [
    { url: 'https://node.example.org/v1/k3y?token=t0ken', ...DEFAULTS },
    {
      url: 'https://n.example.org/',
      heads: 'wss://n.example.org/',
      bearer: 't0ken',
      headers: { 'X-Key': 'ak3yb' },
      ...DEFAULTS,
    },
  ]);
});

test('environment variables are substituted in the URLs of a rollup, and nowhere else in it', () => {
  const { rollup } = parseNetwork(
    `    builtin: rollup
    rollup:
      l1: https://node.example.org/v1/\${NODE_KEY}
      opNode: https://op.example.org/\${NODE_TOKEN}
      messageService: '0x508ca82df566dcd1b0de8296e70a96332cd644ec'
`,
    SECRETS,
  );
  assert.deepEqual(
    [rollup?.l1, rollup?.opNode],
    ['https://node.example.org/v1/k3y', 'https://op.example.org/t0ken'],
  );
  assert.match(
    String(errorsOf(`    builtin: rollup\n    rollup: { prefix: "a${refer('NODE_KEY')}" }\n`, SECRETS)),
    /rollup\.prefix: \$\{NODE_KEY\} is not replaced/,
  );
});

test('a missing or empty variable is reported with file, line and key', () => {
  assert.deepEqual(errorsOf(ROWS_WITH_SECRETS, { NODE_HOST: 'n.example.org', NODE_TOKEN: '' }), [
    'p.yaml:5: networks.n.upstreams[0]: the environment has no variable NODE_KEY',
    'p.yaml:5: networks.n.upstreams[0]: the environment has no variable NODE_TOKEN',
    'p.yaml:8: networks.n.upstreams[1].bearer: the environment has no variable NODE_TOKEN',
    'p.yaml:9: networks.n.upstreams[1].headers.X-Key: the environment has no variable NODE_KEY',
  ]);
});

test('the value of a variable is not substituted again', () => {
  const environment = { OUTER: refer('INNER'), INNER: 'no' };
  const { upstreams } = parseNetwork(
    `    upstreams: [{ url: "http://a", bearer: "${refer('OUTER')}" }]\n`,
    environment,
  );
  assert.equal(upstreams?.[0]?.bearer, environment.OUTER);
});

test('a variable outside of upstreams is an error', () => {
  const text = `    embedded: { data: "${refer('FOLDER')}" }\n`;
  assert.match(String(errorsOf(text, { FOLDER: 'no' })), /embedded\.data: \$\{FOLDER\} is not replaced/);
});

const rows: { name: string; text: string; errors: (string | RegExp)[] }[] = [
  {
    name: 'an address of something else',
    text: '    upstreams:\n      - ftp://node\n      - node:8545\n      - ""\n',
    errors: [
      'p.yaml:5: networks.n.upstreams[0].url: expected a URL that starts with http:// or https:// or ws:// or wss://',
      /^p\.yaml:6: networks\.n\.upstreams\[1\]\.url: expected a URL/,
      /^p\.yaml:7: networks\.n\.upstreams\[2\]\.url: expected a URL/,
    ],
  },
  {
    name: 'credentials in an address',
    text: '    upstreams:\n      - http://me:secret@node\n      - { url: "http://a", heads: "ws://me@node" }\n',
    errors: [
      'p.yaml:5: networks.n.upstreams[0].url: the URL must not have credentials: set basic: instead',
      'p.yaml:6: networks.n.upstreams[1].heads: the URL must not have credentials: set basic: instead',
    ],
  },
  {
    name: 'a fragment',
    text: '    upstreams: ["http://node/#top"]\n',
    errors: ['p.yaml:4: networks.n.upstreams[0].url: the URL must not have a #fragment'],
  },
  {
    name: 'heads over HTTP',
    text: '    upstreams: [{ url: "http://a", heads: "http://a" }]\n',
    errors: ['p.yaml:4: networks.n.upstreams[0].heads: expected a URL that starts with ws:// or wss://'],
  },
  {
    name: 'two kinds of credentials',
    text: '    upstreams:\n      - url: http://a\n        bearer: b\n        basic: { user: u, password: p }\n',
    errors: ['p.yaml:7: networks.n.upstreams[0].basic: has both bearer and basic, expected one of them'],
  },
  {
    name: 'headers of the transport',
    text: '    upstreams:\n      - url: http://a\n        headers:\n          Content-Length: "1"\n          HOST: b\n          "a b": c\n          X-Fine: "a\\nb"\n',
    errors: [
      /^p\.yaml:7: networks\.n\.upstreams\[0\]\.headers\.Content-Length: this header is set by the service and cannot be configured$/,
      /^p\.yaml:8: networks\.n\.upstreams\[0\]\.headers\.HOST: this header is set by the service and cannot be configured$/,
      /^p\.yaml:9: networks\.n\.upstreams\[0\]\.headers\.a b: expected the name of a header$/,
      /^p\.yaml:10: networks\.n\.upstreams\[0\]\.headers\.X-Fine: expected printable ASCII$/,
    ],
  },
  {
    name: 'a token of two lines',
    text: '    upstreams: [{ url: "http://a", bearer: "a\\nb" }]\n',
    errors: ['p.yaml:4: networks.n.upstreams[0].bearer: expected a token'],
  },
  {
    name: 'a name that cannot be printed',
    text: '    upstreams: [{ url: "http://a", name: "a b" }]\n',
    errors: ['p.yaml:4: networks.n.upstreams[0].name: expected a name of letters, digits and . : _ -'],
  },
  {
    name: 'an unknown key of a row',
    text: '    upstreams:\n      - url: http://a\n        bearrer: b\n',
    errors: ['p.yaml:6: networks.n.upstreams[0].bearrer: unknown key, did you mean bearer?'],
  },
  {
    name: 'numbers out of bounds',
    text: '    upstreams:\n      - { url: "http://a", tier: 0 }\n      - { url: "http://a", connections: 1.5 }\n      - { url: "http://a", inFlight: 2000000 }\n',
    errors: [/^p\.yaml:5: .*\.tier: /, /^p\.yaml:6: .*\.connections: /, /^p\.yaml:7: .*\.inFlight: /],
  },
  { name: 'no upstream', text: '    upstreams: []\n', errors: [/^p\.yaml:4: networks\.n\.upstreams: /] },
  {
    name: 'two chains',
    text: `    builtin: devnet\n${NODE}`,
    errors: ['p.yaml:2: networks.n: has both builtin and upstreams, expected one of them'],
  },
  {
    name: 'three chains',
    text: `    builtin: devnet\n    embedded: { data: x }\n${NODE}`,
    errors: [/^p\.yaml:2: networks\.n: has both builtin and embedded and upstreams/],
  },
  {
    name: 'methods of nodes without nodes',
    text: '    builtin: devnet\n    methods: { also: [debug_traceCall] }\n',
    errors: ['p.yaml:5: networks.n.methods.also: only a network with upstreams has methods of its nodes'],
  },
  {
    name: 'a development pool of two nodes',
    text: '    upstreams: [http://a.example.org, http://b.example.org]\n    pool: { development: true }\n',
    errors: [
      'p.yaml:5: networks.n.pool.development: only a network with one upstream can follow a development node',
    ],
  },
  {
    name: 'a development node of which something is to be executed or proven here',
    text: `${NODE}    pool: { development: true, chainId: 1 }
    execution: auto
  m:
    hosts: [m]
${NODE}    pool: { development: true, chainId: 1 }
    verify: require
`,
    errors: [
      'p.yaml:6: networks.n.execution: a development node changes state without a new block, so calls cannot be executed here: expected node',
      /^p\.yaml:\d+: networks\.m\.verify: a development node .* answers cannot be verified: expected off$/,
    ],
  },
  {
    name: 'methods of a development node on another network',
    text: `${NODE}    methods: { development: true }\n`,
    errors: [
      'p.yaml:5: networks.n.methods.development: only a network with pool.development: true has methods of a development node',
    ],
  },
  {
    name: 'a checkpoint where nothing is verified',
    text: `${NODE}    verify: off\n    checkpoint: { number: 1, hash: "0x${'ab'.repeat(32)}" }\n`,
    errors: [
      'p.yaml:6: networks.n.checkpoint: only a network with upstreams and verify: auto or require has a checkpoint',
    ],
  },
  {
    name: 'agreement of more operators than there are, and without verification',
    text: `    upstreams: [{ url: "http://a.example.org", operator: o }, { url: "http://b.example.org", operator: o }]
    agreement: { voices: 2 }
  m:
    hosts: [m]
${NODE}    verify: off
    agreement: { voices: 1 }
`,
    errors: [
      'p.yaml:5: networks.n.agreement.voices: expected at most 1, the number of operators: nodes of one operator are one voice, and upstreams[].operator names the operator of a node',
      'p.yaml:10: networks.m.agreement: only a network with upstreams and verify: auto or require has agreement',
    ],
  },
  {
    name: 'a bridge of one operator, of a chain that is not named, that does not refuse',
    text: `${NODE}    verify: auto\n    agreement: bridge\n`,
    errors: [
      'p.yaml:5: networks.n.verify: agreement: bridge refuses unverified answers: expected require, or agreement with a number of voices',
      'p.yaml:6: networks.n.agreement: agreement: bridge needs pool.chainId: the chain id is not taken from nodes',
      'p.yaml:6: networks.n.agreement: agreement: bridge needs nodes of at least 2 operators, and there is 1: upstreams[].operator names the operator of a node',
    ],
  },
  {
    name: 'bounds of verification on an embedded chain',
    text: '    builtin: devnet\n    verifyLogBlocks: 64\n    verifyCalls: 2\n',
    errors: [
      'p.yaml:5: networks.n.verifyLogBlocks: only a network with upstreams and verify: auto or require has verified logs',
      'p.yaml:6: networks.n.verifyCalls: only a network with upstreams and verify: auto or require has compared calls',
    ],
  },
  {
    name: 'hashes that YAML reads as numbers',
    text: `${NODE}    checkpoint: { number: 1, hash: 0x${'12'.repeat(32)} }\n    pool: { genesisHash: 0x${'34'.repeat(32)} }\n`,
    errors: [
      'p.yaml:5: networks.n.checkpoint.hash: expected a block hash in quotes: without them YAML reads 0x… as a number',
      'p.yaml:6: networks.n.pool.genesisHash: expected a block hash in quotes: without them YAML reads 0x… as a number',
    ],
  },
  {
    name: 'calls of a machine that is not the EVM',
    text: `${NODE}    execution: local\n    rollup: { family: arbitrum }\n`,
    errors: [
      'p.yaml:5: networks.n.execution: rollups of the family arbitrum do not run the EVM, so nodes execute their calls: expected node',
    ],
  },
  {
    name: 'a checkpoint without a hash',
    text: `${NODE}    verify: auto\n    checkpoint: { number: -1, hash: "0xab" }\n`,
    errors: [
      'p.yaml:6: networks.n.checkpoint.number: expected at least 0',
      'p.yaml:6: networks.n.checkpoint.hash: expected a block hash: 0x and 64 hex digits',
    ],
  },
  {
    name: 'an anchor where nothing is verified, or without a layer 1 that is',
    text: `${NODE}    verify: off
    rollup: { anchor: { portal: "0x${'ab'.repeat(20)}" } }
  m:
    hosts: [m]
${NODE}    verify: auto
    rollup: { l1: n, anchor: { portal: "0x${'ab'.repeat(20)}" } }
`,
    errors: [
      'p.yaml:6: networks.n.rollup.anchor: only a network with upstreams and verify: auto or require is anchored in layer 1',
      'p.yaml:11: networks.m.rollup.anchor: rollup.l1 must name a network with upstreams and verify: auto or require',
    ],
  },
  {
    name: 'an anchor of two contracts',
    text: `${NODE}    verify: auto
    rollup: { anchor: { portal: "0x${'ab'.repeat(20)}", registry: "0x${'ab'.repeat(20)}" } }
`,
    errors: ['p.yaml:6: networks.n.rollup.anchor: expected one of portal, registry and oracle'],
  },
  {
    name: 'an anchor beside a checkpoint',
    text: `${NODE}    verify: auto
    checkpoint: { number: 1, hash: "0x${'ab'.repeat(32)}" }
    rollup: { l1: m, anchor: { oracle: "0x${'ab'.repeat(20)}" } }
  m:
    hosts: [m]
${NODE}    verify: auto
`,
    errors: ['p.yaml:7: networks.n.rollup.anchor: has both an anchor and a checkpoint, expected one of them'],
  },
  {
    name: 'what is there in place of passthrough',
    text: `${NODE}    passthrough: read\n`,
    errors: [
      'p.yaml:5: networks.n.passthrough: is replaced by methods: reads are served by default, methods.also names further ones, methods.only and methods.except narrow them',
    ],
  },
  {
    name: 'methods that there are not',
    text: `${NODE}    methods:\n      only: [eth_cal, eth_*, scroll_*, debug_*]\n      except: [eth_call, scroll_traceCall, trace_block, alchemy_*]\n`,
    errors: [
      'p.yaml:6: networks.n.methods.only[0]: there is no method eth_cal, did you mean eth_call?',
      /^p\.yaml:6: networks\.n\.methods\.only\[2\]: there is no method scroll_\*/,
      /^p\.yaml:7: networks\.n\.methods\.except\[1\]: there is no method scroll_traceCall/,
    ],
  },
  {
    name: 'an empty list of all that is served',
    text: `${NODE}    methods: { only: [] }\n`,
    errors: ['p.yaml:5: networks.n.methods.only: must not be empty'],
  },
  {
    name: 'transactions that go nowhere',
    text: `${NODE}    send: { to: [node.example.org, absent], unprotected: 1 }\n`,
    errors: [
      'p.yaml:5: networks.n.send.unprotected: expected true or false, not a number',
      /^p\.yaml:5: networks\.n\.send\.to\[0\]: there is no upstream node\.example\.org/,
      /^p\.yaml:5: networks\.n\.send\.to\[1\]: there is no upstream absent/,
    ],
  },
  {
    name: 'a relay that is none',
    text: `${NODE}    send:\n      to: some\n      private: { url: "ws://relay.example.org" }\n      rule: form\n`,
    errors: [
      'p.yaml:6: networks.n.send.to: expected all, first, or a list of names of upstreams',
      'p.yaml:7: networks.n.send.private.url: expected a URL that starts with http:// or https://',
      /^p\.yaml:8: networks\.n\.send\.rule: unknown key, did you mean rules\?/,
    ],
  },
  {
    name: 'sending where there are no nodes',
    text: '    builtin: devnet\n    send: { to: first }\n',
    errors: ['p.yaml:5: networks.n.send: only a network with upstreams sends transactions'],
  },
  {
    name: 'methods that do more than read',
    text: `${NODE}    methods:\n      also:\n      - eth_getBalance\n      - eth_sendRawTransaction\n      - nonsense\n      - admin_*\n`,
    errors: [
      'p.yaml:8: networks.n.methods.also[1]: eth_sendRawTransaction is not read-only: it cannot be served',
      'p.yaml:9: networks.n.methods.also[2]: expected the name of a method such as debug_traceCall, or of a namespace such as debug_*',
      'p.yaml:10: networks.n.methods.also[3]: admin_* has no read-only method: none of them can be served',
    ],
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

test('a development node is not verified by default, and its methods can be named', () => {
  const development = `${NODE}    pool: { development: true }\n`;
  assert.equal(parseNetwork(development).verify, 'off');
  assert.equal(parseNetwork(`${development}    verify: auto\n`).verify, 'auto');
  assert.equal(parseNetwork(NODE).verify, undefined);
  const { methods } = parseNetwork(
    `${development}    methods: { only: [eth_*, anvil_mine, evm_*], except: [eth_sign] }\n`,
  );
  assert.deepEqual(methods.only, ['eth_*', 'anvil_mine', 'evm_*']);
  assert.match(
    errorsOf(`${NODE}    methods: { except: [anvil_mine] }\n`).join(),
    /there is no method anvil_mine/,
  );
});

test('all pool options have defaults', () => {
  assert.deepEqual(parseNetwork(NODE).pool, {
    headShare: 'majority',
    maxLagBlocks: 8,
    maxLagTime: 30_000,
    headAge: 60_000,
    development: false,
    pollInterval: 250,
    tags: {},
    connectTimeout: 2_000,
    answerTimeout: 10_000,
    stallTimeout: 10_000,
    answerBytes: 134_217_728,
    streamBytes: 1_048_576,
    retries: 2,
    hedgePercent: 5,
    cache: true,
  });
});

test('a checkpoint accepts a decimal or hex number, and its hash is converted to lower case', () => {
  for (const number of ['16', '"0x10"']) {
    const text = `${NODE}    verify: auto\n    checkpoint: { number: ${number}, hash: "0x${'AB'.repeat(32)}" }\n`;
    assert.deepEqual(parseNetwork(text).checkpoint, { number: 16n, hash: `0x${'ab'.repeat(32)}` });
  }
});

test('pool options are parsed', () => {
  const { pool } = parseNetwork(`${NODE}    pool:
      chainId: "0x2105"
      genesisHash: "0x${'AB'.repeat(32)}"
      headShare: 0.5
      blockTime: 12s
      tags: { safe: finalized, finalized: none }
      hedgePercent: 0
      retries: 0
      cache: false
`);
  assert.equal(pool.chainId, 8_453n);
  assert.equal(pool.genesisHash, `0x${'ab'.repeat(32)}`);
  assert.equal(pool.headShare, 0.5);
  assert.equal(pool.blockTime, 12_000);
  assert.deepEqual(pool.tags, { safe: 'finalized', finalized: 'none' });
  assert.equal(pool.hedgePercent, 0);
  assert.equal(pool.retries, 0);
  assert.equal(pool.cache, false);
  assert.equal(parseNetwork(`${NODE}    pool: { chainId: 1 }\n`).pool.chainId, 1n);
});

const badPools = [
  'chainId: 0',
  'chainId: -1',
  'chainId: 1.5',
  'chainId: mainnet',
  'chainId: "01"',
  'genesisHash: "0x12"',
  'headShare: 0',
  'headShare: 1.1',
  'headShare: most',
  'blockTime: 1ms',
  'blockTime: 12',
  'pollInterval: 2m',
  'pollInterval: 1ms',
  'tags: { latest: safe }',
  'tags: { safe: pending }',
  'tags: { safe: safe }',
  'tags: { safe: finalized, finalized: safe }',
  'connectTimeout: 0s',
  'answerTimeout: 1h',
  'stallTimeout: soon',
  'answerBytes: 1',
  'answerBytes: 9000000000',
  'streamBytes: 0',
  'retries: 11',
  'retries: 1.5',
  'hedgePercent: -1',
  'hedgePercent: 101',
  'cache: perhaps',
  'nope: 1',
];
for (const value of badPools) {
  test(`a pool refuses ${value}`, () => {
    const [first, ...more] = errorsOf(`${NODE}    pool:\n      ${value}\n`);
    assert.match(first ?? '', new RegExp(`^p\\.yaml:6: networks\\.n\\.pool\\.${value.split(':')[0]}\\b.*: `));
    assert.deepEqual(more, []);
  });
}

test('methods can be restricted, excluded and added', () => {
  const parse = (value: string): MethodOptions => parseNetwork(`${NODE}    methods: ${value}\n`).methods;
  assert.deepEqual(parseNetwork(NODE).methods, { except: [], also: [] });
  assert.deepEqual(parse('{ only: [eth_call, eth_getBalance, web3_*] }'), {
    only: ['eth_call', 'eth_getBalance', 'web3_*'],
    except: [],
    also: [],
  });
  const further = { except: ['eth_getLogs', 'debug_traceBlock'], also: ['debug_*', 'trace_block'] };
  assert.deepEqual(parse(JSON.stringify(further)), further);
  const rollup = 'rollup: { prefix: mine }\n    methods: { only: [mine_estimateGas, l2_estimateGas] }';
  assert.deepEqual(
    ['eth_call', 'eth_getLogs', 'net_version'].filter((name) =>
      isServed({ only: ['eth_*'], except: ['eth_getLogs'], also: [] }, name),
    ),
    ['eth_call'],
  );
  assert.deepEqual(errorsOf(`${NODE}    ${rollup}\n`), []);
  assert.deepEqual(errorsOf(`${NODE}    ${rollup.replace('prefix: mine', '')}\n`), [], 'of its family');
});

test('no error quotes values of environment variables', () => {
  const place = fc.constantFrom(
    (name: string) => `    upstreams: ["${name}"]\n`,
    (name: string) => `    upstreams: ["ftp://${name}"]\n`,
    (name: string) => `    upstreams: ["http://me:${name}@node"]\n`,
    (name: string) => `    upstreams: [{ url: "http://a", bearer: "a b ${name}" }]\n`,
    (name: string) => `    upstreams: [{ url: "http://a", headers: { host: "${name}" } }]\n`,
    (name: string) => `    upstreams: [{ url: "http://a", headers: { x: "\\u0007${name}" } }]\n`,
    (name: string) => `    upstreams: [{ url: "http://a", name: "a b ${name}" }]\n`,
    (name: string) => `    upstreams: [{ url: "http://a", tier: "${name}" }]\n`,
    (name: string) => `    upstreams: [{ url: "http://a", heads: "${name}" }]\n`,
    (name: string) => `    upstreams: [{ url: "http://a", basic: "${name}" }]\n`,
    (name: string) => `    upstreams: ["http://a"]\ncache: { redis: { url: "http://${name}" } }\n`,
  );
  const secret = fc.stringMatching(/^s3cr3t[a-z0-9]{4,12}$/);
  fc.assert(
    fc.property(place, secret, (write, value) => {
      const found = errorsOf(write(refer('NODE_SECRET')), { NODE_SECRET: value });
      assert.ok(found.length > 0);
      for (const line of found) assert.ok(!line.includes(value), line);
    }),
  );
});

test('verify is refused for embedded chains', () => {
  assert.deepEqual(errorsOf('    builtin: devnet\n    verify: require\n'), [
    'p.yaml:5: networks.n.verify: only answers of nodes are verified: embedded chains are executed here',
  ]);
});

test('verify: require needs pool.chainId', () => {
  const message =
    'networks.n.verify: needs pool.chainId: the configuration must name the chain whose answers are verified';
  assert.deepEqual(errorsOf(`${NODE}    verify: require\n`), [`p.yaml:5: ${message}`]);
  assert.deepEqual(errorsOf(`${NODE}    pool: { retries: 0 }\n    verify: require\n`), [
    `p.yaml:6: ${message}`,
  ]);
  assert.deepEqual(errorsOf(`${NODE}    pool: { chainId: 1 }\n    verify: require\n`), []);
  assert.deepEqual(errorsOf(`${NODE}    verify: auto\n`), []);
  // An invalid pool gives no chain id, and no second error about it.
  assert.equal(errorsOf(`${NODE}    pool: { chainId: x }\n    verify: require\n`).length, 1);
});

test('an invalid execution is the only error reported for it', () => {
  assert.deepEqual(errorsOf(`${NODE}    execution: here\n    chain: genesis.json\n`), [
    'p.yaml:5: networks.n.execution: expected one of node, local, auto',
  ]);
});

test('bounds of verification are accepted with verify: off', () => {
  const off = parseNetwork(`${NODE}    verify: off\n    verifyLogBlocks: 64\n    verifyCalls: 2\n`);
  assert.deepEqual([off.verify, off.verifyLogBlocks, off.verifyCalls], ['off', 64, 2]);
});

test('verify: require executes calls here by default, unless the rollup does not run the EVM', () => {
  const required = `${NODE}    pool: { chainId: 1 }\n    verify: require\n`;
  const rollup = (family: string): string => `    rollup: { family: ${family} }\n`;
  const modes: readonly (readonly [string, string])[] = [
    ['', 'local'],
    ['    execution: auto\n', 'local'],
    ['    execution: node\n', 'node'],
    [rollup('op-stack'), 'local'],
    [rollup('arbitrum'), 'node'],
    ['    execution: node\n    rollup: {}\n', 'node'],
  ];
  for (const [further, mode] of modes) {
    assert.equal(parseNetwork(required + further).execution, mode, further);
  }
});

test('verify: require needs the family of a rollup', () => {
  assert.deepEqual(errorsOf(`${NODE}    pool: { chainId: 1 }\n    verify: require\n    rollup: {}\n`), [
    'p.yaml:7: networks.n.rollup: needs family with verify: require, which executes calls here where the rollup runs the EVM; otherwise set execution: node',
  ]);
});

test('execution can be chosen only for networks with upstreams', () => {
  assert.equal(parseNetwork(NODE).execution, 'node');
  assert.equal(parseNetwork(`${NODE}    execution: auto\n`).execution, 'auto');
  const here = parseNetwork(`${NODE}    execution: local\n    chain: rules/genesis.json\n`);
  assert.equal(here.execution, 'local');
  assert.equal(here.chain, '/etc/portcullis/rules/genesis.json');
  assert.deepEqual(errorsOf('    builtin: devnet\n    execution: auto\n'), [
    'p.yaml:5: networks.n.execution: only networks of upstreams have a choice: embedded chains are executed here',
  ]);
  assert.deepEqual(errorsOf(`${NODE}    verifyCalls: 0\n    chain: genesis.json\n`), [
    'p.yaml:6: networks.n.chain: is only used with execution: local or auto, or where answers to calls are verified',
  ]);
  assert.deepEqual(errorsOf(`${NODE}    chain: genesis.json\n`), []);
  assert.deepEqual(errorsOf(`${NODE}    execution: auto\n    rollup: {}\n`), [
    'p.yaml:5: networks.n.execution: needs rollup.family: whether calls can be executed here depends on it',
  ]);
  assert.deepEqual(errorsOf(`${NODE}    execution: auto\n    rollup: { family: op-stack }\n`), []);
});

test('nodes of one account have one budget', () => {
  const node = (budget: string): string =>
    `      - { url: "http://127.0.0.1:8545", credits: { default: 1, 'debug_*': 9 }, budget: ${budget} }\n`;
  const same = node('{ credits: 5, account: team }');
  assert.deepEqual(errorsOf(`    upstreams:\n${same}${same}`), []);
  const other = node('{ credits: 6, account: team }');
  assert.deepEqual(errorsOf(`    upstreams:\n${same}${other}`), [
    'p.yaml:6: networks.n.upstreams[1].budget: the account team has another budget in networks.n.upstreams[0]: expected one budget for all nodes of an account',
  ]);
});

test('a budget belongs to one lasting name', () => {
  const node = (more: string): string =>
    `      - { url: "http://127.0.0.1:8545", credits: { default: 1 }${more} }\n`;
  const explain = (...rows: readonly string[]): readonly string[] =>
    errorsOf(`    upstreams:\n${rows.map(node).join('')}`);
  const budget = ', budget: { credits: 5 }';
  assert.deepEqual(explain(budget), [
    'p.yaml:5: networks.n.upstreams[0].budget: needs name or budget.account: spent credits are stored under the name, and without one it changes with the position of the node',
  ]);
  assert.deepEqual(
    explain(`, name: a${budget}`, `, name: b${budget}`, ', budget: { credits: 5, account: c }'),
    [],
  );
  assert.deepEqual(explain('', ''), []);
  assert.deepEqual(explain(', name: a', '', `, name: a${budget}`), [
    'p.yaml:7: networks.n.upstreams[2].name: a is the name of networks.n.upstreams[0] too: expected another name, because spent credits are stored under it',
  ]);
});

test('prices name methods or namespaces, and a default', () => {
  const explain = (credits: string): readonly string[] =>
    errorsOf(`    upstreams:\n      - { url: "http://127.0.0.1:8545", credits: ${credits} }\n`);
  assert.match(explain("{ default: 1, 'eth_get*': 2 }").join(), /a namespace such as debug_\*, or default/);
  assert.match(explain('{ eth_call: 1 }').join(), /credits.default: is missing: expected the credits/);
});
