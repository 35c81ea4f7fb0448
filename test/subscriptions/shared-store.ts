/** The server that replicas share, which can be stopped, killed with its disk left, and emptied. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'iovalkey';
import { type RedisServer, startRedis } from '../support/redis.ts';

export class SharedStore {
  /** When filters were last removed, on the clock of `performance.now()`. */
  emptiedAt: number = -Infinity;
  readonly #server: RedisServer;

  constructor(server: RedisServer) {
    this.#server = server;
  }

  /** What it has acknowledged is on its disk: it comes back with it. */
  static async start(): Promise<SharedStore> {
    return new SharedStore(await startRedis('--appendonly', 'yes', '--appendfsync', 'always'));
  }

  get url(): string {
    return `redis://127.0.0.1:${this.#server.port}`;
  }

  /** Answers nothing for a while, and keeps its connections. */
  async freeze(ms: number): Promise<void> {
    this.#server.freeze();
    await sleep(ms);
    this.#server.thaw();
  }

  async kill(awayMs: number): Promise<void> {
    await this.#server.kill();
    await sleep(awayMs);
    await this.#server.restart();
  }

  /** Removes all but the keys of clients, which an operator would have to write again. */
  async empty(): Promise<void> {
    const client = new Redis(this.#server.port, '127.0.0.1', { maxRetriesPerRequest: null });
    try {
      const names = await client.keys('*');
      const kept = names.filter((name) => !name.includes(':records:'));
      const texts = await Promise.all(kept.map((name) => client.dumpBuffer(name)));
      this.emptiedAt = performance.now();
      const all = client.multi().flushall();
      for (const [at, name] of kept.entries()) all.restore(name, 0, texts[at] as Buffer);
      await all.exec();
    } finally {
      client.disconnect();
    }
  }

  close(): Promise<void> {
    return this.#server.close();
  }
}
