/** First steps of a new user: starts the program in an empty folder, and pastes the commands that it prints. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { MAIN, ROOT } from '../../scripts/program-files.ts';
import { createHttpExchanger, openWebSocketExchanger } from '../support/clients.ts';
import { FACTS } from '../support/development.ts';
import { makeTemporaryFolder } from '../support/embedded.ts';

const DEVNET = join(ROOT, 'chains/devnet');
const HAS_CURL = spawnSync('curl', ['--version']).status === 0;
const BLOCK_NUMBER = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}';

type Running = {
  /** Output until the program was ready. */
  readonly printed: string;
  readonly authority: string;
  stop(): Promise<{ readonly code: number | null; readonly errors: string }>;
};

/** Runs the program in this folder on a free port, until its output matches `isReady`. */
async function launch(
  t: TestContext,
  folder: string,
  args: readonly string[],
  isReady: RegExp,
  variables: Readonly<Record<string, string>> = {},
): Promise<Running> {
  const environment = { PATH: process.env['PATH'], PORTCULLIS_PORT: '0', ...variables };
  const child: ChildProcess = spawn(process.execPath, [MAIN, ...args], { cwd: folder, env: environment });
  t.after(() => child.kill('SIGKILL'));
  let [printed, errors] = ['', ''];
  child.stdout?.on('data', (chunk) => {
    printed += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  const exited = once(child, 'exit');
  while (!isReady.test(printed)) {
    assert.equal(child.exitCode, null, errors);
    await Promise.race([once(child.stdout ?? child, 'data'), exited]);
  }
  const authority = /http:\/\/(127\.0\.0\.1:\d+)\//.exec(printed)?.[1];
  assert.ok(authority !== undefined, printed);
  return {
    printed,
    authority,
    async stop() {
      child.kill('SIGTERM');
      const [code] = await exited;
      return { code, errors };
    },
  };
}

const LAST_LINE = /More: .*\n$/;
const NO_CURL: string | false = !HAS_CURL && 'this machine has no curl';

/** Starts in this folder, pastes the printed command and each of `portcullis examples` into a shell and stops. @returns results by method */
async function pasteLines(t: TestContext, folder: string, args: string[]): Promise<Map<string, unknown>> {
  const service = await launch(t, folder, args, LAST_LINE);
  assert.ok(service.printed.split('\n').length <= 12, service.printed);
  const [, variable = '', port = '', command = ''] =
    /More: +(PORTCULLIS_PORT)=(\d+) portcullis (.*)\n/.exec(service.printed) ?? [];
  const examples = spawnSync(process.execPath, [MAIN, ...command.split(' ')], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], [variable]: port },
  }).stdout;
  const lines = `${service.printed}${examples}`.match(/\bcurl -s .*/g) ?? [];
  assert.equal(lines.length, 8, examples);
  const results = new Map<string, unknown>();
  for (const line of lines) {
    const { stdout } = await promisify(execFile)('sh', ['-c', line], { cwd: folder });
    const { result, error } = JSON.parse(stdout);
    assert.equal(error, undefined, `${line}\n${stdout}`);
    assert.ok(result !== null && result !== undefined, line);
    results.set(/"method":"(\w+)"/.exec(line)?.[1] ?? '', result);
  }
  const { code, errors } = await service.stop();
  assert.equal(code, 0);
  // Warnings and errors; slow requests are due to this machine.
  const warnings = errors.split('\n').filter((line) => /"level":[456]0/.test(line));
  assert.deepEqual(
    warnings.filter((line) => !line.includes('"msg":"slow request"')),
    [],
  );
  assert.deepEqual(readdirSync(folder), ['.portcullis']);
  return results;
}

const SIX_METHODS = [
  'eth_blockNumber',
  'eth_call',
  'eth_estimateGas',
  'eth_getBlockReceipts',
  'eth_getTransactionByBlockNumberAndIndex',
  'eth_getUncleByBlockNumberAndIndex',
];

describe('portcullis start in an empty folder', () => {
  const folder = makeTemporaryFolder();
  after(() => folder.remove());

  for (const time of ['first', 'second']) {
    test(`each of the printed commands answers on the ${time} start`, { skip: NO_CURL }, async (t) => {
      const results = await pasteLines(t, folder.path, []);
      assert.deepEqual([...results.keys()].sort(), [...SIX_METHODS, 'linea_estimateGas', 'rollup_getInfo']);
    });
  }

  test('each printed command answers with --rollup op-stack, whose oracle prices layer 1', {
    skip: NO_CURL,
  }, async (t) => {
    const results = await pasteLines(t, folder.path, ['start', '--rollup', 'op-stack']);
    assert.deepEqual([...results.keys()].sort(), [...SIX_METHODS, 'op_estimateGas', 'rollup_getInfo']);
    const estimate = results.get('op_estimateGas') as { priorityFeePerGas: string };
    // An embedded chain has no mempool to tip in, so the whole priority fee is for layer 1.
    assert.ok(BigInt(estimate.priorityFeePerGas) > 0n);
    const { ethContext, rollupContext } = results.get('rollup_getInfo') as {
      ethContext: object;
      rollupContext: { index: number };
    };
    const { originNumber, originTimestamp, headNumber } = FACTS['op-rollup'];
    assert.deepEqual(ethContext, { blockNumber: originNumber, timestamp: originTimestamp });
    assert.equal(rollupContext.index, headNumber - 1);
  });
});

test('an unknown rollup is refused with a list of the available ones', () => {
  const { status, stderr } = spawnSync(process.execPath, [MAIN, 'start', '--rollup', 'scroll']);
  assert.equal(status, 2);
  assert.match(String(stderr), /--rollup cannot be "scroll"; there are: linea, op-stack\n/);
});

test('portcullis dev serves a chain under every host name, and again from its store', async (t) => {
  const folder = makeTemporaryFolder();
  t.after(() => folder.remove());
  const files = ['--genesis', join(DEVNET, 'genesis.json'), '--blocks', join(DEVNET, 'blocks.rlp.gz')];
  for (let time = 0; time < 2; time++) {
    const service = await launch(t, folder.path, ['dev', ...files, '--port', '0'], /WebSocket: .*\n/);
    assert.ok(service.printed.includes(FACTS.devnet.headHash), service.printed);
    const overSocket = await openWebSocketExchanger(service.authority);
    for (const exchanger of [createHttpExchanger(service.authority), overSocket]) {
      const { result } = JSON.parse(await exchanger.send(BLOCK_NUMBER));
      assert.equal(Number(result), FACTS.devnet.headNumber);
    }
    await overSocket.close();
    assert.equal((await service.stop()).code, 0);
  }
});

test('dev --simulation-gas sets the gas of simulated calls', async (t) => {
  const folder = makeTemporaryFolder();
  t.after(() => folder.remove());
  const files = ['--genesis', join(DEVNET, 'genesis.json'), '--blocks', join(DEVNET, 'blocks.rlp.gz')];
  const command = ['dev', ...files, '--port', '0', '--simulation-gas', '100000'];
  const service = await launch(t, folder.path, command, /WebSocket: .*\n/);
  const to = `0x${'c'.repeat(40)}`;
  // Code that returns the remaining gas.
  const stateOverrides = { [to]: { code: '0x5a5f5260205ff3' } };
  const params = [{ blockStateCalls: [{ stateOverrides, calls: [{ to }] }] }, 'latest'];
  const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_simulateV1', params });
  const { result } = JSON.parse(await createHttpExchanger(service.authority).send(call));
  const left = Number(result[0].calls[0].returnData);
  assert.ok(left > 50_000 && left < 100_000, `${left}`);
  assert.equal((await service.stop()).code, 0);
});

test('dev reads ports from the environment like start, and its options override them', async (t) => {
  const folder = makeTemporaryFolder();
  t.after(() => folder.remove());
  const files = ['--genesis', join(DEVNET, 'genesis.json'), '--blocks', join(DEVNET, 'blocks.rlp.gz')];
  const command = ['dev', ...files];
  const start = (args: readonly string[], variables: Readonly<Record<string, string>>): Promise<Running> =>
    launch(t, folder.path, [...command, ...args], /WebSocket: .*\n/, variables);
  const status = /Status: +(http:\/\/127\.0\.0\.1:\d+)\/status/;

  const withStatus = await start([], {
    PORTCULLIS_ADMIN_PORT: '0',
    PORTCULLIS_DATA_DIR: join(folder.path, 'data'),
  });
  assert.deepEqual(readdirSync(folder.path), ['data'], 'the chain is below PORTCULLIS_DATA_DIR');
  await withStatus.stop();
  assert.match(withStatus.printed, status);

  const without = await start(['--port', '0'], { PORTCULLIS_ADMIN_PORT: 'off', PORTCULLIS_PORT: 'nonsense' });
  await without.stop();
  assert.doesNotMatch(without.printed, /Status/);

  for (const [name, value] of [
    ['PORTCULLIS_ADMIN_PORT', '99999'],
    ['PORTCULLIS_PORT', 'x'],
  ] as const) {
    const { status: code, stderr } = spawnSync(process.execPath, [MAIN, ...command], {
      cwd: folder.path,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], PORTCULLIS_PORT: '0', [name]: value },
    });
    assert.equal(code, 1);
    assert.match(stderr, new RegExp(`^${name}: expected a port number from 0 to 65535(, or off)?\n$`));
  }
});
