/** Connections of ethers, viem, and bare WebSockets. */
import { once } from 'node:events';
import { Network, WebSocketProvider } from 'ethers';
import { createPublicClient, webSocket } from 'viem';
import { WebSocket } from 'ws';
import { type Connect, type Connection, RefusedError } from './connection.ts';

const CHAIN_ID = 1337;
const CONNECT_MS = 60_000;

async function open(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url, { handshakeTimeout: CONNECT_MS });
  await once(socket, 'open');
  // An error closes the socket, and the close event is handled.
  socket.on('error', () => socket.terminate());
  return socket;
}

type Waiting = {
  readonly onResult: (result: unknown) => void;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
};

export const connectRaw: Connect = async (url): Promise<Connection> => {
  const socket = await open(url);
  const waiting = new Map<number, Waiting>();
  const listeners = new Map<string, (result: unknown) => void>();
  let lastId = 0;
  socket.on('message', (data) => {
    const message = JSON.parse(String(data));
    if (message.method === 'eth_subscription') {
      const { subscription, result } = message.params;
      const listener = listeners.get(subscription);
      if (listener === undefined)
        throw new Error('a notification came before the answer with its subscription');
      listener(result);
      return;
    }
    const waiter = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.error !== undefined) waiter?.reject(new RefusedError(message.error));
    else if (waiter !== undefined) {
      listeners.set(message.result, waiter.onResult);
      waiter.resolve();
    }
  });
  const closed = once(socket, 'close').then(() => {
    for (const { reject } of waiting.values()) reject(new Error('the connection was closed'));
  });
  return {
    closed,
    subscribe: (params, onResult) =>
      new Promise((resolve, reject) => {
        const id = ++lastId;
        waiting.set(id, { onResult, resolve, reject });
        socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_subscribe', params }));
      }),
    close: () => socket.terminate(),
  };
};

export const connectEthers: Connect = async (url): Promise<Connection> => {
  const socket = new WebSocket(url, { handshakeTimeout: CONNECT_MS });
  const opened = once(socket, 'open');
  const network = Network.from(CHAIN_ID);
  // The provider uses `ws` by default; only the types differ.
  const provider = new WebSocketProvider(socket as never, network, { staticNetwork: network });
  await opened;
  socket.on('error', () => socket.terminate());
  const closed = once(socket, 'close').then(() => provider.destroy());
  return {
    closed,
    async subscribe(params, onResult) {
      const requested = provider.send('eth_subscribe', [...params]);
      const id = await Promise.race([requested, closed]).catch((error) => {
        throw error?.error?.code === undefined ? error : new RefusedError(error.error);
      });
      if (typeof id !== 'string') throw new Error('the connection was closed');
      provider._register(id, { _handleMessage: onResult } as never);
    },
    close: () => socket.terminate(),
  };
};

export const connectViem: Connect = async (url): Promise<Connection> => {
  // The library shares one connection per URL and options.
  const client = createPublicClient({ transport: webSocket(url, { reconnect: false, keepAlive: false }) });
  const rpc = await client.transport.getRpcClient();
  const socket = rpc.socket as unknown as WebSocket;
  let end = (): void => {};
  const closed = new Promise<void>((resolve) => {
    end = resolve;
  }).then(() => rpc.close());
  socket.addEventListener('close', () => end());
  if (socket.readyState !== WebSocket.OPEN) end();
  return {
    closed,
    async subscribe(params, onResult) {
      const requested = client.transport.subscribe({
        params: params as never,
        onData: (data: { readonly result: unknown }) => onResult(data.result),
        // `closed` reports the connection's end.
        onError: () => {},
      } as never);
      requested.catch(() => {});
      const id = await Promise.race([requested, closed]).catch((error) => {
        throw typeof error?.code === 'number' ? new RefusedError(error) : error;
      });
      if (id === undefined) throw new Error('the connection was closed');
    },
    close: () => rpc.close(),
  };
};
