import type { Socket } from 'node:net';

/**
 * Connections in their TLS handshake: nothing else knows of them. Their time limit is node's own, which bytes that
 * trickle in do not prolong.
 */
export class Handshakes {
  /** By the other end's address and port, which the socket below TLS and the one above it share. */
  readonly #pending = new Map<string, Socket>();

  /** A connection as it was accepted. */
  begin(socket: Socket): void {
    const name = nameOf(socket);
    this.#pending.set(name, socket);
    socket.once('close', () => {
      if (this.#pending.get(name) === socket) this.#pending.delete(name);
    });
  }

  /** @param socket above TLS */
  end(socket: Socket): void {
    this.#pending.delete(nameOf(socket));
  }

  /** Closes all of them. */
  terminate(): void {
    for (const socket of this.#pending.values()) socket.destroy();
  }
}

function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
