/** Clients that are separate programs: prepared in a cache outside the tree, run with a URL, and read from their output. */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ROOT } from '../../scripts/program-files.ts';
import { collect, type LiveFindings, type LiveSubject, runLive } from './live/live-operations.ts';
import { type Findings, runOperations, type Subject } from './operations.ts';

const PROGRAMS = join(ROOT, 'test/clients/programs');
export const CACHE: string = join(
  process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
  'portcullis-test-clients',
);
const PREPARE_MS = 1_200_000;
const RUN_MS = 120_000;
/** Pattern of a log in cast's output. */
const LOG = /blockNumber: (?<block>\d+)[\s\S]*?logIndex: (?<index>\d+)/;
const GO_ETHEREUM = 'v1.17.8';
const WEB3_PY = 'web3>=7,<8';

const run = promisify(execFile);

/** Makes a client ready. @returns a function that runs it, or the reason why it cannot run here */
export type Preparation = () => Promise<((url: string, subject: Subject) => Promise<Findings>) | string>;
/** Makes a client ready for the live operations. @returns a function that runs it, or the reason why it cannot run here */
export type LivePreparation = () => Promise<((subject: LiveSubject) => Promise<LiveFindings>) | string>;

function has(command: string, ...args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

export async function prepare(folder: string, command: string, ...args: readonly string[]): Promise<void> {
  await run(command, args, { cwd: folder, timeout: PREPARE_MS, maxBuffer: 2 ** 26 });
}

export function makeFolder(name: string): string {
  const folder = join(CACHE, name);
  mkdirSync(folder, { recursive: true });
  return folder;
}

async function runProgram(
  command: string,
  args: readonly string[],
  subject: object,
): Promise<Record<string, string | { readonly error: string }>> {
  const { stdout } = await run(command, [...args, JSON.stringify(subject)], { timeout: RUN_MS });
  const found = JSON.parse(stdout) as Record<string, string | { readonly error: string }>;
  return Object.fromEntries(
    Object.entries(found).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.toLowerCase() : value,
    ]),
  );
}

/** @returns the interpreter that has web3.py, or the reason why there is none */
async function preparePython(): Promise<{ readonly python: string } | string> {
  if (!has('python3', '-m', 'venv', '--help')) return 'python3 with venv is not there';
  const folder = makeFolder('python');
  const python = join(folder, 'bin/python');
  if (!has(python, '-c', 'import web3; assert web3.__version__.startswith("7.")')) {
    await prepare(folder, 'python3', '-m', 'venv', folder);
    await prepare(folder, python, '-m', 'pip', 'install', '--quiet', WEB3_PY);
  }
  return { python };
}

export const prepareWeb3Py: Preparation = async () => {
  const ready = await preparePython();
  if (typeof ready === 'string') return ready;
  const program = join(PROGRAMS, 'web3_client.py');
  return (url, subject) => runProgram(ready.python, [program, url], subject);
};

export const prepareWeb3PyLive: LivePreparation = async () => {
  const ready = await preparePython();
  if (typeof ready === 'string') return ready;
  const program = join(PROGRAMS, 'web3_live.py');
  return (subject) => runProgram(ready.python, [program], subject);
};

/** @returns the folder with the programs, or the reason why they cannot be built */
async function buildGo(): Promise<{ readonly folder: string } | string> {
  if (!has('go', 'version')) return 'go is not there';
  const folder = makeFolder('ethclient');
  makeFolder('ethclient/live');
  for (const file of ['main.go', 'live/main.go'])
    copyFileSync(join(PROGRAMS, 'ethclient', file), join(folder, file));
  if (!existsSync(join(folder, 'go.mod'))) {
    await prepare(folder, 'go', 'mod', 'init', 'ethclient');
    await prepare(folder, 'go', 'mod', 'edit', '-require', `github.com/ethereum/go-ethereum@${GO_ETHEREUM}`);
  }
  await prepare(folder, 'go', 'mod', 'tidy');
  await prepare(folder, 'go', 'build', '-o', 'client', '.');
  await prepare(folder, 'go', 'build', '-o', 'live-client', './live');
  return { folder };
}

export const prepareEthclient: Preparation = async () => {
  const built = await buildGo();
  if (typeof built === 'string') return built;
  return (url, subject) => runProgram(join(built.folder, 'client'), [url], subject);
};

export const prepareEthclientLive: LivePreparation = async () => {
  const built = await buildGo();
  if (typeof built === 'string') return built;
  return (subject) => runProgram(join(built.folder, 'live-client'), [], subject);
};

/** @returns the folder with the programs, or the reason why they cannot be built */
async function buildRust(): Promise<{ readonly folder: string } | string> {
  if (!has('cargo', '--version')) return 'cargo is not there';
  const folder = makeFolder('alloy');
  for (const file of ['Cargo.toml', 'main.rs', 'live.rs'])
    copyFileSync(join(PROGRAMS, 'alloy', file), join(folder, file));
  await prepare(folder, 'cargo', 'build', '--quiet');
  return { folder: join(folder, 'target/debug') };
}

export const prepareAlloy: Preparation = async () => {
  const built = await buildRust();
  if (typeof built === 'string') return built;
  return (url, subject) => runProgram(join(built.folder, 'alloy-client'), [url], subject);
};

export const prepareAlloyLive: LivePreparation = async () => {
  const built = await buildRust();
  if (typeof built === 'string') return built;
  return (subject) => runProgram(join(built.folder, 'alloy-live'), [], subject);
};

/** Foundry's cast; its npm wrapper exits with 0 even after an error. */
export const prepareCast: Preparation = async () => {
  const cast = fileURLToPath(import.meta.resolve('@foundry-rs/cast/bin.mjs'));
  if (!has(process.execPath, cast, '--version'))
    return 'the package @foundry-rs/cast has no program for this machine';
  return (url, { account, other, token, callData, slot, block, blockHash, transactionHash }) => {
    const ask = async (...args: readonly string[]): Promise<string> => {
      const environment = { PATH: process.env['PATH'], HOME: CACHE, NO_COLOR: '1', ETH_RPC_URL: url };
      const { stdout, stderr } = await run(process.execPath, [cast, ...args], {
        env: environment,
        timeout: RUN_MS,
      });
      if (stdout.trim() === '') throw new Error(stderr.trim() || 'it printed nothing');
      return stdout.trim();
    };
    const raw = async (method: string, ...params: readonly string[]): Promise<Record<string, unknown>> =>
      JSON.parse(await ask('rpc', method, ...params)) as Record<string, unknown>;
    return runOperations({
      chainId: () => ask('chain-id'),
      blockNumber: () => ask('block-number'),
      gasPrice: () => ask('gas-price'),
      priorityFee: async () => BigInt(String(await raw('eth_maxPriorityFeePerGas'))),
      feeHistory: async () => {
        const history = await raw('eth_feeHistory', '0x4', 'latest', '[25,75]');
        return (history['baseFeePerGas'] as readonly string[]).map((fee) => BigInt(fee)).join(' ');
      },
      balance: () => ask('balance', account),
      balanceAtBlock: () => ask('balance', account, '--block', String(block)),
      nonce: () => ask('nonce', account),
      code: () => ask('code', token),
      storage: async () => BigInt(await ask('storage', token, slot)),
      proof: async () => {
        const proof = JSON.parse(await ask('proof', account, slot)) as { accountProof: readonly unknown[] };
        return proof.accountProof.length;
      },
      blockByNumber: () => ask('block', String(block), '--field', 'hash'),
      blockByHash: () => ask('block', blockHash, '--field', 'number'),
      fullBlock: async () => {
        const found = JSON.parse(await ask('block', String(block), '--full', '--json')) as {
          transactions: readonly unknown[];
        };
        return found.transactions.length;
      },
      transactionCount: async () =>
        BigInt(String(await raw('eth_getBlockTransactionCountByHash', blockHash))),
      transaction: () => ask('tx', transactionHash, 'nonce'),
      receipt: () => ask('receipt', transactionHash, 'gasUsed'),
      blockReceipts: async () => (await raw('eth_getBlockReceipts', `0x${block.toString(16)}`))['length'],
      logs: async () => {
        const logs = await ask(
          'logs',
          '--address',
          token,
          '--from-block',
          '0',
          '--to-block',
          'latest',
          '--json',
        );
        return (JSON.parse(logs) as readonly unknown[]).length;
      },
      call: () => ask('call', token, '--data', callData),
      estimate: () => ask('estimate', '--from', account, other, '--value', '1'),
      accessList: async () => {
        const call = JSON.stringify({ from: account, to: token, data: callData });
        return BigInt(String((await raw('eth_createAccessList', call, 'latest'))['gasUsed']));
      },
      accountInfo: async () =>
        BigInt(String((await raw('eth_getAccountInfo', account, 'latest'))['balance'])),
      senderAndNonce: async () => (await raw('eth_getTransactionBySenderAndNonce', account, '0x0'))['hash'],
      fillTransaction: async () => {
        const transfer = JSON.stringify({ from: account, to: other, value: '0x1' });
        const { tx } = (await raw('eth_fillTransaction', transfer)) as { tx: { nonce: string } };
        return BigInt(tx.nonce);
      },
    });
  };
};

/** Prepares cast, whose `logs --subscribe` runs until it is killed. */
export const prepareCastLive: LivePreparation = async () => {
  const cast = fileURLToPath(import.meta.resolve('@foundry-rs/cast/bin.mjs'));
  if (!has(process.execPath, cast, '--version'))
    return 'the package @foundry-rs/cast has no program for this machine';
  const environment = { PATH: process.env['PATH'], HOME: CACHE, NO_COLOR: '1' };
  const ask = async (...args: readonly string[]): Promise<string> => {
    const { stdout, stderr } = await run(process.execPath, [cast, ...args], {
      env: environment,
      timeout: RUN_MS,
    });
    if (stdout.trim() === '') throw new Error(stderr.trim() || 'it printed nothing');
    return stdout.trim();
  };
  return ({ webSocket, http, contract, topic, key, to }) =>
    runLive({
      'logs of a contract': () =>
        collect(async (push, fail) => {
          const args = ['logs', '--subscribe', '--rpc-url', webSocket, '--address', contract, topic];
          // A process group of its own, because the wrapper does not forward signals.
          const child = spawn(process.execPath, [cast, ...args], { env: environment, detached: true });
          let printed = '';
          child.stdout.on('data', (chunk) => {
            printed += chunk;
            for (let match = LOG.exec(printed); match !== null; match = LOG.exec(printed)) {
              const { block, index } = match.groups as { block: string; index: string };
              push(`${Number(block)}/${Number(index)}`);
              printed = printed.slice(match.index + match[0].length);
            }
          });
          let complaint = '';
          child.stderr.on('data', (chunk) => {
            complaint += chunk;
          });
          child.once('exit', (code) =>
            fail(new Error(`cast ended with ${code}: ${complaint.slice(0, 300)}`)),
          );
          return () => process.kill(-(child.pid as number), 'SIGKILL');
        }),
      'send and wait': async () => {
        const args = ['send', '--rpc-url', http, '--private-key', key, to, '--value', '1', '--json'];
        return [(JSON.parse(await ask(...args)) as { transactionHash: string }).transactionHash];
      },
      'send with receipt': async () => {
        const signed = await ask('mktx', '--rpc-url', http, '--private-key', key, to, '--value', '1');
        const receipt = await ask('rpc', '--rpc-url', http, 'eth_sendRawTransactionSync', signed);
        return [(JSON.parse(receipt) as { transactionHash: string }).transactionHash];
      },
    });
};
