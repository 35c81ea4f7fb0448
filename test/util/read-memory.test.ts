import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { after, describe, it } from 'node:test';
import { dropRest, giveBack, READ_MEMORY } from '../../src/util/read-memory.ts';

const PART = 300_000;
const sockets: Socket[] = [];
const server = createServer((socket) => {
  sockets.push(socket);
  socket.on('error', () => socket.destroy());
  socket.on('data', (request) => {
    for (const size of request.toString().trim().split(' ').map(Number)) socket.write(makeBytes(size));
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
after(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

function makeBytes(size: number): Buffer {
  return Buffer.from(Array.from({ length: size }, (_, i) => (i * 31 + (i >> 8)) & 0xff));
}

/** Reads until the given number of bytes has arrived; `take` gets each piece. */
async function read(sizes: readonly number[], take: (piece: Buffer) => void): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', onread: READ_MEMORY });
  sockets.push(socket);
  let left = sizes.reduce((sum, size) => sum + size, 0);
  socket.write(sizes.join(' '));
  while (left > 0) {
    const piece = socket.read() as Buffer | null;
    if (piece === null) {
      await once(socket, 'readable');
      continue;
    }
    left -= piece.length;
    take(piece);
  }
  assert.equal(left, 0);
}

describe('memory for socket reads', () => {
  it('returns the sent bytes, whether it is given back or not', async () => {
    const sizes = [1, 10, 40_000, PART, 7, PART, PART];
    const sent = Buffer.concat(sizes.map(makeBytes));
    await Promise.all(
      [true, false, true, false, true].map(async (givesBack) => {
        const pieces: Buffer[] = [];
        await read(sizes, (piece) => {
          if (!givesBack) {
            pieces.push(piece);
            return;
          }
          pieces.push(Buffer.from(piece));
          piece.fill(0xee);
          giveBack(piece);
        });
        assert.ok(Buffer.concat(pieces).equals(sent));
      }),
    );
  });

  it('is reused once after it was given back completely, and not otherwise', async () => {
    const provided: Buffer[] = [];
    await read([PART], (piece) => provided.push(piece));
    const large = provided.find(({ length }) => length > 32 * 1024) as Buffer;
    assert.ok(large, 'no read was large');
    const reserved = large.buffer;
    giveBack(large.subarray(0, -1));
    giveBack(large.subarray(1, -1));
    giveBack(Buffer.alloc(large.length));
    const countUses = async (): Promise<number> => {
      let uses = 0;
      await read([PART, PART], ({ buffer }) => {
        if (buffer === reserved) uses++;
      });
      return uses;
    };
    assert.equal(await countUses(), 0, 'a part was taken for the end of the read');
    giveBack(large.subarray(1000));
    giveBack(large);
    assert.equal(await countUses(), 1);
    assert.equal(await countUses(), 0, 'it was not given back again');
  });

  it('is reused if the rest of a read was dropped', async () => {
    const provided: Buffer[] = [];
    await read([PART], (piece) => provided.push(piece));
    const large = provided.find(({ length }) => length > 32 * 1024) as Buffer;
    const body = large.subarray(100, -2);
    dropRest(body);
    giveBack(large);
    let uses = 0;
    await read([PART], ({ buffer }) => {
      if (buffer === large.buffer) uses++;
    });
    assert.equal(uses, 0, 'what ends behind the end was taken for it');
    giveBack(body);
    await read([PART], ({ buffer }) => {
      if (buffer === large.buffer) uses++;
    });
    assert.equal(uses, 1);
  });
});
