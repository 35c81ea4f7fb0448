/** Unmodified wallets send through three nodes, one of which is three blocks behind. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { JsonRpcProvider, parseEther, Wallet } from 'ethers';
import {
  createPublicClient,
  createWalletClient,
  http,
  keccak256,
  numberToHex,
  parseAbi,
  webSocket,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { fillTransaction } from 'viem/actions';
import { foundry } from 'viem/chains';
import { ANVIL_SKIP, type Anvil, startAnvil } from '../support/anvil.ts';
import { FaultUpstream } from '../support/fault-upstream.ts';
import { lagBehind } from '../support/faults/lagging.ts';
import { type RunningService, startService } from '../support/service.ts';
import { waitUntil } from '../support/wait-until.ts';

/** Keys of anvil's first two accounts. */
const KEYS = [
  '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
] as const;
const TO = '0x00000000000000000000000000000000000000aa';
/** Init code of a contract that returns nothing for every call. */
const CONTRACT = '0x6001600c60003960016000f300';
type HeardReceipt = {
  readonly transactionHash: string;
  readonly blockHash: string;
  readonly blockNumber: string;
};
const TRANSFERS = 12;
const BLOCK_MS = 120;
const POLL_MS = 50;
const LAG = 3n;

describe('wallets over three nodes', { skip: ANVIL_SKIP }, () => {
  let anvil: Anvil;
  let nodes: FaultUpstream[];
  let service: RunningService;
  let url: string;
  const mining = { goesOn: true, ended: Promise.resolve() };

  before(async () => {
    anvil = await startAnvil({ args: ['--no-mining'] });
    const mine = async (): Promise<void> => {
      while (mining.goesOn) {
        await anvil.request('evm_mine');
        await sleep(BLOCK_MS);
      }
    };
    await anvil.request('anvil_mine', '0x6');
    mining.ended = mine();
    nodes = await Promise.all([0, 1, 2].map(() => FaultUpstream.start(anvil.httpUrl)));
    await nodes[2]?.setFault({ answer: lagBehind(() => LAG) });
    service = await startService({
      networks: {
        net: {
          hosts: ['net.localhost'],
          upstreams: [nodes[0]?.httpUrl, nodes[1]?.webSocketUrl, nodes[2]?.httpUrl],
          pool: { chainId: 31_337, pollInterval: '20ms', blockTime: `${BLOCK_MS}ms` },
        },
      },
    });
    url = `http://${service.authority}/net/v3/demo`;
  });

  after(async () => {
    mining.goesOn = false;
    await mining.ended;
    await service.close();
    for (const node of nodes) await node.close();
    await anvil.kill();
  });

  test('ethers: each transfer is visible immediately, is mined, and its receipt remains available', async () => {
    // By default ethers repeats an answer of the last quarter of a second from its cache.
    const provider = new JsonRpcProvider(url, undefined, { pollingInterval: POLL_MS, cacheTimeout: -1 });
    const wallet = new Wallet(KEYS[0], provider);
    try {
      for (let i = 0; i < TRANSFERS; i++) {
        const nonce = await provider.getTransactionCount(wallet.address, 'pending');
        const sent = await wallet.sendTransaction({ to: TO, value: parseEther('0.01') });
        assert.equal((await provider.getTransaction(sent.hash))?.hash, sent.hash);
        assert.equal(await provider.getTransactionCount(wallet.address, 'pending'), nonce + 1);
        const receipt = await sent.wait();
        assert.equal(receipt?.status, 1);
        for (let j = 0; j < 3; j++)
          assert.equal((await provider.getTransactionReceipt(sent.hash))?.blockHash, receipt?.blockHash);
      }
    } finally {
      provider.destroy();
    }
  });

  test('viem: transfers sent in sequence before any is mined all succeed', async () => {
    const account = privateKeyToAccount(KEYS[1]);
    const options = { chain: foundry, transport: http(url), pollingInterval: POLL_MS };
    const wallet = createWalletClient({ ...options, account });
    const client = createPublicClient(options);
    const hashes: `0x${string}`[] = [];
    for (let i = 0; i < TRANSFERS; i++) hashes.push(await wallet.sendTransaction({ to: TO, value: 1n }));
    for (const hash of hashes) {
      const { status } = await client.waitForTransactionReceipt({ hash });
      assert.equal(status, 'success');
      assert.equal((await client.getTransactionReceipt({ hash })).transactionHash, hash);
    }
    const sender = { address: account.address };
    assert.equal(await client.getTransactionCount(sender), TRANSFERS);
    assert.equal(new Set(hashes).size, TRANSFERS);
  });

  test('viem: sync methods return the receipts of transfers and contract calls', async () => {
    const account = privateKeyToAccount(KEYS[1]);
    const options = { chain: foundry, transport: http(url), pollingInterval: POLL_MS };
    const wallet = createWalletClient({ ...options, account });
    const client = createPublicClient(options);
    const created = await wallet.sendTransactionSync({ data: CONTRACT });
    const { contractAddress } = created;
    assert.ok(contractAddress);
    const nonce = await client.getTransactionCount({ address: account.address });
    const serializedTransaction = await account.signTransaction({
      chainId: foundry.id,
      type: 'eip1559',
      nonce,
      to: TO,
      value: 1n,
      gas: 21_000n,
      maxFeePerGas: 10n ** 10n,
      maxPriorityFeePerGas: 1n,
    });
    const receipt = await wallet.sendRawTransactionSync({ serializedTransaction, timeout: 30_000 });
    assert.deepEqual(receipt, await client.getTransactionReceipt({ hash: receipt.transactionHash }));
    const abi = parseAbi(['function touch()']);
    const written = await wallet.writeContractSync({ address: contractAddress, abi, functionName: 'touch' });
    assert.equal(written.status, 'success');
    assert.equal(written.blockNumber > receipt.blockNumber, true);
  });

  test('viem: a sync call times out while the transaction is pending, and reports a refused transaction', async () => {
    const account = privateKeyToAccount(KEYS[1]);
    const wallet = createWalletClient({ chain: foundry, transport: http(url), account });
    const client = createPublicClient({ chain: foundry, transport: http(url) });
    const nonce = await client.getTransactionCount({ address: account.address });
    const transfer = {
      chainId: foundry.id,
      type: 'eip1559',
      to: TO,
      gas: 21_000n,
      maxFeePerGas: 10n ** 10n,
    } as const;
    // A nonce beyond the next one, so that the transaction stays pending at the nodes.
    const ahead = await account.signTransaction({ ...transfer, nonce: nonce + 1 });
    await assert.rejects(
      wallet.sendRawTransactionSync({ serializedTransaction: ahead, timeout: 50 }),
      (error: Error) => {
        assert.match(error.message, /wasn't processed in 50ms/);
        return true;
      },
    );
    assert.equal((await client.getTransaction({ hash: keccak256(ahead) })).blockHash, null);
    const find = async (
      nonce: number,
    ): Promise<{ readonly hash: string; readonly blockHash: string | null }> =>
      client.request({
        method: 'eth_getTransactionBySenderAndNonce' as never,
        params: [account.address, numberToHex(nonce)] as never,
      });
    const waiting = await find(nonce + 1);
    assert.deepEqual([waiting.hash, waiting.blockHash], [keccak256(ahead), null]);
    const mined = await find(nonce - 1);
    assert.notEqual(mined.blockHash, null);
    assert.deepEqual(
      mined,
      await client.request({ method: 'eth_getTransactionByHash', params: [mined.hash as never] }),
    );
    const used = await account.signTransaction({ ...transfer, nonce: 0 });
    await assert.rejects(wallet.sendRawTransactionSync({ serializedTransaction: used }), /nonce too low/i);
    // The missing transaction makes the pending one executable.
    const missing = await account.signTransaction({ ...transfer, nonce });
    assert.equal((await wallet.sendRawTransactionSync({ serializedTransaction: missing })).status, 'success');
    assert.equal((await client.waitForTransactionReceipt({ hash: keccak256(ahead) })).status, 'success');
  });

  test('viem: a transaction can be filled in, signed and sent', async () => {
    const account = privateKeyToAccount(KEYS[1]);
    const wallet = createWalletClient({ chain: foundry, transport: http(url), account });
    const client = createPublicClient({ chain: foundry, transport: http(url) });
    const nonce = await client.getTransactionCount({ address: account.address });
    const { transaction } = await fillTransaction(client, { account, to: TO, value: 5n });
    assert.equal(transaction.nonce, nonce);
    const { gas, maxFeePerGas, maxPriorityFeePerGas } = transaction;
    assert.ok(gas !== undefined && maxFeePerGas !== undefined && maxPriorityFeePerGas !== undefined);
    const fees = { gas, maxFeePerGas, maxPriorityFeePerGas };
    const type = 'eip1559';
    const signed = await account.signTransaction({
      type,
      chainId: foundry.id,
      nonce,
      to: TO,
      value: 5n,
      ...fees,
    });
    assert.equal((await wallet.sendRawTransactionSync({ serializedTransaction: signed })).status, 'success');
  });

  test('viem: receipts of each block arrive over a WebSocket, which answers other calls while one waits', async () => {
    const account = privateKeyToAccount(KEYS[1]);
    const client = createPublicClient({ chain: foundry, transport: http(url), pollingInterval: POLL_MS });
    const socket = createPublicClient({
      chain: foundry,
      transport: webSocket(`ws://${service.authority}/net/ws/v3/demo`),
    });
    const heard: Record<'all' | 'named', HeardReceipt[][]> = { all: [], named: [] };
    const subscribe = (list: HeardReceipt[][], ...params: readonly unknown[]): Promise<unknown> =>
      socket.transport.subscribe({
        params: ['transactionReceipts', ...params] as never,
        onData: ({ result }) => list.push(result as HeardReceipt[]),
        // Called when the test closes the socket; receipts missed before fail the test anyway.
        onError: () => {},
      });
    const send = (raw: `0x${string}`): Promise<HeardReceipt> =>
      socket.request({ method: 'eth_sendRawTransactionSync', params: [raw] }) as never;
    const nonce = await client.getTransactionCount({ address: account.address });
    const transfer = { to: TO, gas: 21_000n, type: 'eip1559', maxFeePerGas: 10n ** 10n } as const;
    const [first, second] = await Promise.all(
      [0, 1].map((add) => account.signTransaction({ ...transfer, chainId: foundry.id, nonce: nonce + add })),
    );
    assert.ok(first !== undefined && second !== undefined);
    try {
      await subscribe(heard.all);
      await subscribe(heard.named, { transactionHashes: [keccak256(second)] });
      const ended: string[] = [];
      // The second transaction has to wait for the first one.
      const waiting = send(second).finally(() => ended.push('second'));
      await socket.getBlock();
      ended.push('block');
      await send(first).finally(() => ended.push('first'));
      const receipt = await waiting;
      assert.equal(ended[0], 'block');
      await waitUntil(() => heard.named.length > 0 && heard.all.flat().length >= 2);
      assert.deepEqual(heard.named, [[receipt]]);
      for (const list of heard.all) {
        const [{ blockHash }] = list as [HeardReceipt];
        assert.deepEqual(
          list,
          await client.request({ method: 'eth_getBlockReceipts' as never, params: [blockHash] as never }),
        );
      }
      const numbers = heard.all.map(([receipt]) => Number(receipt?.blockNumber));
      assert.deepEqual(
        numbers,
        [...new Set(numbers)].sort((a, b) => a - b),
      );
      const hashes = heard.all.flat().map(({ transactionHash }) => transactionHash);
      assert.deepEqual(hashes, [keccak256(first), keccak256(second)]);
    } finally {
      (await socket.transport.getRpcClient()).close();
    }
  });

  test('ethers: a transaction refused by a node gets geth’s error', async () => {
    const provider = new JsonRpcProvider(url, undefined, { pollingInterval: POLL_MS });
    try {
      const poor = Wallet.createRandom(provider);
      const raw = await poor.signTransaction({
        to: TO,
        chainId: 31_337,
        nonce: 0,
        gasLimit: 21_000,
        maxFeePerGas: 10n ** 10n,
        maxPriorityFeePerGas: 1n,
        type: 2,
      });
      await assert.rejects(
        provider.broadcastTransaction(raw),
        /insufficient funds for gas \* price \+ value/i,
      );
    } finally {
      provider.destroy();
    }
  });
});
