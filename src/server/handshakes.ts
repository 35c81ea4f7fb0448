import type { Socket } from 'node:net';

type Handshake = { readonly socket: Socket; readonly timer: NodeJS.Timeout };

/**
 * Connections whose TLS handshake is not done. Node's own time limit begins anew with every byte, so a client that sends one
 * at a time would have as long as it likes.
 */
export class Handshakes {
  readonly #limitMs: number;
  /** By the other end's address and port, which the socket below TLS and the one above it share. */
  readonly #pending = new Map<string, Handshake>();

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** A connection as it was accepted. */
  begin(socket: Socket): void {
    const name = nameOf(socket);
    const timer = setTimeout(() => socket.destroy(), this.#limitMs);
    this.#pending.set(name, { socket, timer });
    socket.once('close', () => this.#forget(name, timer));
  }

  /** @param socket above TLS */
  end(socket: Socket): void {
    const name = nameOf(socket);
    this.#forget(name, this.#pending.get(name)?.timer);
  }

  /** Ends all of them. */
  terminate(): void {
    for (const { socket } of this.#pending.values()) socket.destroy();
  }

  #forget(name: string, timer: NodeJS.Timeout | undefined): void {
    clearTimeout(timer);
    if (this.#pending.get(name)?.timer === timer) this.#pending.delete(name);
  }
}

function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
