import type { Socket } from 'node:net';
import { nameOwner } from '../util/owner.ts';
import { TURNS } from '../util/turn-queue.ts';
import type { ConnectionTable } from './connection.ts';
import { PlainConnection, type PlainConnectionParts } from './plain-connection.ts';
import { readPeer } from './visitor.ts';

/** New connections of one address that are read at once within so many milliseconds. */
const AT_ONCE = 4;
const WITHIN_MS = 10;
/** What the first request of a connection takes, about, milliseconds. */
const FIRST_REQUEST_MS = 0.25;

export type PlainLaneParts = Omit<PlainConnectionParts, 'onLeave'> & {
  readonly connections: ConnectionTable;
};

/** The connections on which only plain requests have been seen so far. Every connection begins here. */
export class PlainLane {
  readonly #parts: PlainConnectionParts;
  readonly #table: ConnectionTable;
  readonly #connections = new Set<PlainConnection>();
  /** Connections that came lately, by address. */
  readonly #recent = new Map<string, number>();

  constructor({ connections, ...parts }: PlainLaneParts) {
    this.#table = connections;
    this.#parts = {
      ...parts,
      onLeave: (connection) => {
        this.#connections.delete(connection);
      },
    };
  }

  /**
   * Takes a new connection. Where one address opens many in a row, those behind the first few are read in its turns: libuv accepts one
   * connection in each turn of the event loop, and those of others would wait while the requests of all before them are answered.
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
    // It is ended with all others meanwhile.
    this.#table.of(socket);
    const onError = (): void => void socket.destroy();
    socket.on('error', onError);
    void TURNS.pause(nameOwner(address), FIRST_REQUEST_MS).then(() => {
      socket.removeListener('error', onError);
      if (!socket.destroyed) this.begin(socket);
    });
  }

  /** Reads a connection from here on. */
  begin(socket: Socket): void {
    this.#connections.add(new PlainConnection(socket, this.#table.of(socket), this.#parts));
  }

  /** Ends those that wait for a request. @see endIdle */
  endIdle(): void {
    for (const connection of this.#connections) connection.endIfIdle();
  }

  /** Closes those that wait for a request, at once. */
  closeIdle(): void {
    for (const connection of this.#connections) connection.closeIfIdle();
  }
}
