/** Large answers streamed from nodes to HTTP clients through reused read buffers: no client receives bytes of another answer. */
import assert from 'node:assert/strict';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { after, test } from 'node:test';
import { createHttpTransport } from '../../../src/pool/transport/http-transport.ts';
import { writePieces } from '../../../src/server/piece-writer.ts';
import { CALL, inTime, LIMITS, serveRaw } from './servers.ts';

const CLIENTS = 12;
const ROUNDS = 2;
const BYTES = 1_300_000;
/** Chunk sizes, smaller and larger than a read, so that chunks also straddle reads. */
const CHUNKS = [200_000, 7, 30_000, 1, 65_536, 3_000, 60_000, 100];

/** A JSON string of 16-byte words, each with the seed and its own index. */
function makeText(seed: number): string {
  const words = Array.from({ length: BYTES / 16 }, (_, i) => `${seed}-${i}`.padEnd(15, '.'));
  return JSON.stringify(words.join(' '));
}

function* cutChunks(body: string, first: number): Generator<string> {
  for (let at = 0, i = first; at < body.length; i++) {
    const size = CHUNKS[i % CHUNKS.length] as number;
    yield body.slice(at, at + size);
    at += size;
  }
}

function answer(socket: Socket, body: string, isChunked: boolean, first: number): void {
  if (!isChunked) {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    return;
  }
  socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
  for (const chunk of cutChunks(body, first)) socket.write(`${chunk.length.toString(16)}\r\n${chunk}\r\n`);
  socket.write('0\r\n\r\n');
}

async function readText(response: IncomingMessage, isSlow: boolean): Promise<string> {
  const read: Buffer[] = [];
  for await (const piece of response) {
    read.push(piece as Buffer);
    if (isSlow && read.length % 4 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return Buffer.concat(read).toString();
}

for (const isChunked of [false, true]) {
  test(`each client gets its own bytes, ${isChunked ? 'from chunks' : 'from bodies of known length'}`, async () => {
    let requested = 0;
    const texts = new Map<string, string>();
    const node = await serveRaw((socket, id) => {
      const seed = requested++;
      const text = makeText(seed);
      texts.set(String(seed), text);
      answer(socket, `{"jsonrpc":"2.0","id":${id},"result":${text}}\n`, isChunked, seed);
    });
    const transport = createHttpTransport(node.endpoint, { ...LIMITS, streamBytes: 100_000 });
    const server = createServer(async (_, response) => {
      const reply = await transport.send(CALL, inTime());
      assert.ok(reply.kind === 'result' && typeof reply.result !== 'string');
      await writePieces(response, reply.result.pieces, () => {});
      response.end();
    });
    after(async () => {
      server.close();
      server.closeAllConnections();
      await transport.close();
      await node.close();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const ask = (isSlow: boolean): Promise<string> =>
      new Promise((resolve, reject) => {
        const request = get({ host: '127.0.0.1', port }, (response) => {
          readText(response, isSlow).then(resolve, reject);
        });
        request.on('error', reject);
      });
    for (let round = 0; round < ROUNDS; round++) {
      const got = await Promise.all(Array.from({ length: CLIENTS }, (_, client) => ask(client % 3 === 0)));
      for (const text of got) {
        const seed = text.slice(1, text.indexOf('-'));
        assert.ok(text === texts.get(seed), `the answer of ${seed} has other bytes`);
        texts.delete(seed);
      }
      assert.equal(texts.size, 0, 'an answer came twice');
    }
  });
}
