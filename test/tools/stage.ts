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
import { importFromGethDev } from './embedded-place.ts';
import type { ToolChain, ToolNode } from './tool.ts';

/** Init code that returns what stands behind it. */
const DEPLOYER = '0x600b5981380380925939f3';
const CALLS = 5;
const TOPIC = eventTopic('Logged(uint256)');
const HTTP_LINE = /HTTP server started\s+endpoint=(127\.0\.0\.1:\d+)/;

/** Published with each program: of anvil's first account, and of the account that `geth --dev` makes blocks with. */
const KEYS: Readonly<Record<NodeProgram, string>> = {
  anvil: '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  geth: '0xb71c71a67e1177ad4e901695e1b4b9ee17ae16c6668d313eac2f96dbcda3f291',
};

/** What is started for a place. */
type NodeProgram = Exclude<ToolNode, 'embedded'>;
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
  const args = ['--dev', '--datadir', folder.path, '--ipcdisable', '--gcmode', 'archive', ...http];
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

/** Sends from an account that the node has the key of. */
async function send(url: string, transaction: object): Promise<Receipt> {
  const [from] = (await ask(url, 'eth_accounts')) as readonly string[];
  const hash = await ask(url, 'eth_sendTransaction', { from, gas: '0x7a120', ...transaction });
  let receipt: Receipt | null = null;
  await waitUntil(async () => {
    // A geth that has just begun answers that it indexes transactions.
    const answer = await ask(url, 'eth_getTransactionReceipt', hash).catch(() => null);
    receipt = answer as Receipt | null;
    return receipt !== null;
  });
  const mined = receipt as unknown as Receipt;
  if (mined.status !== '0x1') throw new Error(`a transaction of the stage failed: ${JSON.stringify(mined)}`);
  return mined;
}

/** A transfer, a deployment, and calls that log. */
async function populate(url: string, key: string): Promise<ToolChain> {
  await send(url, { to: `0x${'77'.repeat(20)}`, value: '0x1' });
  const code = `${DEPLOYER}${bytesToHex(LOGGER_RUNTIME).slice(2)}`;
  const { contractAddress: contract } = await send(url, { data: code });
  for (let value = 1n; value <= BigInt(CALLS); value++)
    await send(url, {
      to: contract,
      data: bytesToHex(encodeCall('log1(uint256,bytes32)', value, BigInt(TOPIC))),
    });
  const chainId = Number(await ask(url, 'eth_chainId'));
  const head = Number(await ask(url, 'eth_blockNumber'));
  return { url, chainId, contract, logs: CALLS, head, hasTraces: true, key };
}

type Stage = { readonly places: readonly ToolPlace[]; close(): Promise<void> };

/** Starts nodes and the program. `close` ends all of them. */
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

/** @param stops gets what ends each process that was started, also where a later one fails */
async function startAll(
  nodes: readonly ToolNode[],
  stops: (() => Promise<unknown>)[],
): Promise<readonly ToolPlace[]> {
  const bare: { node: ToolNode; chain: ToolChain }[] = [];
  const networks: Record<string, object> = {};
  for (const node of nodes.filter((one) => one !== 'embedded')) {
    const one = await STARTS[node]();
    stops.push(() => one.stop());
    const chain = await populate(one.url, KEYS[node]);
    bare.push({ node, chain });
    const upstreams = [chain.url];
    networks[node] = { hosts: [`${node}.localhost`], upstreams };
    networks[`${node}-dev`] = { hosts: [`${node}-dev.localhost`], upstreams, pool: { development: true } };
    if (node === 'geth' && nodes.includes('embedded')) {
      const folder = makeTemporaryFolder();
      stops.push(async () => folder.remove());
      const getBlock = async (number: number): Promise<string> =>
        String(await ask(chain.url, 'debug_getRawBlock', `0x${number.toString(16)}`));
      const data = await importFromGethDev(folder.path, installGeth(), chain.head, getBlock);
      networks['embedded'] = { hosts: ['embedded.localhost'], embedded: { data } };
      bare.push({ node: 'embedded', chain: { ...chain, hasTraces: false } });
    }
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
    });
    const development = behind(node === 'embedded' ? node : `${node}-dev`);
    return { node, bare: chain, through: behind(node), development };
  });
  for (const through of places.flatMap((place) => [place.through, place.development]))
    await waitUntil(async () => {
      const head = await ask(through.url, 'eth_blockNumber').catch(() => undefined);
      // A geth --dev whose processor is busy makes blocks without transactions behind the last one with some.
      return Number(head) >= through.head;
    });
  return places;
}
