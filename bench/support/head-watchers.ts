/** Subscribers of `newHeads` over a few WebSockets, and when each received a block. */
import { once } from 'node:events';
import { WebSocket } from 'ws';

const SUBSCRIBE = '{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}';
const NOTIFICATION = Buffer.from('"eth_subscription"');
const OPEN_MS = 20_000;

export class HeadWatchers {
  readonly #sockets: readonly WebSocket[];
  readonly #count: number;
  #heard: number[] = [];
  #onAll: (() => void) | undefined;

  constructor(sockets: readonly WebSocket[], count: number) {
    this.#sockets = sockets;
    this.#count = count;
    for (const socket of sockets) socket.on('message', (data: Buffer) => this.#hear(data));
  }

  /** @param each number of subscriptions per connection */
  static async open(url: string, connections: number, each: number): Promise<HeadWatchers> {
    const sockets = Array.from({ length: connections }, () => new WebSocket(url));
    await Promise.all(sockets.map((socket) => once(socket, 'open')));
    for (const socket of sockets) await subscribe(socket, each);
    return new HeadWatchers(sockets, connections * each);
  }

  /**
   * Runs `begin`, which makes a block the head, and waits until all subscribers have received it.
   * @returns milliseconds after `begin` per subscriber
   * @throws Error when not all have received it within 20 seconds
   */
  async measure(begin: () => Promise<void>): Promise<readonly number[]> {
    this.#heard = [];
    const all = new Promise<void>((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`${this.#heard.length} of ${this.#count} heard of a block`)),
        OPEN_MS,
      );
      this.#onAll = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    const begunAt = performance.now();
    await Promise.all([begin(), all]);
    return this.#heard.map((at) => at - begunAt);
  }

  async close(): Promise<void> {
    await Promise.all(
      this.#sockets.map(async (socket) => {
        const closed = once(socket, 'close');
        socket.terminate();
        await closed;
      }),
    );
  }

  #hear(data: Buffer): void {
    if (!data.includes(NOTIFICATION)) return;
    this.#heard.push(performance.now());
    if (this.#heard.length === this.#count) this.#onAll?.();
  }
}

async function subscribe(socket: WebSocket, count: number): Promise<void> {
  let answers = 0;
  const done = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('subscriptions are not answered')), OPEN_MS);
    const read = (data: Buffer): void => {
      const { id, error } = JSON.parse(String(data)) as { id?: unknown; error?: { message: string } };
      if (error !== undefined) reject(new Error(error.message));
      if (id !== undefined && ++answers === count) {
        clearTimeout(timer);
        socket.off('message', read);
        resolve();
      }
    };
    socket.on('message', read);
  });
  for (let sent = 0; sent < count; sent++) socket.send(SUBSCRIBE);
  await done;
}
