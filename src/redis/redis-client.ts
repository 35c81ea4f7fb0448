import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Redis, ReplyError } from 'iovalkey';
import { settleWithin } from '../util/settle-within.ts';
import { createConnectorClass, type ReplyMeter } from './redis-connector.ts';
import type { RedisTarget } from './redis-url.ts';

const CONNECT_TIMEOUT_MS = 2_000;
/** Before a new attempt; up to as much again, so that replicas do not come back all at once. */
const RECONNECT_MS = 250;
/** Commands without a reply, by default; at the bound none is sent. */
const MAX_IN_FLIGHT = 256;
/** Replies to other commands that may arrive in one read with the end of a long one. */
const REPLY_SLACK_BYTES = 1024 * 1024;

/** Why the server was of no use. */
export type RedisFault =
  /** No connection, or it broke. */
  | 'unreachable'
  /** No reply in time. */
  | 'timeout'
  /** An error reply: credentials, memory, a server that is loading. */
  | 'refused'
  /** What lay under the key is not what was put there. */
  | 'garbage';

export type RedisClientOptions = {
  readonly target: RedisTarget;
  /** No value longer than this is read. */
  readonly valueBytes: number;
  /** Commands without a reply; at the bound none is sent. */
  readonly commands?: number;
  /** Called for every broken or refused connection and every failed command. */
  readonly onFault: (fault: RedisFault) => void;
};

/** Lua, its SHA-1, and how many of the arguments are names of keys: the first ones. */
export type RedisScript = { readonly source: string; readonly hash: string; readonly keys: number };

export function createScript(keys: number, source: string): RedisScript {
  return { source, hash: createHash('sha1').update(source).digest('hex'), keys };
}

/** A connection that comes back by itself, with a bounded number of commands on their way. */
export interface RedisClient {
  /** A command would be sent now: there is a connection, and room on it. */
  readonly ready: boolean;
  /** The value, cut off after `valueBytes`; null when there is none, undefined without an answer. Never rejects. */
  get(key: string): Promise<Buffer | null | undefined>;
  /**
   * The reply to any other command: numbers, texts, null, and lists of them; undefined without one. For replies that are known to be
   * short. Never rejects.
   */
  send(command: string, ...args: readonly (string | number)[]): Promise<unknown>;
  /** The same for a script, which the server keeps by its hash. */
  run(script: RedisScript, ...args: readonly (string | number)[]): Promise<unknown>;
  /** Resolves when the server has answered or will not. Never rejects. */
  set(key: string, value: Buffer, ttlMs: number): Promise<void>;
  /** Until there is a connection, or so long at most. */
  waitUntilReady(limitMs: number): Promise<void>;
  /** Gives up every command on its way, and connects anew. */
  reconnect(): void;
  close(): void;
}

/** A client without queues: what cannot be sent now is not sent. */
export function createRedisClient(options: RedisClientOptions): RedisClient {
  return new BoundedClient(options);
}

class BoundedClient implements RedisClient {
  readonly #redis: Redis;
  readonly #meter: ReplyMeter;
  readonly #valueBytes: number;
  readonly #onFault: (fault: RedisFault) => void;
  readonly #commands: number;
  #inFlight = 0;

  constructor({ target, valueBytes, commands = MAX_IN_FLIGHT, onFault }: RedisClientOptions) {
    this.#commands = commands;
    this.#valueBytes = valueBytes;
    this.#onFault = onFault;
    this.#meter = { unclaimedBytes: 0, limit: valueBytes + REPLY_SLACK_BYTES };
    this.#redis = new Redis({
      Connector: createConnectorClass(target, this.#meter),
      ...(target.tls && { tls: {} }),
      ...(target.username !== undefined && { username: target.username }),
      ...(target.password !== undefined && { password: target.password }),
      db: target.database,
      connectTimeout: CONNECT_TIMEOUT_MS,
      retryStrategy: () => RECONNECT_MS * (1 + Math.random()),
      maxRetriesPerRequest: 0,
      enableOfflineQueue: false,
      enableReadyCheck: false,
      autoResendUnfulfilledCommands: false,
    });
    // The errors themselves hold addresses and arguments: they go nowhere.
    this.#redis.on('error', () => onFault('unreachable'));
  }

  get ready(): boolean {
    return this.#redis.status === 'ready' && this.#inFlight < this.#commands;
  }

  async get(key: string): Promise<Buffer | null | undefined> {
    // Of a range: a value that another program put there may be of any length.
    const value: unknown = await this.#send(() => this.#redis.getrangeBuffer(key, 0, this.#valueBytes - 1));
    if (value === undefined) return undefined;
    if (Buffer.isBuffer(value)) return value.length === 0 ? null : value;
    this.#onFault('garbage');
    return undefined;
  }

  send(command: string, ...args: readonly (string | number)[]): Promise<unknown> {
    return this.#send(() => this.#redis.call(command, ...args));
  }

  run({ source, hash, keys }: RedisScript, ...args: readonly (string | number)[]): Promise<unknown> {
    return this.#send(async () => {
      try {
        return await this.#redis.evalsha(hash, keys, ...args);
      } catch (error) {
        if (!isUnknownScript(error)) throw error;
        return await this.#redis.eval(source, keys, ...args);
      }
    });
  }

  async set(key: string, value: Buffer, ttlMs: number): Promise<void> {
    await this.#send(() => this.#redis.set(key, value, 'PX', ttlMs));
  }

  async waitUntilReady(limitMs: number): Promise<void> {
    if (this.#redis.status !== 'ready')
      await settleWithin(once(this.#redis, 'ready'), limitMs).catch(() => {});
  }

  reconnect(): void {
    this.#redis.disconnect(true);
  }

  close(): void {
    this.#redis.disconnect();
  }

  async #send<T>(command: () => Promise<T>): Promise<T | undefined> {
    if (!this.ready) return undefined;
    this.#inFlight++;
    try {
      return await command();
    } catch (error) {
      this.#onFault(error instanceof ReplyError ? 'refused' : 'unreachable');
      return undefined;
    } finally {
      this.#inFlight--;
      this.#meter.unclaimedBytes = 0;
    }
  }
}

/** The server has been started anew, or never had it. */
function isUnknownScript(error: unknown): boolean {
  return error instanceof ReplyError && (error as Error).message.startsWith('NOSCRIPT');
}
