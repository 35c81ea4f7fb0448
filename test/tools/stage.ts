/** A real anvil and a real `geth --dev` with the same work done on each, and the shipped program in front of both. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { encodeCall } from '../../scripts/chains/encode-call.ts';
import { eventTopic } from '../../scripts/contracts/abi.ts';
import { LOGGER_RUNTIME } from '../../scripts/contracts/logger.ts';
import { bytesToHex } from '../../src/primitives/hex.ts';
import { installGeth } from '../geth/node/geth-program.ts';
import { startAnvil } from '../support/anvil.ts';
import { makeTemporaryFolder } from '../support/embedded.ts';
import { Program } from '../support/program.ts';
import { waitUntil } from '../support/wait-until.ts';
import { DEPLOYER } from './logged-abi.ts';
import { doWork } from './stage-work.ts';
import type { ToolChain, ToolNode } from './tool.ts';

const CALLS = 5;
/** Private key of the account that tools may sign for, and its address. The account has ten ether. */
const KEY = `0x${'46'.repeat(32)}`;
const ACCOUNT = '0x9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f';
/** Of each transaction, as none is estimated. */
const GAS = '0x1e8480';
const FUNDS = '0x8ac7230489e80000';
const TOPIC = eventTopic('Logged(uint256)');
const HTTP_LINE = /HTTP server started\s+endpoint=(127\.0\.0\.1:\d+)/;

type StartedNode = { readonly url: string; stop(): Promise<void> };

/** Both sides of the comparison on one node. */
export type ToolPlace = {
  readonly node: ToolNode;
  readonly bare: ToolChain;
  readonly through: ToolChain;
  /** Through a network with `pool.development`. */
  readonly development: ToolChain;
};

async function startGethDev(): Promise<StartedNode> {
  const folder = makeTemporaryFolder();
  const http = ['--http', '--http.addr', '127.0.0.1', '--http.port', '0', '--http.api', 'eth,net,web3,debug'];
  // On the port of HTTP, as both are 0.
  const socket = ['--ws', '--ws.port', '0', '--ws.api', 'eth,net,web3'];
  const options = ['--datadir', folder.path, '--ipcdisable', '--gcmode', 'archive'];
  const args = ['--dev', ...options, ...http, ...socket];
  const child = spawn(installGeth(), args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const end = (): void => void child.kill('SIGKILL');
  process.once('exit', end);
  let printed = '';
  child.stderr.on('data', (chunk) => {
    if (printed.length < 2 ** 18) printed += chunk;
  });
  await waitUntil(() => {
    if (child.exitCode !== null)
      throw new Error(`geth ended with ${child.exitCode}: ${printed.slice(-2_000)}`);
    return HTTP_LINE.test(printed);
  });
  return {
    url: `http://${HTTP_LINE.exec(printed)?.[1]}`,
    async stop() {
      process.off('exit', end);
      const exited = once(child, 'exit');
      end();
      await exited;
      folder.remove();
    },
  };
}

async function startAnvilNode(): Promise<StartedNode> {
  const anvil = await startAnvil();
  return { url: anvil.httpUrl, stop: () => anvil.kill() };
}

const STARTS: Readonly<Record<ToolNode, () => Promise<StartedNode>>> = {
  anvil: startAnvilNode,
  geth: startGethDev,
};

async function ask(url: string, method: string, ...params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const answer = (await response.json()) as { result?: unknown; error?: { message: string } };
  if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`);
  return answer.result;
}

type Receipt = { readonly contractAddress: string; readonly status: string };

/** Sends from an account that the node has the key of. */
async function send(
  url: string,
  transaction: object,
  expected: 'success' | 'failure' = 'success',
): Promise<string> {
  const [from] = (await ask(url, 'eth_accounts')) as readonly string[];
  const hash = await ask(url, 'eth_sendTransaction', { from, gas: GAS, ...transaction });
  let receipt: Receipt | null = null;
  await waitUntil(async () => {
    // A geth that has just begun answers that it indexes transactions.
    const answer = await ask(url, 'eth_getTransactionReceipt', hash).catch(() => null);
    receipt = answer as Receipt | null;
    return receipt !== null;
  });
  const mined = receipt as unknown as Receipt;
  if (mined.status !== (expected === 'success' ? '0x1' : '0x0'))
    throw new Error(`a transaction of the stage has no ${expected}: ${JSON.stringify(mined)}`);
  return mined.contractAddress;
}

/** Transactions of each kind, and calls that log. */
async function populate(url: string): Promise<ToolChain> {
  await send(url, { to: ACCOUNT, value: FUNDS });
  await send(url, { to: `0x${'77'.repeat(20)}`, value: '0x1' });
  const code = `${DEPLOYER}${bytesToHex(LOGGER_RUNTIME).slice(2)}`;
  const contract = await send(url, { data: code });
  for (let value = 1n; value <= BigInt(CALLS); value++)
    await send(url, {
      to: contract,
      data: bytesToHex(encodeCall('log1(uint256,bytes32)', value, BigInt(TOPIC))),
    });
  await doWork((transaction, expected) => send(url, transaction, expected));
  const chainId = Number(await ask(url, 'eth_chainId'));
  const head = Number(await ask(url, 'eth_blockNumber'));
  const socketUrl = url.replace('http', 'ws');
  return { url, socketUrl, chainId, key: KEY, contract, logs: CALLS, head };
}

/** Waits until the service has the node's head: what a tool did on the bare node would be new to it otherwise. */
export async function waitForHead({ bare, through, development }: ToolPlace): Promise<void> {
  for (const { url } of [through, development])
    await waitUntil(async () => {
      const head = await ask(url, 'eth_blockNumber').catch(() => undefined);
      return head === (await ask(bare.url, 'eth_blockNumber'));
    });
}

/** Starts nodes and the program. `close` ends all of them. */
export async function openStage(
  nodes: readonly ToolNode[],
): Promise<{ readonly places: readonly ToolPlace[]; close(): Promise<void> }> {
  const started: StartedNode[] = [];
  const bare: { node: ToolNode; chain: ToolChain }[] = [];
  for (const node of nodes) {
    const one = await STARTS[node]();
    started.push(one);
    bare.push({ node, chain: await populate(one.url) });
  }
  const networks = Object.fromEntries(
    bare.flatMap(({ node, chain }) => {
      const upstreams = [chain.url];
      const development = { hosts: [`${node}-dev.localhost`], upstreams, pool: { development: true } };
      return [
        [node, { hosts: [`${node}.localhost`], upstreams }],
        [`${node}-dev`, development],
      ];
    }),
  );
  const program = new Program({ defaultNetwork: nodes[0], networks });
  const { key } = await program.createKey();
  await program.start();
  const places = bare.map(({ node, chain }) => {
    const behind = (network: string): ToolChain => ({
      ...chain,
      url: `http://127.0.0.1:${program.port}/${network}/v3/${key}`,
      socketUrl: `ws://127.0.0.1:${program.port}/${network}/ws/v3/${key}`,
    });
    return { node, bare: chain, through: behind(node), development: behind(`${node}-dev`) };
  });
  for (const place of places) await waitForHead(place);
  return {
    places,
    async close() {
      await program.stop();
      await program.dispose();
      for (const node of started) await node.stop();
    },
  };
}
