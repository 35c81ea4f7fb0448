/** Development nodes that fork a network: their answers are data that they read from it. */
import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ANVIL_SKIP, startAnvil } from '../support/anvil.ts';
import { FACTS } from '../support/development.ts';
import { makeFolder, type Preparation, prepare } from './client-programs.ts';
import {
  askerOf,
  type Findings,
  OPERATIONS,
  type Operation,
  readOperation,
  runOperations,
  type Subject,
} from './operations.ts';

const START_MS = 60_000;
/** Last version that runs on the minimum Node.js version of this project. */
const HARDHAT = 'hardhat@2';
const { chainId } = FACTS.devnet;
const HARDHAT_CONFIG = `module.exports = {
  solidity: '0.8.28',
  networks: { hardhat: { chainId: ${chainId} } },
};
`;

/** Operations that a fork answers itself, or cannot answer. */
const NOT_OF_FORKS: ReadonlySet<Operation> = new Set<Operation>([
  'gasPrice',
  'priorityFee',
  'feeHistory',
  'proof',
  'accessList',
  'senderAndNonce',
]);

/** Operations that hardhat lacks: calls in the forked block need a chain whose forks it knows, and its estimates are one gas higher. */
const NOT_OF_HARDHAT: ReadonlySet<Operation> = new Set<Operation>([
  'blockReceipts',
  'call',
  'estimate',
  'accountInfo',
  'fillTransaction',
]);

async function askFork(
  url: string,
  subject: Subject,
  lacks: ReadonlySet<Operation> = new Set(),
): Promise<Findings> {
  const ask = askerOf(url);
  const operations: { [K in Operation]?: () => Promise<unknown> } = {};
  for (const operation of OPERATIONS.filter((one) => !NOT_OF_FORKS.has(one) && !lacks.has(one)))
    operations[operation] = () => readOperation(operation, ask, subject);
  return runOperations(operations);
}

export const prepareAnvilFork: Preparation = async () => {
  if (ANVIL_SKIP !== false) return ANVIL_SKIP;
  return async (url, subject) => {
    const anvil = await startAnvil({ args: ['--fork-url', url, '--chain-id', String(chainId)] });
    try {
      return await askFork(`http://127.0.0.1:${anvil.port}`, subject);
    } finally {
      await anvil.kill();
    }
  };
};

export const prepareHardhatFork: Preparation = async () => {
  const folder = makeFolder('hardhat');
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'fork', private: true }));
  writeFileSync(join(folder, 'hardhat.config.js'), HARDHAT_CONFIG);
  const program = join(folder, 'node_modules/hardhat/internal/cli/bootstrap.js');
  if (!existsSync(program)) {
    const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
    await prepare(folder, 'npm', 'install', ...quiet, HARDHAT);
  }
  return async (url, subject) => {
    const args = ['node', '--hostname', '127.0.0.1', '--port', '0', '--fork', url];
    const child = spawn(process.execPath, [program, ...args], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let printed = '';
    try {
      const port = await new Promise<string>((resolve, reject) => {
        const fail = (what: string): void => reject(new Error(`hardhat ${what}: ${printed.slice(-400)}`));
        const timer = setTimeout(() => fail('does not start'), START_MS);
        const read = (chunk: Buffer): void => {
          printed += chunk;
          const match = /server at http:\/\/127\.0\.0\.1:(\d+)/.exec(printed);
          if (match === null) return;
          clearTimeout(timer);
          resolve(match[1] as string);
        };
        child.stdout.on('data', read);
        child.stderr.on('data', read);
        child.once('exit', () => {
          clearTimeout(timer);
          fail('ended');
        });
      });
      return await askFork(`http://127.0.0.1:${port}`, subject, NOT_OF_HARDHAT);
    } finally {
      child.kill('SIGKILL');
    }
  };
};
