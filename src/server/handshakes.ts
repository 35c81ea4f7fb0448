import type { Socket } from 'node:net';

/**
 * Connections in their TLS handshake, which no other table contains. Node.js enforces the time limit of a handshake, and slowly arriving bytes do not
 * extend it.
 */
export class Handshakes {
  /** Connections by remote address and port, which the TCP socket and the TLS socket share. */
  readonly #pending = new Map<string, Socket>();

  /** Registers an accepted connection. */
  begin(socket: Socket): void {
    const name = nameOf(socket);
    this.#pending.set(name, socket);
    socket.once('close', () => {
      if (this.#pending.get(name) === socket) this.#pending.delete(name);
    });
  }

  /** @param socket the TLS socket */
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
