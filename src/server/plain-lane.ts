import type { Socket } from 'node:net';
import type { ConnectionTable } from './connection.ts';
import { PlainConnection, type PlainConnectionParts } from './plain-connection.ts';

export type PlainLaneParts = Omit<PlainConnectionParts, 'onLeave'> & {
  readonly connections: ConnectionTable;
};

/** The connections on which only plain requests have been seen so far. Every connection begins here. */
export class PlainLane {
  readonly #parts: PlainConnectionParts;
  readonly #table: ConnectionTable;
  readonly #connections = new Set<PlainConnection>();

  constructor({ connections, ...parts }: PlainLaneParts) {
    this.#table = connections;
    this.#parts = {
      ...parts,
      onLeave: (connection) => {
        this.#connections.delete(connection);
      },
    };
  }

  /** Takes a new connection. */
  accept(socket: Socket): void {
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
