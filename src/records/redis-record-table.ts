import { randomUUID } from 'node:crypto';
import { CircuitBreaker } from '../redis/circuit-breaker.ts';
import { createScript, type RedisClient, type RedisScript } from '../redis/redis-client.ts';
import { LATE, settleWithin } from '../util/settle-within.ts';
import {
  checkRecordText,
  MAX_OWNER_BYTES,
  nameOwnerOf,
  type RecordTable,
  RecordTableError,
  type StoredRecord,
  type WhenFull,
} from './record-table.ts';

/**
 * By the server's own clock. KEYS of each script: the record (a hash of text and version), the owner's names by the time at which they expire, lengths
 * of their texts. What has expired leaves the owner's sums, a bounded part with each write.
 */
const PRELUDE = `
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local function drop(name)
    redis.call('ZREM', KEYS[2], name)
    redis.call('HDEL', KEYS[3], name)
  end
  local function put(name, text, version, life)
    redis.call('HSET', KEYS[1], 't', text, 'v', version)
    redis.call('PEXPIRE', KEYS[1], life)
    redis.call('ZADD', KEYS[2], now + life, name)
    redis.call('HSET', KEYS[3], name, #text)
    for i = 2, 3 do
      if redis.call('PTTL', KEYS[i]) < tonumber(life) then redis.call('PEXPIRE', KEYS[i], life) end
    end
  end
  for _, name in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, 1000)) do drop(name) end
`;

/**
 * ARGV: name, text, version, life in milliseconds, records and bytes that the owner may have; where the oldest make room, what the keys of the
 * owner's records begin with instead of the owner's name, and the length of that name.
 */
const CREATE = createScript(
  3,
  `${PRELUDE}
  drop(ARGV[1])
  local bytes = #ARGV[2]
  for _, length in ipairs(redis.call('HVALS', KEYS[3])) do bytes = bytes + length end
  local function isFull()
    return redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[5]) or bytes > tonumber(ARGV[6])
  end
  redis.call('DEL', KEYS[1])
  while ARGV[7] and isFull() and redis.call('ZCARD', KEYS[2]) > 0 do
    local oldest = redis.call('ZRANGE', KEYS[2], 0, 0)[1]
    bytes = bytes - (redis.call('HGET', KEYS[3], oldest) or 0)
    drop(oldest)
    redis.call('DEL', ARGV[7] .. string.sub(oldest, ARGV[8] + 1))
  end
  if isFull() then return 0 end
  put(ARGV[1], ARGV[2], ARGV[3], ARGV[4])
  return 1`,
);

/** ARGV: name, text, version, life in milliseconds, the version that is replaced. */
const REPLACE = createScript(
  3,
  `${PRELUDE}
  if redis.call('HGET', KEYS[1], 'v') ~= ARGV[5] then return 0 end
  put(ARGV[1], ARGV[2], ARGV[3], ARGV[4])
  return 1`,
);

/** ARGV: name. */
const REMOVE = createScript(3, `${PRELUDE} drop(ARGV[1]) return redis.call('DEL', KEYS[1])`);

/** How long an answer is waited for at least: a poll that fails costs its client more than a second. */
const TIME_LIMIT_MS = 1_000;

export type RedisRecordTableOptions = {
  readonly client: RedisClient;
  /** Names of keys in the server begin with it. */
  readonly prefix: string;
  readonly timeLimitMs: number;
};

/** Records in Valkey or Redis, which machines share. */
export class RedisRecordTable implements RecordTable {
  readonly #client: RedisClient;
  readonly #prefix: string;
  readonly #timeLimitMs: number;
  readonly #breaker = new CircuitBreaker();

  constructor({ client, prefix, timeLimitMs }: RedisRecordTableOptions) {
    this.#client = client;
    this.#prefix = prefix;
    this.#timeLimitMs = Math.max(timeLimitMs, TIME_LIMIT_MS);
  }

  async read(name: string): Promise<StoredRecord | undefined> {
    const [key = ''] = this.#nameKeys(name);
    const reply = await this.#ask(() => this.#client.send('HMGET', key, 't', 'v'));
    const [text, version] = Array.isArray(reply) ? reply : [];
    return typeof text === 'string' && typeof version === 'string' ? { text, version } : undefined;
  }

  async create(
    name: string,
    text: string,
    lifeMs: number,
    maxOfOwner: number,
    whenFull: WhenFull = 'refuse',
  ): Promise<boolean> {
    checkRecordText(text);
    const owner = nameOwnerOf(name);
    const oldest = whenFull === 'removeOldest' ? [this.#nameOwner(owner), owner.length] : [];
    return this.#run(CREATE, name, text, randomUUID(), lifeMs, maxOfOwner, MAX_OWNER_BYTES, ...oldest);
  }

  async replace(name: string, version: string, text: string, lifeMs: number): Promise<boolean> {
    checkRecordText(text);
    return this.#run(REPLACE, name, text, randomUUID(), lifeMs, version);
  }

  async remove(name: string): Promise<boolean> {
    return this.#run(REMOVE, name);
  }

  /** The client is its owner's. */
  async close(): Promise<void> {}

  async #run(script: RedisScript, name: string, ...args: readonly (string | number)[]): Promise<boolean> {
    const keys = this.#nameKeys(name);
    return (await this.#ask(() => this.#client.run(script, ...keys, name, ...args))) === 1;
  }

  /** In braces: a cluster keeps all of an owner's keys on one node, where a script may touch them together. */
  #nameOwner(owner: string): string {
    return `{${this.#prefix}:records:${owner}}`;
  }

  #nameKeys(name: string): readonly string[] {
    const owner = nameOwnerOf(name);
    const names = this.#nameOwner(owner);
    return [`${names}${name.slice(owner.length)}`, `${names}:expiries`, `${names}:bytes`];
  }

  /** @throws RecordTableError without an answer in time; at once after several of these */
  async #ask(question: () => Promise<unknown>): Promise<unknown> {
    // No connection, or no room on it, says nothing about the server: it is not held against it.
    if (this.#client.ready && this.#breaker.admit()) {
      const reply = await settleWithin(question(), this.#timeLimitMs);
      if (reply !== undefined && reply !== LATE) {
        this.#breaker.succeed();
        return reply;
      }
      if (this.#breaker.fail()) this.#client.reconnect();
    }
    throw new RecordTableError('the server of records does not answer');
  }
}
