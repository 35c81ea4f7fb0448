import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Redis, ReplyError } from 'iovalkey';
import { completeWithin } from '../../util/complete-within.ts';
import { createConnectorClass, type ReplyMeter } from './redis-connector.ts';
import type { RedisTarget } from './redis-url.ts';

const CONNECT_TIMEOUT_MS = 2_000;
/** Base delay before a reconnection, ms; a random delay of up to the same length is added, so that replicas do not reconnect simultaneously. */
const RECONNECT_MS = 250;
/** Default limit of commands without a reply; at the limit, no command is sent. */
const MAX_IN_FLIGHT = 256;
/** Allowance for other replies that arrive in the same read as the end of a long reply, bytes. */
const REPLY_SLACK_BYTES = 1024 * 1024;

/** Kind of fault of a Valkey or Redis server. */
export type RedisFault =
  /** There is no connection, or the connection broke. */
  | 'unreachable'
  /** There was no reply in time. */
  | 'timeout'
  /** The reply is an error: credentials, memory, or a server that is loading. */
  | 'refused'
  /** The stored value is not a value that this program writes under this key. */
  | 'garbage';

export type RedisClientOptions = {
  readonly target: RedisTarget;
  /** Maximum number of bytes that are read of one value. */
  readonly valueBytes: number;
  /** Limit of commands without a reply; at the limit, no command is sent. */
  readonly commands?: number;
  /** Called for every broken or refused connection and every failed command. */
  readonly onFault: (fault: RedisFault) => void;
};

/** Lua source, its SHA-1, and the number of leading arguments that are key names. */
export type RedisScript = { readonly source: string; readonly hash: string; readonly keys: number };

/** Creates a script with its SHA-1. @param keys number of leading arguments that are key names */
export function createScript(keys: number, source: string): RedisScript {
  return { source, hash: createHash('sha1').update(source).digest('hex'), keys };
}

/** Connection that reconnects by itself, with a bounded number of commands in flight. */
export interface RedisClient {
  /** Whether a command would be sent now: the client is connected, and fewer commands than the maximum are in flight. */
  readonly ready: boolean;
  /** Whether the client is connected, and the server has answered the last command. */
  readonly isAnswering: boolean;
  /** Returns the value truncated to `valueBytes`; null if there is no value, undefined if there is no reply. Never rejects. */
  get(key: string): Promise<Buffer | null | undefined>;
  /**
   * Sends a command for which this interface has no method of its own.
   * @returns numbers, texts, null, or lists of these; undefined if there is no reply. The reply must be known to be short. Never rejects.
   */
  send(command: string, ...args: readonly (string | number)[]): Promise<unknown>;
  /** Runs a script; the server caches scripts by hash. @returns the same values as `send`; never rejects */
  run(script: RedisScript, ...args: readonly (string | number)[]): Promise<unknown>;
  /** Resolves when the server has replied or cannot reply. Never rejects. */
  set(key: string, value: Buffer, ttlMs: number): Promise<void>;
  /** Resolves once connected, or after `limitMs`. */
  waitUntilReady(limitMs: number): Promise<void>;
  /** Abandons all commands in flight, and reconnects. */
  reconnect(): void;
  close(): void;
}

/** Creates a client without queues: a command that cannot be sent immediately is dropped. */
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
  #isSilent = false;

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
    // Errors of the library contain addresses and arguments, so they are not passed on.
    this.#redis.on('error', () => onFault('unreachable'));
  }

  get ready(): boolean {
    return this.#redis.status === 'ready' && this.#inFlight < this.#commands;
  }

  get isAnswering(): boolean {
    return this.#redis.status === 'ready' && !this.#isSilent;
  }

  async get(key: string): Promise<Buffer | null | undefined> {
    // GETRANGE limits the reply, because a value that another program wrote may have any length.
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
      await completeWithin(once(this.#redis, 'ready'), limitMs).catch(() => {});
  }

  reconnect(): void {
    this.#isSilent = true;
    this.#redis.disconnect(true);
  }

  close(): void {
    this.#redis.disconnect();
  }

  async #send<T>(command: () => Promise<T>): Promise<T | undefined> {
    if (!this.ready) return undefined;
    this.#inFlight++;
    try {
      const reply = await command();
      this.#isSilent = false;
      return reply;
    } catch (error) {
      this.#onFault(error instanceof ReplyError ? 'refused' : 'unreachable');
      return undefined;
    } finally {
      this.#inFlight--;
      this.#meter.unclaimedBytes = 0;
    }
  }
}

/** Whether the error means that the server does not know the script, because it was restarted or never had the script. */
function isUnknownScript(error: unknown): boolean {
  return error instanceof ReplyError && (error as Error).message.startsWith('NOSCRIPT');
}
