/** A TCP proxy in front of the service that breaks a client's connection at any byte. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';

export class CutProxy {
  /** Port of the service for new connections; may be changed. */
  targetPort: number;
  readonly #server: Server;
  readonly #pairs = new Set<readonly [client: Socket, service: Socket]>();
  #cutAfter: number | undefined;

  constructor(server: Server, targetPort: number) {
    this.#server = server;
    this.targetPort = targetPort;
    server.on('connection', (client) => this.#join(client));
  }

  static async open(targetPort: number): Promise<CutProxy> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new CutProxy(server, targetPort);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Breaks open connections, at once or after `afterBytes` further bytes of the service. */
  cut(afterBytes: number): void {
    if (afterBytes > 0) this.#cutAfter = afterBytes;
    else for (const pair of this.#pairs) this.#break(pair);
  }

  async close(): Promise<void> {
    this.cut(0);
    const closed = once(this.#server, 'close');
    this.#server.close();
    await closed;
  }

  #join(client: Socket): void {
    const service = connect(this.targetPort, '127.0.0.1');
    const pair = [client, service] as const;
    this.#pairs.add(pair);
    for (const socket of pair) {
      socket.setNoDelay(true);
      socket.on('error', () => this.#break(pair));
      socket.on('close', () => this.#break(pair));
    }
    client.pipe(service);
    service.on('data', (chunk) => {
      const left = this.#cutAfter;
      if (left !== undefined && chunk.length >= left) {
        this.#cutAfter = undefined;
        client.write(chunk.subarray(0, left), () => this.#break(pair));
        service.destroy();
        return;
      }
      if (left !== undefined) this.#cutAfter = left - chunk.length;
      if (client.write(chunk)) return;
      service.pause();
      client.once('drain', () => service.resume());
    });
  }

  #break(pair: readonly [Socket, Socket]): void {
    if (!this.#pairs.delete(pair)) return;
    for (const socket of pair) socket.destroy();
  }
}
