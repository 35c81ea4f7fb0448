/** A node closes or resets its connection while a slow client has paused the response: a complete response is delivered, and no socket event throws. */
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, test } from 'node:test';
import { createHttpTransport } from '../../../src/pool/transport/http-transport.ts';
import { CALL, inTime, LIMITS, serveRaw } from './servers.ts';

const PARTS = 5;
const PART_BYTES = 30_000;
const HEADS = {
  'kept, of known length': (length: number) => `content-length: ${length}\r\n`,
  'closed, of known length': (length: number) => `connection: close\r\ncontent-length: ${length}\r\n`,
  'closed, up to its end': () => 'connection: close\r\n',
} as const;
const ENDS = {
  ends: (socket: Socket) => socket.end(),
  resets: (socket: Socket) => socket.resetAndDestroy(),
} as const;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

for (const [head, write] of Object.entries(HEADS)) {
  for (const [how, end] of Object.entries(ENDS)) {
    test(`a paused answer is whole or fails when its connection (${head}) ${how}`, async () => {
      const text = JSON.stringify('x'.repeat(PARTS * PART_BYTES));
      const node = await serveRaw(async (socket, id) => {
        const body = `{"jsonrpc":"2.0","id":${id},"result":${text}}`;
        socket.write(`HTTP/1.1 200 OK\r\n${write(body.length)}\r\n`);
        for (let at = 0; at < body.length; at += PART_BYTES) {
          socket.write(body.slice(at, at + PART_BYTES));
          await sleep(at === PART_BYTES ? 40 : 5);
        }
        end(socket);
      });
      const transport = createHttpTransport(node.endpoint, { ...LIMITS, streamBytes: 20_000 });
      after(async () => {
        await transport.close();
        await node.close();
      });
      const reply = await transport.send(CALL, inTime());
      assert.ok(reply.kind === 'result' && typeof reply.result !== 'string');
      let read = '';
      const reading = (async () => {
        for await (const piece of (reply.result as Exclude<typeof reply.result, string>).pieces) {
          read += Buffer.from(piece).toString();
          await sleep(20);
        }
      })();
      if (how === 'ends') {
        await reading;
        assert.equal(read.length, text.length);
        assert.equal(read, text);
      } else {
        // A reset may discard bytes that were received but not read.
        await reading.then(
          () => assert.equal(read, text),
          (error: Error) => assert.equal(error.name, 'UpstreamFault'),
        );
      }
    });
  }
}
