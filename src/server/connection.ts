import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { RequestScope } from '../util/request-scope.ts';

/** The unanswered requests of one HTTP connection; they are aborted when it closes. */
export class Connection {
  /** A refused request is still arriving: its answer has been sent, so nothing more may be said about it. */
  isDiscarding = false;
  /** The next request came before this one was answered: on a connection that is read here. */
  hasNext = false;
  /** Requests whose answers have not been sent to their ends: on a connection that node reads. */
  unsent = 0;
  /** Its client has been told that there will be no further answer. */
  isOver = false;
  readonly #scopes = new Set<RequestScope>();

  get pending(): number {
    return this.#scopes.size;
  }

  begin(scope: RequestScope): void {
    this.#scopes.add(scope);
  }

  end(scope: RequestScope): void {
    this.#scopes.delete(scope);
  }

  abortAll(): void {
    for (const scope of this.#scopes) scope.abort();
    this.#scopes.clear();
  }
}

/**
 * Connections by socket. One `close` listener a connection, not one a request: responses that wait in a
 * pipeline get no `close` event of their own.
 */
export class ConnectionTable {
  readonly #connections = new Map<Duplex, Connection>();

  get size(): number {
    return this.#connections.size;
  }

  /** The connection of a socket, entered on first sight. */
  of(socket: Duplex): Connection {
    return this.#connections.get(socket) ?? this.#enter(socket);
  }

  /** Ends connections on which nothing was ever sent; node counts them as busy with their first request. */
  closeUnused(): void {
    for (const socket of this.#connections.keys()) {
      if (socket instanceof Socket && socket.bytesRead === 0) socket.destroy();
    }
  }

  #enter(socket: Duplex): Connection {
    const connection = new Connection();
    this.#connections.set(socket, connection);
    socket.once('close', () => {
      this.#connections.delete(socket);
      connection.abortAll();
    });
    return connection;
  }
}
