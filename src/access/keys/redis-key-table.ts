import { CircuitBreaker } from '../../shared-store/redis/circuit-breaker.ts';
import { createScript, type RedisClient } from '../../shared-store/redis/redis-client.ts';
import { completeWithin, TIMED_OUT } from '../../util/complete-within.ts';
import { type KeyRecord, keyRecordSchema } from './key-record.ts';
import { KeysUnreadableError, type KeyTable } from './key-table.ts';

/** Returns the record of the key with a SHA-256, or '' if there is none. KEYS: records by id, ids by SHA-256. ARGV: hash. */
const FIND = createScript(
  2,
  `local id = redis.call('HGET', KEYS[2], ARGV[1])
  if not id then return '' end
  return redis.call('HGET', KEYS[1], id) or ''`,
);

/**
 * Replaces a record if it has not changed since it was read. KEYS: records by id, ids by SHA-256. ARGV: id, the record as read ('' for a new one),
 * the new record, the number of removed hashes, the removed hashes, the added hashes. Returns 1 if the record was replaced, otherwise 0.
 */
const REPLACE = createScript(
  2,
  `if (redis.call('HGET', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then return 0 end
  local gone = 4 + tonumber(ARGV[4])
  for i = 5, gone do redis.call('HDEL', KEYS[2], ARGV[i]) end
  for i = gone + 1, #ARGV do redis.call('HSET', KEYS[2], ARGV[i], ARGV[1]) end
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
  return 1`,
);

const ATTEMPTS = 10;
/** Minimum timeout of the look-up of a key without a cached record, ms. For a client, a wait of a second is better than status 503. */
const FIRST_LIMIT_MS = 1_000;

export type RedisKeyTableOptions = {
  readonly client: RedisClient;
  /** Prefix of the server's key names. */
  readonly prefix: string;
  readonly timeLimitMs: number;
};

/** Keys in Valkey or Redis, which several machines may share. */
export class RedisKeyTable implements KeyTable {
  readonly #options: RedisKeyTableOptions;
  readonly #records: string;
  readonly #ids: string;
  readonly #breaker = new CircuitBreaker();

  constructor(options: RedisKeyTableOptions) {
    this.#options = options;
    // The hash tag in braces keeps both server keys on one cluster node, so that one script may access both.
    this.#records = `{${options.prefix}:keys}:records`;
    this.#ids = `{${options.prefix}:keys}:ids`;
  }

  async findByHash(hash: string, isFirst = false): Promise<KeyRecord | undefined> {
    const { timeLimitMs } = this.#options;
    const limitMs = isFirst ? Math.max(FIRST_LIMIT_MS, timeLimitMs) : timeLimitMs;
    const text = await this.#ask((client) => client.run(FIND, this.#records, this.#ids, hash), limitMs);
    return text === '' ? undefined : parseRecord(text);
  }

  async get(id: string): Promise<KeyRecord | undefined> {
    const text = await this.#ask((client) => client.send('HGET', this.#records, id));
    return text === null ? undefined : parseRecord(text);
  }

  async list(): Promise<KeyRecord[]> {
    const texts = await this.#ask((client) => client.send('HVALS', this.#records));
    return (texts as string[]).map(parseRecord);
  }

  async insert(record: KeyRecord): Promise<void> {
    if (!(await this.#replace(record.id, '', record, [])))
      throw new Error('a key with this id already exists');
  }

  async modify(id: string, change: (record: KeyRecord) => KeyRecord): Promise<KeyRecord | undefined> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const text = await this.#ask((client) => client.send('HGET', this.#records, id));
      if (text === null) return undefined;
      const old = parseRecord(text);
      const changed = change(old);
      const hashes = old.hashes.map(({ hash }) => hash);
      if (await this.#replace(id, text as string, changed, hashes)) return changed;
    }
    throw new Error('the key is being changed by another process');
  }

  /** Does nothing. The client belongs to the caller, and stays open. */
  async close(): Promise<void> {}

  /**
   * Replaces a record.
   * @returns whether the record was replaced; false if it has changed since it was read
   */
  async #replace(id: string, read: string, record: KeyRecord, gone: readonly string[]): Promise<boolean> {
    const come = record.hashes.map(({ hash }) => hash);
    const args = [id, read, JSON.stringify(record), gone.length, ...gone, ...come];
    return (await this.#ask((client) => client.run(REPLACE, this.#records, this.#ids, ...args))) === 1;
  }

  /**
   * Sends a request to the server.
   * @throws Error if no reply arrives in time. After several such errors, a circuit breaker makes further calls throw immediately.
   */
  async #ask(
    request: (client: RedisClient) => Promise<unknown>,
    limitMs: number = this.#options.timeLimitMs,
  ): Promise<unknown> {
    const { client } = this.#options;
    if (limitMs >= FIRST_LIMIT_MS) await client.waitUntilReady(limitMs);
    // A missing connection, or a full one, does not count as a failure of the server.
    if (client.ready && this.#breaker.admit()) {
      const value = await completeWithin(request(client), limitMs);
      if (value !== undefined && value !== TIMED_OUT) {
        this.#breaker.succeed();
        return value;
      }
      if (this.#breaker.fail()) client.reconnect();
    }
    throw new KeysUnreadableError();
  }
}

/**
 * Parses a stored record.
 * @throws Error that does not quote the text
 */
function parseRecord(text: unknown): KeyRecord {
  try {
    return keyRecordSchema.parse(JSON.parse(String(text)));
  } catch {
    throw new Error('the key store contains a malformed key');
  }
}
