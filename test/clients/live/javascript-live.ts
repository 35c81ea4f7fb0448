/** The live operations with the JavaScript libraries. */
import { Contract, JsonRpcProvider, Wallet, WebSocketProvider } from 'ethers';
import {
  type Address,
  createPublicClient,
  createWalletClient,
  type Hex,
  http,
  type Log,
  parseAbi,
  webSocket,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';
import { Web3 } from 'web3';
import {
  collect,
  collectPolls,
  EVENT,
  type LiveFindings,
  type LiveSubject,
  runLive,
} from './live-operations.ts';

const POLL_MS = 100;
const at = ({ blockNumber, index }: { blockNumber: number; index: number }): string =>
  `${blockNumber}/${index}`;

export async function runEthersLive(subject: LiveSubject): Promise<LiveFindings> {
  const socket = new WebSocketProvider(subject.webSocket);
  const http = new JsonRpcProvider(subject.http, undefined, { pollingInterval: POLL_MS });
  const wallet = new Wallet(subject.key, socket);
  const contract = (provider: WebSocketProvider | JsonRpcProvider): Contract =>
    new Contract(subject.contract, [`event ${EVENT}`], provider);
  const filter = { address: subject.contract, topics: [subject.topic] };
  const listen = (provider: WebSocketProvider | JsonRpcProvider, event: 'block' | 'pending') =>
    collect(async (push) => {
      await provider.on(event, push);
      return () => provider.off(event, push);
    });
  const listenLogs = (provider: WebSocketProvider | JsonRpcProvider) =>
    collect(async (push) => {
      const source = contract(provider);
      await source.on('Logged', (_value, { log }) => push(at(log)));
      return () => source.removeAllListeners();
    });
  try {
    return await runLive({
      'new blocks': () => listen(socket, 'block'),
      'logs of a contract': () => listenLogs(socket),
      'pending transactions': () => listen(socket, 'pending'),
      'log filter': () =>
        collect(async (push) => {
          await http.on(filter, (log) => push(at(log)));
          return () => http.off(filter);
        }),
      'pending filter': () => listen(http, 'pending'),
      'send and wait': async () => {
        const sent = await wallet.sendTransaction({ to: subject.to, value: 1n });
        const receipt = await sent.wait();
        return [receipt?.hash];
      },
    });
  } finally {
    await socket.destroy();
    http.destroy();
  }
}

const ABI = parseAbi([`event ${EVENT}`]);

export async function runViemLive(subject: LiveSubject): Promise<LiveFindings> {
  const chain = foundry;
  const socket = createPublicClient({ chain, transport: webSocket(subject.webSocket) });
  const polling = createPublicClient({ chain, transport: http(subject.http), pollingInterval: POLL_MS });
  const account = privateKeyToAccount(subject.key);
  const wallet = createWalletClient({ chain, account, transport: http(subject.http) });
  const address = subject.contract as Address;
  const place = ({ blockNumber, logIndex }: Log): string => `${blockNumber}/${logIndex}`;
  try {
    return await runLive({
      'new blocks': () =>
        collect(async (push, onError) =>
          socket.watchBlocks({ onBlock: ({ number }) => push(number), onError }),
        ),
      'logs of a contract': () =>
        collect(async (push, onError) =>
          socket.watchContractEvent({
            address,
            abi: ABI,
            onLogs: (logs) => {
              for (const log of logs) push(place(log));
            },
            onError,
          }),
        ),
      'pending transactions': () =>
        collect(async (push, onError) =>
          socket.watchPendingTransactions({
            onTransactions: (hashes) => {
              for (const hash of hashes) push(hash);
            },
            onError,
          }),
        ),
      'block filter': async () => {
        const filter = await polling.createBlockFilter();
        return collectPolls(() => polling.getFilterChanges({ filter }));
      },
      'log filter': async () => {
        const filter = await polling.createContractEventFilter({ address, abi: ABI });
        return collectPolls(async () =>
          (await polling.getFilterChanges({ filter })).map((log) => place(log as Log)),
        );
      },
      'pending filter': async () => {
        const filter = await polling.createPendingTransactionFilter();
        return collectPolls(() => polling.getFilterChanges({ filter }));
      },
      'send and wait': async () => {
        const hash: Hex = await wallet.sendTransaction({ to: subject.to as Address, value: 1n });
        const receipt = await polling.waitForTransactionReceipt({ hash });
        return [receipt.transactionHash];
      },
      'send with receipt': async () => {
        const receipt = await wallet.sendTransactionSync({ to: subject.to as Address, value: 1n });
        return [receipt.transactionHash];
      },
    });
  } finally {
    (await socket.transport.getRpcClient()).close();
  }
}

export async function runWeb3Live(subject: LiveSubject): Promise<LiveFindings> {
  const socket = new Web3(subject.webSocket);
  const polling = new Web3(subject.http);
  const account = polling.eth.accounts.privateKeyToAccount(subject.key);
  polling.eth.accounts.wallet.add(account);
  polling.eth.transactionPollingInterval = POLL_MS;
  const filter = { address: subject.contract, topics: [subject.topic] };
  const place = (log: { blockNumber?: unknown; logIndex?: unknown }): string =>
    `${Number(log.blockNumber)}/${Number(log.logIndex)}`;
  const changesOf = async (id: unknown): Promise<readonly unknown[]> =>
    (await polling.eth.getFilterChanges(id as never)) as readonly unknown[];
  try {
    return await runLive({
      'new blocks': () =>
        collect(async (push, fail) => {
          const subscription = await socket.eth.subscribe('newBlockHeaders');
          subscription.on('data', ({ number }) => push(number));
          subscription.on('error', fail);
          return () => subscription.unsubscribe();
        }),
      'logs of a contract': () =>
        collect(async (push, fail) => {
          const subscription = await socket.eth.subscribe('logs', filter);
          subscription.on('data', (log) => push(place(log)));
          subscription.on('error', fail);
          return () => subscription.unsubscribe();
        }),
      'pending transactions': () =>
        collect(async (push, fail) => {
          const subscription = await socket.eth.subscribe('pendingTransactions');
          subscription.on('data', push);
          subscription.on('error', fail);
          return () => subscription.unsubscribe();
        }),
      'block filter': async () => {
        const id = await polling.eth.createNewBlockFilter();
        return collectPolls(() => changesOf(id));
      },
      'log filter': async () => {
        const id = await polling.eth.createNewFilter(filter);
        return collectPolls(async () => (await changesOf(id)).map((log) => place(log as object)));
      },
      'pending filter': async () => {
        const id = await polling.eth.createNewPendingTransactionFilter();
        return collectPolls(() => changesOf(id));
      },
      'send and wait': async () => {
        const value = { from: account.address, to: subject.to, value: '1', gas: 21_000 };
        const receipt = await polling.eth.sendTransaction(value);
        return [receipt.transactionHash];
      },
    });
  } finally {
    socket.provider?.disconnect();
  }
}
