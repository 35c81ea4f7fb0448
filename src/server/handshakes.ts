import type { Socket } from 'node:net';

/**
 * Connections during their TLS handshake, which no other table of connections contains yet. Node.js limits the time of the whole TLS handshake, so a
 * client cannot extend the handshake by sending slowly.
 */
export class Handshakes {
  /** TCP sockets by remote address and port. The TLS socket that is created later has the same address and port. */
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
