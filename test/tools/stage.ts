/** A real anvil and a real `geth --dev` with the same work done on each, and the shipped program in front of both. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import { encodeCall } from '../../scripts/chains/encode-call.ts';
import { eventTopic } from '../../scripts/contracts/abi.ts';
import { LOGGER_RUNTIME } from '../../scripts/contracts/logger.ts';
import { installGeth } from '../geth/node/geth-program.ts';
import { startAnvil } from '../support/anvil.ts';
import { makeTemporaryFolder } from '../support/embedded.ts';
import { Program } from '../support/program.ts';
import { waitUntil } from '../support/wait-until.ts';
import { importFromGethDev } from './embedded-place.ts';
import { DEPLOYER } from './logged-abi.ts';
import { doWork } from './stage-work.ts';
import type { ToolChain, ToolNode } from './tool.ts';

const CALLS = 5;
/** Private key of the account that tools may sign for, and its address. The account has ten ether. */
const KEY = `0x${'46'.repeat(32)}`;
const ACCOUNT = '0x9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f';
/** Gas limit of each transaction, because none is estimated. */
const GAS = '0x1e8480';
const FUNDS = '0x8ac7230489e80000';
const TOPIC = eventTopic('Logged(uint256)');
const HTTP_LINE = /HTTP server started\s+endpoint=(127\.0\.0\.1:\d+)/;

/** Node in front of which a tool runs. */
type NodeProgram = Exclude<ToolNode, 'embedded'>;
type StartedNode = { readonly url: string; stop(): Promise<void> };

/** Both sides of the comparison on one node. */
export type ToolPlace = {
  readonly node: ToolNode;
  readonly bare: ToolChain;
  readonly through: ToolChain;
  /** Chain through a network with `pool.development`. */
  readonly development: ToolChain;
};

async function startGethDev(): Promise<StartedNode> {
  const folder = makeTemporaryFolder();
  const http = ['--http', '--http.addr', '127.0.0.1', '--http.port', '0', '--http.api', 'eth,net,web3,debug'];
  // Port 0 for both HTTP and WebSocket: geth serves them on the same port.
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

const STARTS: Readonly<Record<NodeProgram, () => Promise<StartedNode>>> = {
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

/** Sends a transaction from an account whose key the node has. */
async function send(
  url: string,
  transaction: object,
  expected: 'success' | 'failure' = 'success',
): Promise<string> {
  const [from] = (await ask(url, 'eth_accounts')) as readonly string[];
  const hash = await ask(url, 'eth_sendTransaction', { from, gas: GAS, ...transaction });
  let receipt: Receipt | null = null;
  await waitUntil(async () => {
    // A geth that has just started answers that it still indexes transactions.
    const answer = await ask(url, 'eth_getTransactionReceipt', hash).catch(() => null);
    receipt = answer as Receipt | null;
    return receipt !== null;
  });
  const mined = receipt as unknown as Receipt;
  if (mined.status !== (expected === 'success' ? '0x1' : '0x0'))
    throw new Error(`a transaction of the stage has no ${expected}: ${JSON.stringify(mined)}`);
  return mined.contractAddress;
}

/**
 * Sends transactions of each kind, and calls that log.
 * @param hasWork whether contracts write to storage, too: a `geth --dev` prices that as in Bogota, a fork that no network has
 */
async function populate(url: string, hasWork: boolean = true): Promise<ToolChain> {
  await send(url, { to: ACCOUNT, value: FUNDS });
  await send(url, { to: `0x${'77'.repeat(20)}`, value: '0x1' });
  const code = `${DEPLOYER}${bytesToHex(LOGGER_RUNTIME).slice(2)}`;
  const contract = await send(url, { data: code });
  for (let value = 1n; value <= BigInt(CALLS); value++)
    await send(url, {
      to: contract,
      data: bytesToHex(encodeCall('log1(uint256,bytes32)', value, BigInt(TOPIC))),
    });
  if (hasWork) await doWork((transaction, expected) => send(url, transaction, expected));
  const chainId = Number(await ask(url, 'eth_chainId'));
  const head = Number(await ask(url, 'eth_blockNumber'));
  const socketUrl = url.replace('http', 'ws');
  return { url, socketUrl, chainId, key: KEY, contract, logs: CALLS, head, hasTraces: true };
}

/** Waits until the service has the node's head; otherwise it would lag behind the tool's work on the bare node. */
export async function waitForHead({ node, bare, through, development }: ToolPlace): Promise<void> {
  const readHead = async ({ url }: ToolChain): Promise<number> => Number(await ask(url, 'eth_blockNumber'));
  for (const chain of [through, development])
    await waitUntil(async () => {
      const head = await readHead(chain).catch(() => Number.NaN);
      // The head of an embedded network is the node's head at its import. A busy `geth --dev` makes empty blocks after the last one with transactions.
      return head >= (node === 'embedded' ? chain.head : await readHead(bare));
    });
}

type Stage = { readonly places: readonly ToolPlace[]; close(): Promise<void> };

/** Starts nodes and the program. `close` stops all of them. */
export async function openStage(nodes: readonly ToolNode[]): Promise<Stage> {
  const stops: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  try {
    return { places: await startAll(nodes, stops), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @param stops receives a function that stops each started process, also where a later start fails */
async function startAll(
  nodes: readonly ToolNode[],
  stops: (() => Promise<unknown>)[],
): Promise<readonly ToolPlace[]> {
  const bare: { node: ToolNode; chain: ToolChain }[] = [];
  const networks: Record<string, object> = {};
  for (const node of nodes.filter((one) => one !== 'embedded')) {
    const one = await STARTS[node]();
    stops.push(() => one.stop());
    const chain = await populate(one.url);
    bare.push({ node, chain });
    const upstreams = [chain.url];
    networks[node] = { hosts: [`${node}.localhost`], upstreams };
    networks[`${node}-dev`] = { hosts: [`${node}-dev.localhost`], upstreams, pool: { development: true } };
  }
  if (nodes.includes('embedded')) {
    const one = await startGethDev();
    stops.push(() => one.stop());
    const chain = await populate(one.url, false);
    const folder = makeTemporaryFolder();
    stops.push(async () => folder.remove());
    const getBlock = async (number: number): Promise<string> =>
      String(await ask(chain.url, 'debug_getRawBlock', `0x${number.toString(16)}`));
    const data = await importFromGethDev(folder.path, installGeth(), chain.head, getBlock);
    networks['embedded'] = { hosts: ['embedded.localhost'], embedded: { data } };
    bare.push({ node: 'embedded', chain: { ...chain, hasTraces: false } });
  }
  const program = new Program({ defaultNetwork: nodes[0], networks });
  stops.push(() => program.dispose());
  const { key } = await program.createKey();
  await program.start();
  stops.push(() => program.stop());
  const places = bare.map(({ node, chain }) => {
    const behind = (network: string): ToolChain => ({
      ...chain,
      url: `http://127.0.0.1:${program.port}/${network}/v3/${key}`,
      socketUrl: `ws://127.0.0.1:${program.port}/${network}/ws/v3/${key}`,
    });
    const development = behind(node === 'embedded' ? node : `${node}-dev`);
    return { node, bare: chain, through: behind(node), development };
  });
  for (const place of places) await waitForHead(place);
  return places;
}
