import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ConnectionTable } from '../../src/server/connection.ts';
import { FastPathLane, type FastPathLaneParts } from '../../src/server/fast-path-lane.ts';
import { VisitorReader } from '../../src/server/visitor.ts';

const TURNS_LIMIT = 1_000;

type Begun = { count: number };

/** A connection that counts the start of its reading. */
function openSocket(address: string, begun: Begun): Socket {
  const socket = new Duplex({ read() {} });
  return Object.assign(socket, {
    remoteAddress: address,
    bytesRead: 0,
    setTimeout: () => void begun.count++,
  }) as unknown as Socket;
}

function openLane(): FastPathLane {
  const connections = new ConnectionTable({} as ConstructorParameters<typeof ConnectionTable>[0]);
  const limits = { headersTimeout: 1_000 };
  return new FastPathLane({
    connections,
    limits,
    visitors: new VisitorReader([]),
  } as unknown as FastPathLaneParts);
}

test('many new connections of one address are read in slots of this address, those of others at once', async () => {
  const lane = openLane();
  const [many, other] = [{ count: 0 }, { count: 0 }];
  const sockets = Array.from({ length: 60 }, () => openSocket('127.0.0.2', many));
  for (const socket of sockets) lane.accept(socket);
  assert.equal(many.count, 4);
  lane.accept(openSocket('127.0.0.3', other));
  assert.equal(other.count, 1);

  // A connection closed meanwhile is not read, and one that fails before it is read is closed.
  sockets.at(-1)?.destroy();
  sockets.at(-2)?.destroy(new Error('reset'));
  let most = 0;
  for (let turn = 0; turn < TURNS_LIMIT && many.count < 58; turn++) {
    const before = many.count;
    await nextTurn();
    most = Math.max(most, many.count - before);
  }
  assert.equal(many.count, 58);
  assert.ok(most <= 16, `${most} in one turn`);
  for (const socket of sockets) socket.destroy();
});
