import { randomUUID } from 'node:crypto';
import { completeWithin, TIMED_OUT } from '../../util/complete-within.ts';
import { CircuitBreaker } from '../redis/circuit-breaker.ts';
import { createScript, type RedisClient, type RedisScript } from '../redis/redis-client.ts';
import {
  checkRecordText,
  MAX_OWNER_BYTES,
  MAX_SWEPT_FOR_ROOM,
  nameOwnerOf,
  type RecordTable,
  RecordTableError,
  type StoredRecord,
  type WhenFull,
} from './record-table.ts';

/**
 * The scripts use the server's clock. KEYS of each script: 1. the record (hash of text and version). 2 to 4, of the record's owner: record names by
 * expiry, lengths of texts, and the number and sum of these lengths. Earlier versions of the service do not update the stored number of records. If
 * the stored number differs from the actual number, the sum of lengths is recomputed. Each write removes a bounded number of expired records from the
 * owner's lists.
 */
const PRELUDE = `
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local bytes = 0
  local sum = redis.call('HMGET', KEYS[4], 'n', 'b')
  local hasChanged = tonumber(sum[1] or '0') ~= redis.call('HLEN', KEYS[3])
  if hasChanged then
    for _, length in ipairs(redis.call('HVALS', KEYS[3])) do bytes = bytes + length end
  else
    bytes = tonumber(sum[2] or '0')
  end
  local function drop(name)
    bytes = bytes - (redis.call('HGET', KEYS[3], name) or 0)
    redis.call('ZREM', KEYS[2], name)
    redis.call('HDEL', KEYS[3], name)
  end
  local function sweep(limit)
    local due = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, limit)
    for _, name in ipairs(due) do drop(name) end
  end
  local function save()
    local count = redis.call('HLEN', KEYS[3])
    if count == 0 then return redis.call('DEL', KEYS[4]) end
    redis.call('HSET', KEYS[4], 'n', count, 'b', bytes)
    local life = redis.call('PTTL', KEYS[3])
    if redis.call('PTTL', KEYS[4]) < life then redis.call('PEXPIRE', KEYS[4], life) end
  end
  local function put(name, text, version, life)
    drop(name)
    redis.call('HSET', KEYS[1], 't', text, 'v', version)
    redis.call('PEXPIRE', KEYS[1], life)
    redis.call('ZADD', KEYS[2], now + life, name)
    redis.call('HSET', KEYS[3], name, #text)
    bytes = bytes + #text
    for i = 2, 3 do
      if redis.call('PTTL', KEYS[i]) < tonumber(life) then redis.call('PEXPIRE', KEYS[i], life) end
    end
    save()
  end
`;

/** Number of expired records removed with each write; more than one, so that expired records cannot accumulate. */
const SWEPT_WITH_WRITE = 4;

/**
 * ARGV 1 to 6: name, text, version, lifetime in ms, maximum records and bytes of the owner. ARGV 7 to 10: the key prefix that replaces the owner's
 * name, the length of that name, the maximum number of records to remove for room, and whether unexpired records may be removed.
 */
const CREATE = createScript(
  4,
  `${PRELUDE}
  local function isFull()
    local known = redis.call('HGET', KEYS[3], ARGV[1])
    local count = redis.call('ZCARD', KEYS[2]) - (known and 1 or 0)
    return count >= tonumber(ARGV[5]) or bytes - (known or 0) + #ARGV[2] > tonumber(ARGV[6])
  end
  if isFull() then
    local function nameKey(name) return ARGV[7] .. string.sub(name, ARGV[8] + 1) end
    local latest = now + ARGV[4]
    for _, late in ipairs(redis.call('ZREVRANGEBYSCORE', KEYS[2], '+inf', '(' .. latest, 'LIMIT', 0, ARGV[9])) do
      redis.call('ZADD', KEYS[2], latest, late)
      redis.call('PEXPIRE', nameKey(late), ARGV[4])
    end
    local limit = ARGV[10] == '1' and '+inf' or now
    local left = tonumber(ARGV[9])
    while left > 0 and isFull() do
      local oldest = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', limit, 'LIMIT', 0, 1)[1]
      if not oldest then break end
      drop(oldest)
      redis.call('DEL', nameKey(oldest))
      hasChanged = true
      left = left - 1
    end
    if isFull() then
      if hasChanged then save() end
      return 0
    end
  end
  sweep(${SWEPT_WITH_WRITE})
  put(ARGV[1], ARGV[2], ARGV[3], ARGV[4])
  return 1`,
);

/** ARGV: name, text, version, lifetime in ms, version to replace. */
const REPLACE = createScript(
  4,
  `if redis.call('HGET', KEYS[1], 'v') ~= ARGV[5] then return 0 end
  ${PRELUDE}
  sweep(${SWEPT_WITH_WRITE})
  put(ARGV[1], ARGV[2], ARGV[3], ARGV[4])
  return 1`,
);

/** ARGV: name. */
const REMOVE = createScript(
  4,
  `${PRELUDE}
  drop(ARGV[1])
  save()
  return redis.call('DEL', KEYS[1])`,
);

/** Minimum timeout of a reply, ms, because a failed poll costs the client more than a second. */
const TIME_LIMIT_MS = 1_000;

export type RedisRecordTableOptions = {
  readonly client: RedisClient;
  /** Prefix of key names in the server. */
  readonly prefix: string;
  readonly timeLimitMs: number;
};

/** Records in Valkey or Redis, shared between machines. */
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
    const bounds = [maxOfOwner, MAX_OWNER_BYTES];
    const room = [
      this.#nameOwner(owner),
      owner.length,
      MAX_SWEPT_FOR_ROOM,
      whenFull === 'removeOldest' ? 1 : 0,
    ];
    return this.#run(CREATE, name, text, randomUUID(), lifeMs, ...bounds, ...room);
  }

  async replace(name: string, version: string, text: string, lifeMs: number): Promise<boolean> {
    checkRecordText(text);
    return this.#run(REPLACE, name, text, randomUUID(), lifeMs, version);
  }

  async remove(name: string): Promise<boolean> {
    return this.#run(REMOVE, name);
  }

  /** Closes nothing: the client belongs to the caller, and stays open. */
  async close(): Promise<void> {}

  async #run(script: RedisScript, name: string, ...args: readonly (string | number)[]): Promise<boolean> {
    const keys = this.#nameKeys(name);
    return (await this.#ask(() => this.#client.run(script, ...keys, name, ...args))) === 1;
  }

  /** The hash tag in braces puts all keys of an owner on one cluster node, so that a script may access them together. */
  #nameOwner(owner: string): string {
    return `{${this.#prefix}:records:${owner}}`;
  }

  #nameKeys(name: string): readonly string[] {
    const owner = nameOwnerOf(name);
    const names = this.#nameOwner(owner);
    const lists = ['expiries', 'bytes', 'sum'].map((list) => `${names}:${list}`);
    return [`${names}${name.slice(owner.length)}`, ...lists];
  }

  /** @throws RecordTableError if no reply arrives in time, or immediately after several missing replies */
  async #ask(request: () => Promise<unknown>): Promise<unknown> {
    // A missing or full connection does not count as a failure of the server.
    if (this.#client.ready && this.#breaker.admit()) {
      const reply = await completeWithin(request(), this.#timeLimitMs);
      if (reply !== undefined && reply !== TIMED_OUT) {
        this.#breaker.succeed();
        return reply;
      }
      if (this.#breaker.fail()) this.#client.reconnect();
    }
    throw new RecordTableError('the record store does not answer');
  }
}
