/** Methods of a development node through the whole program: access restrictions, and use by viem's test client. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createTestClient, http, parseEther, publicActions, walletActions } from 'viem';
import { foundry } from 'viem/chains';
import { WebSocket } from 'ws';
import { connectHttp, startHttp, startStdio, type ToolClient } from '../mcp/support.ts';
import { ANVIL_SKIP, type Anvil, startAnvil } from '../support/anvil.ts';
import { Program, type ProgramConfig } from '../support/program.ts';

type Answer = {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
};

/** Starts the program over a node, and creates a key without restrictions. */
async function serve(
  t: TestContext,
  { network = {}, ...config }: { readonly network?: object } & ProgramConfig = {},
): Promise<{ node: Anvil; program: Program; key: string }> {
  const node = await startAnvil({});
  const program = new Program({
    ...config,
    networks: {
      net: { hosts: ['net.localhost'], upstreams: [node.httpUrl], pool: { development: true }, ...network },
    },
  });
  t.after(async () => {
    await program.dispose();
    await node.kill();
  });
  const { key } = await program.createKey();
  await program.start();
  return { node, program, key };
}

async function ask(
  url: string,
  method: string,
  params: readonly unknown[] = [],
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return (await response.json()) as Answer;
}

function askOverWebSocket(url: string, method: string, origin?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, origin === undefined ? {} : { origin });
    socket.once('error', reject);
    socket.once('open', () => socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] })));
    socket.once('message', (data) => {
      socket.close();
      resolve(JSON.parse(String(data)) as Answer);
    });
  });
}

test('methods of a development node are restricted to local clients, unrestricted keys and named origins', {
  skip: ANVIL_SKIP,
}, async (t) => {
  const named = 'http://localhost:3000';
  const { node, program, key } = await serve(t, { cors: { origins: ['*', named] } });
  const urlOf = (of: string): string => `http://127.0.0.1:${program.port}/net/v3/${of}`;
  const url = urlOf(key);
  const isRefused = ({ error }: Answer, words: RegExp): void => {
    assert.equal(error?.code, -32601);
    assert.match(error?.message ?? '', words);
  };
  const { result: own } = await ask(url, 'eth_accounts');
  assert.deepEqual(own, await node.request('eth_accounts'));
  assert.ok((own as readonly string[]).length > 0);
  assert.equal(typeof (await ask(url, 'anvil_nodeInfo')).result, 'object');

  for (const header of ['Forwarded', 'X-Forwarded-For', 'x-forwarded-proto', 'Via', 'X-Real-IP']) {
    const headers = { [header]: '10.0.0.1' };
    isRefused(await ask(url, 'anvil_mine', [], headers), /header of a proxy.*methods\.development: true/);
    assert.deepEqual((await ask(url, 'eth_accounts', [], headers)).result, []);
  }
  for (const origin of ['https://evil.example', 'null'])
    isRefused(await ask(url, 'anvil_mine', [], { Origin: origin }), /cors\.origins/);
  assert.equal((await ask(url, 'anvil_mine', [], { Origin: named })).result, null);

  const webSocket = `ws://127.0.0.1:${program.port}/net/ws/v3/${key}`;
  isRefused(await askOverWebSocket(webSocket, 'evm_mine', 'https://evil.example'), /cors\.origins/);
  assert.equal((await askOverWebSocket(webSocket, 'evm_mine', named)).result, '0x0');
  assert.equal((await askOverWebSocket(webSocket, 'evm_mine')).result, '0x0');

  const height = await node.request('eth_blockNumber');
  const [account] = own as readonly string[];
  const bounds = [
    { addresses: [account as string] },
    { send: false },
    { methods: ['eth_accounts', 'evm_mine'] },
  ];
  const keys = await Promise.all(bounds.map((settings) => program.createKey(settings)));
  const [bound = '', silent = '', listed = ''] = keys.map((issued) => urlOf(issued.key));
  for (const refused of [bound, silent, listed])
    for (const method of ['anvil_mine', 'eth_sendTransaction', 'hardhat_metadata'])
      assert.equal(
        (await ask(refused, method, [{ from: account, to: account }])).error?.code,
        -32002,
        method,
      );
  for (const refused of [bound, silent]) assert.deepEqual((await ask(refused, 'eth_accounts')).result, []);
  for (const method of ['personal_listAccounts', 'personal_sign', 'debug_setHead', 'admin_peers'])
    assert.match((await ask(url, method)).error?.message ?? '', /does not exist/);
  assert.equal(await node.request('eth_blockNumber'), height);
  assert.equal((await ask(listed, 'evm_mine')).result, '0x0');
});

test('an MCP server over stdio is a local client, and a server over HTTP is not', {
  skip: ANVIL_SKIP,
}, async (t) => {
  const { node, program, key } = await serve(t);
  const gateway = ['--url', `http://127.0.0.1:${program.port}/{network}/v3`, '--network', 'net'];
  const variables = { PORTCULLIS_KEY: key };
  const reading = await startStdio(gateway, variables);
  const sending = await startStdio([...gateway, '--allow-sending'], variables);
  const server = await startHttp([...gateway, '--allow-sending']);
  const remote = await connectHttp(server.url, { Authorization: `Bearer ${key}` });
  t.after(async () => {
    for (const client of [reading, sending, remote]) await client.close();
    await server.stop();
  });
  const listAccounts = async (client: ToolClient): Promise<unknown> =>
    (await client.read('rpc', { method: 'eth_accounts' }))['result'];
  const mine = { method: 'evm_mine' };
  const accounts = await node.request('eth_accounts');
  assert.deepEqual(await listAccounts(reading), accounts);
  assert.match(await reading.fail('rpc', mine), /without --allow-sending/);
  assert.deepEqual(await listAccounts(sending), accounts);
  const height = Number(await node.request('eth_blockNumber'));
  assert.equal((await sending.read('rpc', mine))['result'], '0x0');
  assert.equal(Number(await node.request('eth_blockNumber')), height + 1);
  assert.deepEqual(await listAccounts(remote), []);
  assert.match(await remote.fail('rpc', mine), /only for clients without a proxy/);
});

test('methods.development allows the methods beyond this machine, or turns them off', {
  skip: ANVIL_SKIP,
}, async (t) => {
  const forwarded = { 'X-Forwarded-For': '10.0.0.1' };
  const { program, key } = await serve(t, {
    listen: { port: 0, trustedProxies: ['loopback'] },
    network: { methods: { development: true } },
  });
  const url = `http://127.0.0.1:${program.port}/net/v3/${key}`;
  assert.equal((await ask(url, 'anvil_mine', [], forwarded)).result, null);
  const page = await ask(url, 'anvil_mine', [], { ...forwarded, Origin: 'https://evil.example' });
  assert.match(page.error?.message ?? '', /cors\.origins/);

  const proxied = await serve(t, { listen: { port: 0, trustedProxies: ['loopback'] } });
  const refused = await ask(`http://127.0.0.1:${proxied.program.port}/net/v3/${proxied.key}`, 'anvil_mine');
  assert.match(refused.error?.message ?? '', /listen\.trustedProxies/);

  const closed = await serve(t, { network: { methods: { development: false } } });
  const closedUrl = `http://127.0.0.1:${closed.program.port}/net/v3/${closed.key}`;
  assert.match((await ask(closedUrl, 'anvil_mine')).error?.message ?? '', /does not exist/);
  assert.deepEqual((await ask(closedUrl, 'eth_accounts')).result, []);
});

/** Runs the same steps over any address. @returns the outcome of each */
async function runSteps(url: string): Promise<readonly (readonly [step: string, outcome: unknown])[]> {
  const client = createTestClient({
    mode: 'anvil',
    chain: foundry,
    pollingInterval: 20,
    transport: http(url, { retryCount: 0 }),
  })
    .extend(publicActions)
    .extend(walletActions);
  const outcomes: (readonly [string, unknown])[] = [];
  const note = async (step: string, action: () => Promise<unknown>): Promise<unknown> => {
    const outcome = await action();
    outcomes.push([step, outcome]);
    return outcome;
  };
  const other = '0x00000000000000000000000000000000000000aa';
  const contract = '0x00000000000000000000000000000000000000bb';
  const balance = (): Promise<bigint> => client.getBalance({ address: other });
  await note('balance before', balance);
  await client.setBalance({ address: other, value: parseEther('5') });
  await note('balance', balance);
  await client.setBalance({ address: other, value: parseEther('7') });
  await note('balance again at the same block', balance);
  await client.mine({ blocks: 3 });
  await note('height', () => client.getBlockNumber({ cacheTime: 0 }));
  const id = await client.snapshot();
  await client.impersonateAccount({ address: other });
  const sent = await client.sendTransaction({ account: other, to: contract, value: 1n, gas: 50_000n });
  await note('receipt', async () => {
    const { status, from, to, blockNumber } = await client.waitForTransactionReceipt({ hash: sent });
    return { sent, status, from, to, blockNumber };
  });
  await note('nonce', () => client.getTransactionCount({ address: other }));
  await client.stopImpersonatingAccount({ address: other });
  await note('without impersonation', () =>
    client
      .sendTransaction({ account: other, to: contract, value: 1n, gas: 50_000n })
      .catch(({ cause }: { cause: { code: number; details: string } }) => [cause.code, cause.details]),
  );
  await client.revert({ id });
  await note('height after the revert', () => client.getBlockNumber({ cacheTime: 0 }));
  await note('nonce after the revert', () => client.getTransactionCount({ address: other }));
  await note('the receipt is gone', () =>
    client.getTransactionReceipt({ hash: sent }).catch(({ name }: Error) => name),
  );
  await client.setCode({ address: contract, bytecode: '0x60005460005260206000f3' });
  await client.setStorageAt({ address: contract, index: 0, value: `0x${'0'.repeat(63)}9` });
  await note('code', () => client.getCode({ address: contract }));
  await note('storage by a call', async () => (await client.call({ to: contract })).data);
  await client.setStorageAt({ address: contract, index: 0, value: `0x${'0'.repeat(62)}10` });
  await note('storage by a call again', async () => (await client.call({ to: contract })).data);
  const before = (await client.getBlock()).timestamp;
  await client.increaseTime({ seconds: 1_000 });
  await client.mine({ blocks: 1 });
  await note('time passed', async () => (await client.getBlock()).timestamp - before >= 1_000n);
  await note('gas price', () => client.getGasPrice());
  await client.setNextBlockBaseFeePerGas({ baseFeePerGas: 12_345_678n });
  await note('gas price at the same block', () => client.getGasPrice());
  await client.mine({ blocks: 1 });
  await note('base fee', async () => (await client.getBlock()).baseFeePerGas);
  await client.setAutomine(false);
  await note('automine', () => client.getAutomine());
  const [account] = await client.getAddresses();
  await note('account', async () => account);
  const waiting = await client.sendTransaction({
    account: account as `0x${string}`,
    to: other,
    value: 1n,
    gas: 21_000n,
    maxFeePerGas: 100_000_000_000n,
    maxPriorityFeePerGas: 1n,
    nonce: 0,
  });
  await note('pool', async () => {
    const { pending } = await client.getTxpoolContent();
    return Object.values(pending).flatMap((byNonce) => Object.values(byNonce).map(({ hash }) => hash));
  });
  await note('it waits', async () => (await client.getTransaction({ hash: waiting })).blockNumber);
  await client.dropTransaction({ hash: waiting });
  await note('it was dropped', () =>
    client.getTransaction({ hash: waiting }).catch(({ name }: Error) => name),
  );
  await note('a reset without a node to fork', () =>
    client.reset().catch(({ code, details }: { code: number; details: string }) => [code, details]),
  );
  await client.request({ method: 'anvil_reset', params: [] });
  await note('height after the reset', () => client.getBlockNumber({ cacheTime: 0 }));
  await note('balance after the reset', balance);
  return outcomes;
}

test('viem’s test client gets the same results through the program as from the node itself', {
  skip: ANVIL_SKIP,
}, async (t) => {
  const { program, key } = await serve(t);
  const bare = await startAnvil({});
  t.after(() => bare.kill());
  const expected = await runSteps(bare.httpUrl);
  assert.ok(expected.length > 20);
  assert.deepEqual(await runSteps(`http://127.0.0.1:${program.port}/net/v3/${key}`), expected);
});
