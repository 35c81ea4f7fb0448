/** Filters of a real service over a real node: two services share the records, and unaware clients poll. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonRpcPayload, JsonRpcProvider, type JsonRpcResult } from 'ethers';
import { createPublicClient, http } from 'viem';
import WebSocket from 'ws';
import { ANVIL_SKIP, type Anvil, startAnvil } from '../support/anvil.ts';
import { makeTemporaryFolder } from '../support/embedded.ts';
import { type RunningService, startService } from '../support/service.ts';
import { waitUntil } from '../support/wait-until.ts';

/** Code that emits one log with the topic 0xaa, preceded by its init code. */
const LOGGER = '0x6760aa60006000a10060005260086018f3';
type Log = { readonly blockHash: string; readonly removed: boolean; readonly transactionHash: string };

async function ask(service: RunningService, method: string, ...params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(`http://${service.authority}/net/v3/demo`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error } = (await response.json()) as { result: unknown; error?: { message: string } };
  if (error !== undefined) throw new Error(error.message);
  return result;
}

/** Counts the requests of clients. */
class Exchanges {
  /** Number of requests in flight. */
  open = 0;
  readonly #answered: string[] = [];

  /** Counts the answered requests of a method. */
  count(method: string): number {
    return this.#answered.filter((body) => body.includes(`"${method}"`)).length;
  }

  async track<T>(body: string, answer: Promise<T>): Promise<T> {
    this.open++;
    try {
      return await answer;
    } finally {
      this.open--;
      this.#answered.push(body);
    }
  }
}

class TrackedProvider extends JsonRpcProvider {
  readonly contexts = new Exchanges();

  override _send(payload: JsonRpcPayload | JsonRpcPayload[]): Promise<JsonRpcResult[]> {
    return this.contexts.track(JSON.stringify(payload), super._send(payload));
  }
}

async function send(node: Anvil, to: string | undefined, data: string): Promise<string> {
  const [from] = (await node.request('eth_accounts')) as string[];
  const call = { from, data, gas: '0x30d40', ...(to !== undefined && { to }) };
  return (await node.request('eth_sendTransaction', call)) as string;
}

type Mined = { readonly transactionHash: string; readonly contractAddress: `0x${string}` };

/** Sends a transaction and waits for its receipt: anvil answers before the transaction is in a block. */
async function sendMined(node: Anvil, to: string | undefined, data: string): Promise<Mined> {
  const sent = await send(node, to, data);
  let receipt: Mined | null = null;
  await waitUntil(async () => {
    receipt = (await node.request('eth_getTransactionReceipt', sent)) as Mined | null;
    return receipt !== null;
  });
  return receipt as unknown as Mined;
}

test('filters over a node work across two processes, over HTTP and WebSocket, and through a reorg', {
  skip: ANVIL_SKIP,
}, async (t) => {
  const node = await startAnvil({});
  t.after(() => node.kill());
  const folder = makeTemporaryFolder();
  const open = (): Promise<RunningService> =>
    startService({
      dataDir: folder.path,
      networks: {
        net: { hosts: ['net.localhost'], upstreams: [node.webSocketUrl], pool: { development: true } },
      },
    });
  const services = [await open(), await open()] as const;
  t.after(async () => {
    for (const service of services) await service.close();
    folder.remove();
  });
  const [a, b] = services;
  const { contractAddress } = await sendMined(node, undefined, LOGGER);
  await waitUntil(
    async () => (await ask(a, 'eth_blockNumber')) === '0x1' && (await ask(b, 'eth_blockNumber')) === '0x1',
  );
  const logs = await ask(a, 'eth_newFilter', { address: contractAddress, fromBlock: '0x0' });
  const blocks = await ask(b, 'eth_newBlockFilter');
  const seen: string[] = [];
  const poll = async (service: RunningService): Promise<Log[]> => {
    const provided = (await ask(service, 'eth_getFilterChanges', logs)) as Log[];
    for (const { removed, transactionHash } of provided) {
      if (removed) assert.equal(seen.pop(), transactionHash);
      else seen.push(transactionHash);
    }
    return provided;
  };
  const hashes: string[] = [];
  for (let i = 0; i < 6; i++) {
    hashes.push((await sendMined(node, contractAddress, '0x')).transactionHash);
    if (i % 2 === 1) await poll(services[(i >> 1) % 2 === 0 ? 0 : 1]);
  }
  await waitUntil(async () => {
    await poll(b);
    return seen.length === 6;
  });
  assert.deepEqual(seen, hashes);
  const provided: string[] = [];
  await waitUntil(async () => {
    for (const service of services)
      provided.push(...((await ask(service, 'eth_getFilterChanges', blocks)) as string[]));
    return provided.length >= 6;
  });
  const chain = await Promise.all(
    [2, 3, 4, 5, 6, 7].map(
      async (n) => ((await node.request('eth_getBlockByNumber', `0x${n}`, false)) as { hash: string }).hash,
    ),
  );
  assert.deepEqual(provided, chain);
  assert.equal(((await ask(b, 'eth_getFilterLogs', logs)) as Log[]).length, 6);

  for (let i = 0; i < 2; i++) await sendMined(node, contractAddress, '0x');
  await waitUntil(async () => {
    await poll(b);
    return seen.length === 8;
  });
  await node.request('anvil_reorg', 2, []);
  await waitUntil(async () => {
    // Only the process that read the blocks still has them: anvil drops blocks that leave its chain.
    await poll(b);
    return seen.length === 6;
  });
  assert.deepEqual(seen, hashes);

  const socket = new WebSocket(`ws://${a.authority}/net/ws/v3/demo`);
  const answered = new Promise<string>((resolve, reject) => {
    socket.on('message', (data) => resolve(String(data)));
    socket.on('error', reject);
  });
  socket.on('open', () =>
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'eth_uninstallFilter', params: [logs] })),
  );
  assert.deepEqual(JSON.parse(await answered), { jsonrpc: '2.0', id: 7, result: true });
  socket.close();
  await assert.rejects(poll(b), /^Error: filter not found$/);
});

test('ethers and viem poll filters as they would with a node', { skip: ANVIL_SKIP }, async (t) => {
  const node = await startAnvil({});
  t.after(() => node.kill());
  const folder = makeTemporaryFolder();
  const service = await startService({
    dataDir: folder.path,
    networks: {
      net: { hosts: ['net.localhost'], upstreams: [node.webSocketUrl], pool: { development: true } },
    },
  });
  t.after(async () => {
    await service.close();
    folder.remove();
  });
  const url = `http://${service.authority}/net/v3/demo`;
  const { contractAddress } = await sendMined(node, undefined, LOGGER);
  await waitUntil(async () => (await ask(service, 'eth_blockNumber')) === '0x1');

  const viemExchanges = new Exchanges();
  const fetchFn: typeof fetch = (input, init) => viemExchanges.track(String(init?.body), fetch(input, init));
  const viem = createPublicClient({ transport: http(url, { fetchFn }), pollingInterval: 100 });
  const ofViem: string[] = [];
  const pendingOfViem: string[] = [];
  const failures: unknown[] = [];
  const onError = (error: unknown): void => void failures.push(error);
  const filter = await viem.createBlockFilter();
  const ends = [
    viem.watchEvent({
      address: contractAddress,
      onLogs: (some) => ofViem.push(...some.map((one) => String(one.transactionHash))),
      onError,
    }),
    viem.watchPendingTransactions({ onTransactions: (some) => pendingOfViem.push(...some), onError }),
  ];
  const ethers = new TrackedProvider(url, undefined, {
    polling: false,
    staticNetwork: true,
    pollingInterval: 100,
  });
  const ofEthers: string[] = [];
  await ethers.on({ address: contractAddress }, (one: { transactionHash: string }) =>
    ofEthers.push(one.transactionHash),
  );
  await waitUntil(async () => {
    const hasPending = viemExchanges.count('eth_newPendingTransactionFilter') >= 1;
    return hasPending && [viemExchanges, ethers.contexts].every((one) => one.count('eth_newFilter') >= 1);
  });
  await node.request('evm_setAutomine', false);
  const hashes: string[] = [];
  for (let i = 0; i < 3; i++) hashes.push(await send(node, contractAddress, '0x'));
  await waitUntil(async () => pendingOfViem.length >= 3);
  await node.request('evm_mine');
  await waitUntil(async () => ofViem.length >= 3 && ofEthers.length >= 3);
  assert.deepEqual([ofViem, ofEthers], [hashes, hashes]);
  assert.deepEqual([...pendingOfViem].sort(), [...hashes].sort());
  assert.equal((await viem.getFilterChanges({ filter })).length, 1);
  assert.equal(await viem.uninstallFilter({ filter }), true);
  assert.deepEqual(failures, []);
  for (const end of ends) end();
  await ethers.removeAllListeners();
  // The clients do not await their uninstall requests, and a request that fails after the service has closed fails this file.
  const { contexts } = ethers;
  await waitUntil(async () => {
    const isQuiet = contexts.open + viemExchanges.open === 0;
    return (
      isQuiet && contexts.count('eth_uninstallFilter') >= 1 && viemExchanges.count('eth_uninstallFilter') >= 3
    );
  });
});
