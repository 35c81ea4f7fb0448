/** The operations with the JavaScript libraries. */
import { JsonRpcProvider, WebSocketProvider } from 'ethers';
import { createPublicClient, type Hash, type Hex, http, webSocket } from 'viem';
import { fillTransaction } from 'viem/actions';
import { Web3 } from 'web3';
import { type Findings, runOperations, type Subject } from './operations.ts';

export async function runEthers(url: string, subject: Subject): Promise<Findings> {
  const provider = url.startsWith('ws') ? new WebSocketProvider(url) : new JsonRpcProvider(url);
  const { account, other, token, callData, slot, block, blockHash, transactionHash } = subject;
  try {
    return await runOperations({
      chainId: async () => (await provider.getNetwork()).chainId,
      blockNumber: () => provider.getBlockNumber(),
      gasPrice: async () => (await provider.getFeeData()).gasPrice,
      priorityFee: async () => BigInt(await provider.send('eth_maxPriorityFeePerGas', [])),
      feeHistory: async () => {
        const history = await provider.send('eth_feeHistory', ['0x4', 'latest', [25, 75]]);
        return history.baseFeePerGas.map((fee: string) => BigInt(fee)).join(' ');
      },
      balance: () => provider.getBalance(account),
      balanceAtBlock: () => provider.getBalance(account, block),
      nonce: () => provider.getTransactionCount(account),
      code: () => provider.getCode(token),
      storage: async () => BigInt(await provider.getStorage(token, slot)),
      proof: async () => (await provider.send('eth_getProof', [account, [], 'latest'])).accountProof.length,
      blockByNumber: async () => (await provider.getBlock(block))?.hash,
      blockByHash: async () => (await provider.getBlock(blockHash))?.number,
      fullBlock: async () => (await provider.getBlock(block, true))?.prefetchedTransactions.length,
      transactionCount: async () =>
        BigInt(await provider.send('eth_getBlockTransactionCountByHash', [blockHash])),
      transaction: async () => (await provider.getTransaction(transactionHash))?.nonce,
      receipt: async () => (await provider.getTransactionReceipt(transactionHash))?.gasUsed,
      blockReceipts: async () =>
        (await provider.send('eth_getBlockReceipts', [`0x${block.toString(16)}`])).length,
      logs: async () => (await provider.getLogs({ address: token, fromBlock: 0 })).length,
      call: () => provider.call({ to: token, data: callData }),
      estimate: () => provider.estimateGas({ from: account, to: other, value: 1n }),
      accessList: async () => {
        const call = { from: account, to: token, data: callData };
        return BigInt((await provider.send('eth_createAccessList', [call, 'latest'])).gasUsed);
      },
      accountInfo: async () =>
        BigInt((await provider.send('eth_getAccountInfo', [account, 'latest'])).balance),
      senderAndNonce: async () =>
        (await provider.send('eth_getTransactionBySenderAndNonce', [account, '0x0'])).hash,
      fillTransaction: async () => {
        const transfer = { from: account, to: other, value: '0x1' };
        return BigInt((await provider.send('eth_fillTransaction', [transfer])).tx.nonce);
      },
    });
  } finally {
    await provider.destroy();
  }
}

export async function runViem(url: string, subject: Subject): Promise<Findings> {
  const client = createPublicClient({ transport: url.startsWith('ws') ? webSocket(url) : http(url) });
  const request = client.request as (request: {
    method: string;
    params: readonly unknown[];
  }) => Promise<unknown>;
  const { block } = subject;
  const [account, other, token] = [subject.account as Hex, subject.other as Hex, subject.token as Hex];
  const [data, slot] = [subject.callData as Hex, subject.slot as Hex];
  const [blockHash, hash] = [subject.blockHash as Hash, subject.transactionHash as Hash];
  const blockNumber = BigInt(block);
  try {
    return await runOperations({
      chainId: () => client.getChainId(),
      blockNumber: () => client.getBlockNumber(),
      gasPrice: () => client.getGasPrice(),
      priorityFee: () => client.estimateMaxPriorityFeePerGas(),
      feeHistory: async () =>
        (await client.getFeeHistory({ blockCount: 4, rewardPercentiles: [25, 75] })).baseFeePerGas.join(' '),
      balance: () => client.getBalance({ address: account }),
      balanceAtBlock: () => client.getBalance({ address: account, blockNumber }),
      nonce: () => client.getTransactionCount({ address: account }),
      code: () => client.getCode({ address: token }),
      storage: async () => BigInt((await client.getStorageAt({ address: token, slot })) ?? '0x0'),
      proof: async () => (await client.getProof({ address: account, storageKeys: [] })).accountProof.length,
      blockByNumber: async () => (await client.getBlock({ blockNumber })).hash,
      blockByHash: async () => (await client.getBlock({ blockHash })).number,
      fullBlock: async () =>
        (await client.getBlock({ blockNumber, includeTransactions: true })).transactions.length,
      transactionCount: () => client.getBlockTransactionCount({ blockHash }),
      transaction: async () => (await client.getTransaction({ hash })).nonce,
      receipt: async () => (await client.getTransactionReceipt({ hash })).gasUsed,
      blockReceipts: async () => {
        const receipts = await request({
          method: 'eth_getBlockReceipts',
          params: [`0x${block.toString(16)}`],
        });
        return (receipts as readonly unknown[]).length;
      },
      logs: async () => (await client.getLogs({ address: token, fromBlock: 0n })).length,
      call: async () => (await client.call({ to: token, data })).data,
      estimate: () => client.estimateGas({ account, to: other, value: 1n }),
      accessList: async () => (await client.createAccessList({ account, to: token, data })).gasUsed,
      accountInfo: async () => {
        const info = await request({ method: 'eth_getAccountInfo', params: [account, 'latest'] });
        return BigInt((info as { balance: string }).balance);
      },
      senderAndNonce: async () => {
        const found = await request({
          method: 'eth_getTransactionBySenderAndNonce',
          params: [account, '0x0'],
        });
        return (found as { hash: string }).hash;
      },
      fillTransaction: async () =>
        (await fillTransaction(client, { account, to: other, value: 1n, chain: null })).transaction.nonce,
    });
  } finally {
    if (url.startsWith('ws')) {
      const socket = client as unknown as { transport: { getRpcClient(): Promise<{ close(): void }> } };
      (await socket.transport.getRpcClient()).close();
    }
  }
}

export async function runWeb3(url: string, subject: Subject): Promise<Findings> {
  const web3 = new Web3(url);
  const { eth } = web3;
  const { account, other, token, callData, slot, block, blockHash, transactionHash } = subject;
  const send = (method: string, params: readonly unknown[]): Promise<unknown> =>
    web3.requestManager.send({ method, params } as never);
  try {
    return await runOperations({
      chainId: () => eth.getChainId(),
      blockNumber: () => eth.getBlockNumber(),
      gasPrice: () => eth.getGasPrice(),
      priorityFee: () => eth.getMaxPriorityFeePerGas(),
      feeHistory: async () => {
        const history = await eth.getFeeHistory(4, 'latest', [25, 75]);
        return (history.baseFeePerGas as unknown as readonly bigint[]).join(' ');
      },
      balance: () => eth.getBalance(account),
      balanceAtBlock: () => eth.getBalance(account, block),
      nonce: () => eth.getTransactionCount(account),
      code: () => eth.getCode(token),
      storage: async () => BigInt(await eth.getStorageAt(token, slot)),
      proof: async () => (await eth.getProof(account, [])).accountProof.length,
      blockByNumber: async () => (await eth.getBlock(block)).hash,
      blockByHash: async () => (await eth.getBlock(blockHash)).number,
      fullBlock: async () => (await eth.getBlock(block, true)).transactions?.length,
      transactionCount: () => eth.getBlockTransactionCount(blockHash),
      transaction: async () => (await eth.getTransaction(transactionHash)).nonce,
      receipt: async () => (await eth.getTransactionReceipt(transactionHash)).gasUsed,
      blockReceipts: async () =>
        ((await send('eth_getBlockReceipts', [`0x${block.toString(16)}`])) as readonly unknown[]).length,
      logs: async () => (await eth.getPastLogs({ address: token, fromBlock: 0 })).length,
      call: () => eth.call({ to: token, data: callData }),
      estimate: () => eth.estimateGas({ from: account, to: other, value: 1 }),
      accessList: async () =>
        BigInt(String((await eth.createAccessList({ from: account, to: token, data: callData })).gasUsed)),
      accountInfo: async () => {
        const info = await send('eth_getAccountInfo', [account, 'latest']);
        return BigInt((info as { balance: string }).balance);
      },
      senderAndNonce: async () => {
        const found = await send('eth_getTransactionBySenderAndNonce', [account, '0x0']);
        return (found as { hash: string }).hash;
      },
      fillTransaction: async () => {
        const filled = await send('eth_fillTransaction', [{ from: account, to: other, value: '0x1' }]);
        return BigInt((filled as { tx: { nonce: string } }).tx.nonce);
      },
    });
  } finally {
    if (url.startsWith('ws')) web3.provider?.disconnect();
  }
}
