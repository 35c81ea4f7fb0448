/** Large responses on their way from a node to clients, in memory that is reused. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonStream } from '../../packages/ethereum/primitives/json-result.ts';
import { createHttpTransport } from '../../src/pool/transport/http-transport.ts';
import type { Transport } from '../../src/pool/transport/transport.ts';
import { writePieces } from '../../src/server/piece-writer.ts';
import { CALL, inTime, LIMITS, type Node, serveRaw } from '../pool/transport/servers.ts';

const CLIENTS = 6;
const ROUNDS = 2;
/** A response of this many hashes exceeds the kernel's buffers for a client that does not read. */
const HASHES = 160_000;

const open: { close(): Promise<void> | void }[] = [];
after(async () => {
  for (const one of open.reverse()) await one.close();
});

/** Result of about 11 MB, different for each number. */
function makeResult(number: number): string {
  const hash = (i: number): string => `"0x${(number * HASHES + i).toString(16).padStart(64, '0')}"`;
  return `[${Array.from({ length: HASHES }, (_, i) => hash(i)).join()}]`;
}

let requested = 0;
const provided: string[] = [];

/** A node that returns another result for each call, in one body or in chunks. */
function serveResults(): Promise<Node> {
  return serveRaw((socket, id) => {
    const result = makeResult(++requested);
    provided.push(result);
    const body = `{"jsonrpc":"2.0","id":${id},"result":${result}}`;
    if (requested % 3 > 0) {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      return;
    }
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
    const size = 100_000;
    for (let at = 0; at < body.length; at += size) {
      const chunk = body.slice(at, at + size);
      socket.write(`${chunk.length.toString(16)}\r\n${chunk}\r\n`);
    }
    socket.write('0\r\n\r\n');
  });
}

async function serveClients(transport: Transport): Promise<Server> {
  const server = createServer((_, response) => {
    void transport.send(CALL, { ...inTime(), deadline: performance.now() + 60_000 }).then(async (reply) => {
      assert.ok(reply.kind === 'result');
      await writePieces(response, (reply.result as JsonStream).pieces, () => {});
      response.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** @param waitMs delay before the first read */
async function readLate(port: number, waitMs: number): Promise<string> {
  const [response] = (await once(get({ port, host: '127.0.0.1', agent: false }), 'response')) as [
    IncomingMessage,
  ];
  await sleep(waitMs);
  const read: Buffer[] = [];
  for await (const chunk of response) read.push(chunk as Buffer);
  return Buffer.concat(read).toString('latin1');
}

test('fast and slow clients get the bytes of their own answers', async () => {
  const node = await serveResults();
  const transport = createHttpTransport(node.endpoint, { ...LIMITS, streamBytes: 10_000, inFlight: 100 });
  const server = await serveClients(transport);
  open.push(node, transport, { close: () => void server.close() });
  const { port } = server.address() as AddressInfo;
  for (let round = 0; round < ROUNDS; round++) {
    provided.length = 0;
    const got = await Promise.all(Array.from({ length: CLIENTS }, (_, i) => readLate(port, (i % 3) * 300)));
    assert.deepEqual(
      got.map((text) => provided.indexOf(text)).sort((a, b) => a - b),
      Array.from({ length: CLIENTS }, (_, i) => i),
    );
  }
});
