import type { Socket } from 'node:net';

/**
 * Connections in their TLS handshake, which are in no other table yet. Node.js enforces the time limit of the whole handshake, so a client cannot
 * extend it by sending slowly.
 */
export class Handshakes {
  /** TCP sockets by remote address and port, which are the same for the later TLS socket. */
  readonly #pending = new Map<string, Socket>();

  /** Registers an accepted connection. */
  begin(socket: Socket): void {
    const name = nameOf(socket);
    this.#pending.set(name, socket);
    socket.once('close', () => {
      if (this.#pending.get(name) === socket) this.#pending.delete(name);
    });
  }

  /** Removes a connection whose handshake is complete. @param socket the TLS socket */
  end(socket: Socket): void {
    this.#pending.delete(nameOf(socket));
  }

  /** Closes all pending connections. */
  terminate(): void {
    for (const socket of this.#pending.values()) socket.destroy();
  }
}

function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
