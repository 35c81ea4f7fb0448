import type { Socket } from 'node:net';
import { nameOwner } from '../util/owner.ts';
import { SCHEDULER } from '../util/slot-scheduler.ts';
import type { ConnectionTable } from './connection.ts';
import { FastPathConnection, type FastPathConnectionParts } from './fast-path-connection.ts';
import { readPeer } from './visitor.ts';

/** Number of new connections per address and `WITHIN_MS` that are read immediately. */
const AT_ONCE = 4;
const WITHIN_MS = 10;
/** Estimated processor time of the first request of a connection, ms. */
const FIRST_REQUEST_MS = 0.25;

export type FastPathLaneParts = Omit<FastPathConnectionParts, 'onLeave'> & {
  readonly connections: ConnectionTable;
};

/** All connections on the fast path. Every connection begins on the fast path. */
export class FastPathLane {
  readonly #parts: FastPathConnectionParts;
  readonly #table: ConnectionTable;
  readonly #connections = new Set<FastPathConnection>();
  /** Number of connections accepted in the last `WITHIN_MS`, by address. */
  readonly #recent = new Map<string, number>();

  constructor({ connections, ...parts }: FastPathLaneParts) {
    this.#table = connections;
    this.#parts = {
      ...parts,
      onLeave: (connection) => {
        this.#connections.delete(connection);
      },
    };
  }

  /**
   * Accepts a new connection. If one address opens many connections in a row, all connections but the first few are read in scheduler slots of the
   * address. Reason: libuv accepts one connection per iteration of the event loop, so connections of other addresses would wait until all requests on
   * earlier connections are answered.
   */
  accept(socket: Socket): void {
    const address = this.#parts.visitors.findAddress(readPeer(socket), undefined);
    if (this.#recent.size === 0) setTimeout(() => this.#recent.clear(), WITHIN_MS).unref();
    const recent = (this.#recent.get(address) ?? 0) + 1;
    this.#recent.set(address, recent);
    if (recent <= AT_ONCE) {
      this.begin(socket);
      return;
    }
    // The connection is registered now, so that a shutdown can end it while it waits for its scheduler slot.
    this.#table.of(socket);
    const onError = (): void => void socket.destroy();
    socket.on('error', onError);
    void SCHEDULER.pause(nameOwner(address), FIRST_REQUEST_MS).then(() => {
      socket.removeListener('error', onError);
      if (!socket.destroyed) this.begin(socket);
    });
  }

  /** Starts reading a connection. */
  begin(socket: Socket): void {
    this.#connections.add(new FastPathConnection(socket, this.#table.of(socket), this.#parts));
  }

  /** Half-closes idle connections. @see endIdle */
  endIdle(): void {
    for (const connection of this.#connections) connection.endIfIdle();
  }

  /** Closes idle connections immediately. */
  closeIdle(): void {
    for (const connection of this.#connections) connection.closeIfIdle();
  }
}
