import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { MAIN, ROOT } from '../../scripts/program-files.ts';
import { hashApiKey } from '../../src/access/keys/api-key.ts';
import { LmdbKeyTable } from '../../src/access/keys/lmdb-key-table.ts';

type Outcome = { readonly code: number | null; readonly out: string; readonly err: string };

function run(args: string[], environment: Record<string, string> = {}): Outcome {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], ...environment },
  });
  return { code: status, out: stdout, err: stderr };
}

function makeFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('help and version are printed', () => {
  for (const args of [['help'], ['--help'], ['-h']]) {
    const { code, out } = run(args);
    assert.equal(code, 0);
    assert.match(out, /^ {2}serve --config FILE /m);
  }
  for (const args of [['version'], ['-v'], ['--version']]) assert.match(run(args).out, /^\d+\.\d+\.\d+\n$/);
  assert.match(run(['keys', '--help']).out, /keys revoke ID/);
  assert.match(run(['check-config', '-h']).out, /check-config FILE/);
  assert.equal(run(['help', 'keys', 'create']).out, run(['keys', 'create', '--help']).out);
  assert.match(run(['help']).out, /^ {2}doctor --config FILE /m);
});

for (const args of [
  ['nonsense'],
  ['constructor'],
  ['keys'],
  ['keys', 'create'],
  ['keys', 'create', '--name', 'x', '--send', '--no-send'],
  ['keys', 'create', '--name', ''],
  ['keys', 'create', '--nmae', 'x'],
  ['keys', 'revoke'],
  ['keys', 'list', 'x'],
  ['keys', 'list', '--data', 'a', '--config', 'b'],
  ['check-config'],
  ['check-config', '--unknown', 'x'],
]) {
  test(`refuses the arguments: ${args.join(' ')}`, (t) => {
    const { code, out, err } = run(args, { PORTCULLIS_DATA_DIR: makeFolder(t) });
    assert.equal(code, 2);
    assert.equal(out, '');
    assert.match(err, /^portcullis: /);
    assert.doesNotMatch(err, /\n {4}at /);
  });
}

test('an unusable option value is named in the error, with a suggestion', () => {
  const files = ['--genesis', 'g.json', '--blocks', 'b.rlp'];
  for (const [args, message] of [
    [['import', ...files, '--verify', 'ful'], '--verify cannot be "ful", did you mean full?'],
    [['import', ...files, '--seal', 'x'], '--seal cannot be "x"; there are: ethash-format, none'],
    [['dev', ...files, '--seal', 'x'], '--seal cannot be "x"; there are: ethash-format, none'],
    [['dev', ...files, '--port', '99999'], '--port cannot be "99999": expected a number from 0 to 65535'],
    [
      ['dev', ...files, '--simulation-gas', '1'],
      '--simulation-gas cannot be "1": expected a number from 21000 to 4294967296',
    ],
    [
      ['import', ...files, '--call-memory', '1GB'],
      '--call-memory cannot be "1GB": expected a number from 1 to 1024',
    ],
    [['--rollup', 'opstack'], '--rollup cannot be "opstack", did you mean op-stack?'],
    [['start', '--port', 'x'], '--port cannot be "x": expected a number from 0 to 65535'],
    [['--port', '70000'], '--port cannot be "70000": expected a number from 0 to 65535'],
    [['import', '--genesis', 'g'], 'import needs --blocks FILE'],
    [
      ['dev', '--blocks', 'b'],
      'dev needs --genesis FILE: `portcullis start` serves the built-in networks, without files',
    ],
    [
      ['dev', '--genesis', 'g'],
      `dev needs --blocks FILE: \`geth export\` writes such a file, and an example of both files is in ${join(ROOT, 'chains/devnet')}`,
    ],
    [['serve'], 'serve needs --config FILE'],
    [['dev', '--geneis', 'g'], 'dev does not take --geneis, did you mean --genesis?'],
    [['keys', 'list', '-x'], 'keys list does not take -x; there are: --data, --config, --help'],
    [['keys', 'creat'], 'keys does not take "creat", did you mean create?'],
    [['--rolup', 'linea'], 'start does not take --rolup, did you mean --rollup?'],
    [['verfy'], 'there is no command verfy, did you mean verify?'],
    [['help', 'verfy'], 'there is no command verfy, did you mean verify?'],
    [['verify', 'a', 'b', '--hash', '0x'], 'verify does not take "b"'],
    [['keys', 'show'], 'keys show needs ID'],
    [['dev', '--genesis'], "Option '--genesis <value>' argument missing"],
  ] as const) {
    assert.deepEqual(run([...args]), {
      code: 2,
      out: '',
      err: `portcullis: ${message}\n${nameHelp([...args])}\n`,
    });
  }
  for (const command of ['serve', 'keys']) assert.match(run([command, '--help']).out, /PORTCULLIS_DATA_DIR/);
});

/** Returns the line that names the help of a command line. */
function nameHelp([first = '', second = '']: readonly string[]): string {
  if (first.startsWith('-')) return 'Try portcullis help start.';
  if (['verfy', 'help'].includes(first)) return 'Try portcullis help.';
  const isSubcommand = first === 'keys' && second !== 'creat';
  return `Try portcullis help ${first}${isSubcommand ? ` ${second}` : ''}.`;
}

test('import stores below PORTCULLIS_DATA_DIR by default', (t) => {
  const data = makeFolder(t);
  const files = ['--genesis', 'chains/devnet/genesis.json', '--blocks', 'chains/devnet/blocks.rlp.gz'];
  const { code, err } = run(['import', ...files], { PORTCULLIS_DATA_DIR: data });
  assert.equal(code, 0, err);
  assert.ok(existsSync(join(data, 'chain/data.mdb')));
});

test('unusable files of an import are reported in one sentence', (t) => {
  const folder = makeFolder(t);
  const [genesis, blocks] = ['chains/devnet/genesis.json', 'chains/devnet/blocks.rlp.gz'];
  const runImport = (g: string, b: string, data: string): string => {
    const { code, out, err } = run(['import', '--genesis', g, '--blocks', b, '--data', data]);
    assert.deepEqual([code, out], [1, ''], err);
    return err;
  };
  const data = join(folder, 'data');
  assert.equal(
    runImport(blocks, blocks, data),
    `portcullis: ${blocks}: is not JSON: expected a geth genesis file\n`,
  );
  assert.equal(
    runImport(genesis, '/dev/null', data),
    'portcullis: /dev/null: is not a file but a device: name a regular file\n',
  );
  const file = join(folder, 'file');
  writeFileSync(file, 'x');
  assert.equal(runImport(genesis, blocks, file), `portcullis: ${file} cannot be written: is not a folder\n`);
});

test('a port that is in use is the only error, and is reported before a chain is opened or imported', async (t) => {
  const other = createServer().listen(0, '127.0.0.1');
  t.after(() => other.close());
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const data = makeFolder(t);
  const config = join(data, 'p.yaml');
  writeFileSync(config, 'networks:\n  a: { hosts: [a], builtin: devnet }\n');
  const files = ['--genesis', 'chains/devnet/genesis.json', '--blocks', 'chains/devnet/blocks.rlp.gz'];
  const here = `127.0.0.1:${port} is in use; choose another`;
  for (const [args, ports, message] of [
    [['start'], [port, 'off'], `${here} port with --port or PORTCULLIS_PORT`],
    [['start', '--port', `${port}`], [0, 'off'], `${here} port with --port or PORTCULLIS_PORT`],
    [['dev', ...files], [port, 'off'], `${here} port with --port or PORTCULLIS_PORT`],
    [['serve', '-c', config], [port, 'off'], `${here} port with PORTCULLIS_PORT or listen.port`],
    [['dev', ...files], [0, port], `the admin server's ${here} with PORTCULLIS_ADMIN_PORT or admin`],
  ] as const) {
    const [PORTCULLIS_PORT, PORTCULLIS_ADMIN_PORT] = ports.map(String) as [string, string];
    assert.deepEqual(run([...args], { PORTCULLIS_DATA_DIR: data, PORTCULLIS_PORT, PORTCULLIS_ADMIN_PORT }), {
      code: 1,
      out: '',
      err: `portcullis: ${message}\n`,
    });
  }
  assert.deepEqual(readdirSync(data), ['p.yaml']);
});

test('an unusable listen host is reported with the remedy', (t) => {
  const place = { PORTCULLIS_DATA_DIR: makeFolder(t), PORTCULLIS_PORT: '0', PORTCULLIS_ADMIN_PORT: 'off' };
  const { code, err } = run(['start'], { ...place, PORTCULLIS_HOST: 'nohost.invalid' });
  assert.equal(code, 1);
  assert.match(
    err,
    /^portcullis: the host name nohost\.invalid has no address; choose another with PORTCULLIS_HOST/m,
  );
});

test('too few file descriptors are reported in one sentence', (t) => {
  const words = [process.execPath, MAIN, 'keys', 'create', '--name', 'a', '--data', makeFolder(t)];
  const { stderr } = spawnSync('sh', ['-c', 'ulimit -n 21; exec "$@"', 'sh', ...words], { encoding: 'utf8' });
  assert.match(
    stderr,
    /^portcullis: [^\n]*too many open files: raise the limit \(ulimit -n, LimitNOFILE\)\n$/m,
  );
});

test('a created key that cannot be printed is revoked', {
  skip: existsSync('/dev/full') ? false : 'there is no /dev/full',
}, (t) => {
  const folder = makeFolder(t);
  const full = openSync('/dev/full', 'w');
  const { status, stderr } = spawnSync(
    process.execPath,
    [MAIN, 'keys', 'create', '--name', 'lost', '--data', folder],
    { stdio: ['ignore', full, 'pipe'], encoding: 'utf8' },
  );
  closeSync(full);
  assert.equal(status, 1);
  assert.match(stderr, /^portcullis: key \w+ was created, but could not be printed and is revoked$/m);
  assert.match(run(['keys', 'list', '--data', folder]).out, /lost +revoked/);
});

test('check-config checks the files that a configuration names', (t) => {
  const folder = makeFolder(t);
  const file = join(folder, 'p.yaml');
  const tls = 'listen: { tls: { cert: c.pem, key: k.pem } }\naccess: { jwt: { sso: { jwks: keys.json } } }\n';
  writeFileSync(
    file,
    `${tls}networks:\n  a: { hosts: [a], embedded: { data: a } }\n  b: { hosts: [b], upstreams: ["http://a"], execution: local, chain: g.json }\n`,
  );
  const { code, err } = run(['check-config', file]);
  assert.equal(code, 1);
  assert.deepEqual(err.trimEnd().split('\n'), [
    `p.yaml:1: listen.tls.cert: no such file: ${join(folder, 'c.pem')}`,
    'p.yaml:2: access.jwt.sso.jwks: no such file or folder',
    `p.yaml:4: networks.a.embedded.data: there is no chain store in ${join(folder, 'a')}: import a chain into it first`,
    `p.yaml:5: networks.b.chain: the rules of the chain in ${join(folder, 'g.json')} cannot be read: no such file or folder`,
  ]);
});

test('check-config prints ok, or each error with its line', (t) => {
  const good = join(makeFolder(t), 'good.yaml');
  writeFileSync(good, 'networks:\n  a: { hosts: [a], builtin: devnet }\n');
  assert.deepEqual(run(['check-config', good]), { code: 0, out: 'ok\n', err: '' });
  // Readers have to provide the store that the example names.
  const example = run(['check-config', 'portcullis.example.yaml'], { NODE_KEY: 'key' });
  assert.match(
    example.err,
    /^portcullis\.example\.yaml:\d+: networks\.mine\.embedded\.data: there is no chain store in \S+: import a chain into it first\n$/,
  );
  assert.match(
    run(['check-config', 'portcullis.example.yaml']).err,
    /the environment has no variable NODE_KEY/,
  );
  const file = join(makeFolder(t), 'p.yaml');
  writeFileSync(file, 'networks:\n  a: { hosts: [a], builtin: devnet }\nnope: 1\nlog: { level: loud }\n');
  const { code, err } = run(['check-config', file]);
  assert.equal(code, 1);
  const lines = err.trimEnd().split('\n').sort();
  assert.match(lines[0] ?? '', /^p\.yaml:3: nope: unknown key; there are: listen, /);
  assert.match(lines[1] ?? '', /^p\.yaml:4: log\.level: /);
  assert.equal(lines.length, 2);
  writeFileSync(file, '# nothing\n');
  for (const args of [
    ['check-config', file],
    ['serve', '--config', file],
  ]) {
    assert.deepEqual(run(args), { code: 1, out: '', err: 'p.yaml: the file is empty\n' });
  }
  assert.match(run(['check-config', 'none.yaml']).err, /^none\.yaml: no such file\n$/);
});

test('keys are created, listed without the key, and revoked', async (t) => {
  const folder = makeFolder(t);
  const created = run(['keys', 'create', '--name', 'alice', '--data', folder]);
  assert.equal(created.code, 0);
  assert.match(created.out, /^[0-9a-f]{32}\n$/);
  const key = created.out.trim();
  assert.ok(!created.err.includes(key));
  const table = new LmdbKeyTable(folder);
  t.after(() => table.close());
  const { id = '', name } = table.findByHash(hashApiKey(key)) ?? {};
  assert.equal(name, 'alice');

  const config = join(folder, 'p.yaml');
  writeFileSync(config, 'dataDir: .\nnetworks:\n  a: { hosts: [a], builtin: devnet }\n');
  const listed = run(['keys', 'list', '--config', config]);
  assert.match(listed.out, new RegExp(`^ID .*\\n${id} +alice +open +\\d{4}-.*Z *\\n$`));
  assert.ok(!listed.out.includes(key));

  assert.match(
    run(['keys', 'revoke', id], { PORTCULLIS_DATA_DIR: folder }).out,
    new RegExp(`^revoked ${id} `),
  );
  assert.match(run(['keys', 'list', '--data', folder]).out, / revoked .*Z {2}\d{4}-.*Z *\n$/);
  const again = run(['keys', 'revoke', 'unknown', '--data', folder]);
  assert.equal(again.code, 1);
  assert.match(again.err, /no key with the id unknown/);
});

test('only keys create makes a key store, and reports it', (t) => {
  const folder = makeFolder(t);
  const data = join(folder, 'other');
  for (const words of [['list'], ['show', '0'.repeat(12)], ['revoke', '0'.repeat(12)]]) {
    const { code, err } = run(['keys', ...words, '--data', data]);
    assert.equal(code, 1);
    assert.match(
      err,
      /^portcullis: there is no key store in \S+\/other\/keys: use --data or PORTCULLIS_DATA_DIR/,
    );
    assert.ok(!existsSync(data));
  }
  const note =
    /^portcullis: creates a new key store in \S+\/other\/keys: the key opens only a service with this/m;
  assert.match(run(['keys', 'create', '--name', 'a', '--data', data]).err, note);
  assert.doesNotMatch(run(['keys', 'create', '--name', 'a', '--data', data]).err, note);
});

test('keys need no secrets of the configuration but those of access', (t) => {
  const folder = makeFolder(t);
  const config = join(folder, 'p.yaml');
  const write = (value: object): void =>
    writeFileSync(config, JSON.stringify(value).replaceAll(/@(\w+)/g, `\${$1}`));
  const written = {
    networks: {
      a: {
        hosts: ['a'],
        upstreams: [
          '@NODE_URL',
          { url: 'https://node.example.org/@NODE_KEY', heads: '@NODE_HEADS' },
          {
            url: 'https://node.example.org/@OTHER_KEY',
            headers: { Authorization: 'Bearer @NODE_TOKEN' },
          },
          'http://127.0.0.1:@NODE_PORT',
        ],
        send: { private: { url: '@RELAY_URL', bearer: '@RELAY_TOKEN' } },
      },
      b: { hosts: ['b'], upstreams: ['@B_URL'], rollup: { family: 'linea', l1: '@L1_URL' } },
      c: {
        hosts: ['c'],
        upstreams: ['@C_URL'],
        rollup: { family: 'op-stack', l1: 'a', opNode: '@OP_NODE_URL' },
      },
    },
    cache: { redis: { url: '@CACHE_URL' } },
    tracing: { endpoint: '@TRACING_URL', headers: { Authorization: 'Bearer @TRACING_TOKEN' } },
    admin: {
      key: '@ADMIN_KEY',
      api: {
        one: { role: 'read', token: '@ONE_TOKEN' },
        other: { role: 'write', token: '@OTHER_TOKEN' },
      },
    },
  };
  write(written);
  const created = run(['keys', 'create', '--name', 'alice', '--networks', 'a,b', '--config', config]);
  assert.equal(created.code, 0, created.err);
  assert.match(run(['keys', 'list', '--config', config]).out, / alice /);
  const refused = run(['keys', 'create', '--name', 'bob', '--networks', 'z', '--config', config]);
  assert.match(refused.err, /there is no network "z"; there are: a, b, c/);
  write({ ...written, access: { valkey: { url: '@VALKEY_URL' } } });
  const list = run(['keys', 'list', '--config', config]);
  assert.equal(list.code, 1);
  assert.match(list.err, /access\.valkey\.url: the environment has no variable VALKEY_URL/);
  assert.doesNotMatch(list.err, /NODE_URL/);
});

test('a key cannot be restricted to an unknown network, method or issuer', (t) => {
  const folder = makeFolder(t);
  const file = join(folder, 'p.yaml');
  const config = {
    dataDir: folder,
    networks: {
      home: {
        hosts: ['home'],
        upstreams: ['http://127.0.0.1:9'],
        methods: { also: ['debug_traceCall', 'trace_*'] },
        rollup: { prefix: 'mine' },
      },
      away: { hosts: ['away'], upstreams: ['http://127.0.0.1:9'], rollup: { family: 'scroll' } },
    },
    access: { jwt: { sso: { jwks: 'keys.json' } } },
  };
  writeFileSync(file, JSON.stringify(config));
  const create = (...args: string[]): Outcome => run(['keys', 'create', '--name', 'a', ...args]);
  const withConfig = (...args: string[]): Outcome => create('--config', file, ...args);
  const methods =
    'eth_call,l2_estimateGas,mine_estimateGas,scroll_estimateGas,eth_getBalance,debug_traceCall,trace_block';
  const created = withConfig('--networks', 'home,away', '--methods', methods, '--jwt', 'sso');
  assert.equal(created.code, 0, created.err);
  const id = /id (\w+),/.exec(created.err)?.[1] ?? '';
  const place = ['--data', folder];
  const before = run(['keys', 'show', id, ...place]).out;

  for (const [args, message] of [
    [['--networks', 'home,hme'], /there is no network "hme", did you mean home\?/],
    [['--networks', 'nope'], /^portcullis: there is no network "nope"; there are: home, away\n/],
    [['--networks', 'home,'], /--networks has an empty entry/],
    [['--daily-credits', '1e99'], /^portcullis: (settings\.)?dailyCredits: expected at most \d+\n/],
    [['--methods', 'eth_cal'], /there is no method "eth_cal", did you mean eth_call\?/],
    [
      ['--methods', 'op_estimateGas,eth_getbalance'],
      /"op_estimateGas".*"eth_getbalance", did you mean eth_getBalance/,
    ],
    [['--jwt', 'ssso'], /there is no issuer of tokens "ssso", did you mean sso\?/],
  ] as const) {
    const commands = [withConfig(...args), run(['keys', 'update', id, '--config', file, ...args])];
    for (const { code, err, out } of commands) {
      assert.deepEqual([code, out], [2, ''], err);
      assert.match(err, message);
    }
  }
  assert.equal(run(['keys', 'show', id, ...place]).out, before);
  // Without a configuration, names are checked against the built-in networks.
  assert.equal(create('--networks', 'devnet,dev', '--methods', 'op_estimateGas', ...place).code, 0);
  for (const args of [
    ['--networks', 'home'],
    ['--methods', 'trace_block'],
    ['--jwt', 'sso'],
  ]) {
    const { code, err } = create(...args, ...place);
    assert.equal(code, 2);
    assert.match(err, /without --config FILE, settings may only name those of the built-in networks/);
  }
});

test('key settings can be created, shown, changed and removed, and both forms of a rotated key are valid', async (t) => {
  const folder = makeFolder(t);
  const place = ['--data', folder];
  const address = `0x${'AB'.repeat(20)}`;
  const lists = [
    '--networks',
    'devnet, rollup',
    '--addresses',
    address,
    '--origins',
    'https://*.example.org',
  ];
  const settings = ['--rate', '50/100', '--daily-credits', '1000', '--expires', '90d', '--secret'];
  const created = run(['keys', 'create', '--name', 'alice', ...lists, ...settings, ...place]);
  assert.equal(created.code, 0, created.err);
  const [key = '', secret = ''] = created.out.trim().split('\n');
  assert.match(secret, /^[0-9a-f]{32}$/);
  const id = /id (\w+),/.exec(created.err)?.[1] ?? '';

  const shown = run(['keys', 'show', id, ...place]);
  assert.ok(!shown.out.includes(key) && !shown.out.includes(secret) && !/[0-9a-f]{64}/.test(shown.out));
  const { expiresAt, ...rest } = JSON.parse(shown.out).settings;
  assert.ok(Math.abs(Date.parse(expiresAt) - Date.now() - 90 * 86_400_000) < 60_000);
  assert.deepEqual(rest, {
    networks: ['devnet', 'rollup'],
    addresses: [address.toLowerCase()],
    origins: ['https://*.example.org'],
    rate: { perSecond: 50, burst: 100 },
    dailyCredits: 1_000,
    secret: true,
  });

  const updated = run(['keys', 'update', id, '--networks', '', '--rate', '5', '--expires', '', ...place]);
  assert.deepEqual(JSON.parse(updated.out).settings, {
    addresses: rest.addresses,
    origins: rest.origins,
    rate: { perSecond: 5, burst: 5 },
    dailyCredits: 1_000,
    secret: true,
  });

  const rotated = run(['keys', 'rotate', id, '--grace', '1h', ...place]).out.trim();
  const table = new LmdbKeyTable(folder);
  t.after(() => table.close());
  for (const one of [key, rotated]) assert.equal(table.findByHash(hashApiKey(one))?.id, id);

  for (const [args, message] of [
    [['update', id, '--addresses', '0x12'], /addresses\.0: expected an address/],
    [['update', id, '--rate', 'fast'], /--rate takes calls per second/],
    [['update', id, '--expires', 'soon'], /--expires takes a time/],
    [['update', id], /keys update needs a setting/],
    [['rotate', id, '--grace', '1'], /--grace takes a duration/],
    [['revoke', id, '--rate', '1'], /does not take --rate/],
    [['create', '--name', 'x', '--daily-credits', 'many'], /dailyCredits/],
    [['hide', id], /keys does not take "hide"; there are: create, list,/],
  ] as const) {
    const { code, err } = run(['keys', ...args, ...place]);
    assert.equal(code, 2);
    assert.match(err, message);
  }
});

test('an outdated Node.js version is reported in one sentence, by the program and by npm', (t) => {
  const fake = join(makeFolder(t), 'old.cjs');
  for (const version of ['18.20.8', '20.18.3', '8.17.0']) {
    writeFileSync(fake, `Object.defineProperty(process.versions, 'node', { value: '${version}' });\n`);
    for (const file of [MAIN, join(ROOT, 'scripts/check-node.cjs')]) {
      const { status, stdout, stderr } = spawnSync(process.execPath, ['--require', fake, file, '--version'], {
        encoding: 'utf8',
      });
      assert.deepEqual([status, stdout], [1, '']);
      assert.equal(stderr, `portcullis: needs Node 20.19 or later, and this is ${version}\n`);
    }
  }
  for (const version of ['20.19.0', '22.0.0', process.versions.node]) {
    writeFileSync(fake, `Object.defineProperty(process.versions, 'node', { value: '${version}' });\n`);
    const { status } = spawnSync(process.execPath, ['--require', fake, MAIN, '--version']);
    assert.equal(status, 0);
  }
});

test('the entry files use only syntax that outdated Node.js versions can parse', () => {
  for (const file of [MAIN, join(ROOT, 'scripts/check-node.cjs')]) {
    const text = readFileSync(file, 'utf8');
    assert.doesNotMatch(
      text,
      /\?\.[a-z[(]|\?\?|^await |\d_\d|#\w+[ (;=]|^import [^;]* from "(?!node:|fs)/m,
      file,
    );
    assert.ok(text.length < 4_096, 'nothing else is bundled into it');
  }
});
