/** The server that replicas share, which can be frozen, killed without losing its disk, and emptied. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'iovalkey';
import { type RedisServer, startRedis } from '../support/redis.ts';

export class SharedStore {
  /** Time of the last removal of filters, on the clock of `performance.now()`. */
  emptiedAt: number = -Infinity;
  readonly #server: RedisServer;

  constructor(server: RedisServer) {
    this.#server = server;
  }

  /** Starts the server with acknowledged writes on disk, which survive a restart. */
  static async start(): Promise<SharedStore> {
    return new SharedStore(await startRedis('--appendonly', 'yes', '--appendfsync', 'always'));
  }

  get url(): string {
    return `redis://127.0.0.1:${this.#server.port}`;
  }

  /** Stops answering for a while; connections stay open. */
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

  /** Removes all records, which include filters; other entries, such as the keys of clients, stay, as an operator would have to write them again. */
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
