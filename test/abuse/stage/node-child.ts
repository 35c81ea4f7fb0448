/** A node in a separate process. The beginning of a call's data selects its answer. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { bytesToHex, hexToBytes } from '../../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../../packages/ethereum/primitives/keccak.ts';
import { FaultUpstream } from '../../support/fault-upstream.ts';
import { deliver } from '../../support/hostile/deliveries.ts';
import { RpcError, startNode } from '../../support/served-node.ts';
import {
  asksForHostility,
  HOSTILE_NETWORKS,
  type HostileNetwork,
  NODE_CHAIN_ID,
} from './hostile-networks.ts';

/** Addresses of the node for the stage. */
export type NodeUrls = {
  readonly url: string;
  /** One address for each of `HOSTILE_NETWORKS`, in its order. */
  readonly hostile: readonly string[];
};

const LARGE_BYTES = 11_000_000;
const LARGE_RESULT = `0x${'00'.repeat(LARGE_BYTES)}`;
const WORD = 64;
const encodeWord = (value: number): string => value.toString(16).padStart(WORD, '0');
/** `Error(string)` with `LARGE_BYTES` of text. */
const LARGE_REVERT = `0x08c379a0${encodeWord(32)}${encodeWord(LARGE_BYTES)}${'61'.repeat(LARGE_BYTES)}`;
const LONG_TEXT = 'very long '.repeat(100_000);

function answerCall([call]: readonly unknown[]): unknown {
  const { data = '0x' } = call as { readonly data?: string };
  const number = data.slice(6);
  switch (data.slice(0, 6)) {
    case '0xbad0':
      throw new RpcError(-32000, `the flux of cell ${number} is exhausted`);
    case '0xbad1':
      throw new RpcError(-32000, `${LONG_TEXT} ${number}`);
    case '0xbad2':
      throw new RpcError(-32000, 'method handler crashed');
    case '0x4e7e':
      throw new RpcError(3, 'execution reverted', LARGE_REVERT);
    case '0xb16e':
      return LARGE_RESULT;
    default:
      return `0x${encodeWord(42)}`;
  }
}

const context = { after: () => {} } as unknown as TestContext;
/** Sent transactions, which never enter a block. */
const waiting = new Set<string>();
const node = await startNode(context, {
  chainId: NODE_CHAIN_ID,
  answers: {
    eth_call: answerCall,
    eth_sendRawTransaction([raw]) {
      const hash = bytesToHex(keccak256(hexToBytes(String(raw))));
      waiting.add(hash);
      return hash;
    },
    eth_getTransactionByHash: ([hash]) => (waiting.has(String(hash)) ? null : { hash }),
    eth_getTransactionReceipt: ([hash]) => (waiting.has(String(hash)) ? null : { transactionHash: hash }),
  },
});

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** Proxy before the node for calls that are never answered, and answers that are not JSON. */
const door = createServer((request, response) => {
  // A caller that gives up closes its connection.
  answer(request, response).catch(() => response.destroy());
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const text = await readText(request);
  if (text.includes('"0x510e')) return;
  response.setHeader('content-type', 'application/json');
  if (text.includes('"0xbad3')) {
    response.end('<html>busy</html>');
    return;
  }
  const answered = await fetch(node.url, { method: 'POST', body: text });
  response.end(Buffer.from(await answered.arrayBuffer()));
}
door.keepAliveTimeout = 600_000;

/** Opens one more proxy over HTTP or WebSocket, for a network that is hostile where a call requests it. */
async function openHostile({ content, delivery, bytes, transport }: HostileNetwork): Promise<string> {
  const upstream = await FaultUpstream.start(node.url);
  await upstream.setFault({
    concerns: asksForHostility,
    delivery: {
      kind: 'own',
      // The service closes the connection, which is no failure of this process.
      pour: (answer) => void deliver(delivery, answer, content, bytes).catch(() => {}),
    },
  });
  return transport === 'HTTP' ? upstream.httpUrl : upstream.webSocketUrl;
}

const hostile = await Promise.all(HOSTILE_NETWORKS.map(openHostile));
door.listen(0, '127.0.0.1');
await once(door, 'listening');
process.send?.({
  url: `http://127.0.0.1:${(door.address() as AddressInfo).port}`,
  hostile,
} satisfies NodeUrls);
process.on('disconnect', () => process.exit());
