import { completeWithin } from '../../util/complete-within.ts';
import { CircuitBreaker } from '../redis/circuit-breaker.ts';
import { createScript, type RedisClient } from '../redis/redis-client.ts';
import {
  HEIGHT_LEASE_MS,
  HEIGHT_LIFE_MS,
  HEIGHT_SLACK_MS,
  type HeightTable,
  type OtherHeights,
  type OwnHeights,
} from './height-table.ts';

/**
 * The script uses the server's clock. KEYS: hash with the heights of the processes of a chain. ARGV: reader, its served height, its announced height
 * (-1: none), lifetime of an entry in ms, lease with margin in ms, lease in ms. Returns three values: the highest height that other processes may
 * serve (-1: none), whether another process has a lease, and pairs of an announced height and its age.
 */
const EXCHANGE = createScript(
  1,
  `local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local rows = redis.call('HGETALL', KEYS[1])
  local lease = tonumber(ARGV[6])
  local served, readers, ahead, since, rising = -1, 0, 0, nil, {}
  for at = 1, #rows, 2 do
    local own, announced, from, read = string.match(rows[at + 1], '^(-?%d+) (-?%d+) (%d+) (%d+)$')
    if not own or math.abs(now - tonumber(read)) >= tonumber(ARGV[4]) then
      if rows[at] ~= ARGV[1] then redis.call('HDEL', KEYS[1], rows[at]) end
    elseif rows[at] == ARGV[1] then
      if announced == ARGV[3] then since = tonumber(from) end
    else
      local height, old = tonumber(announced), math.max(0, now - tonumber(from))
      served = math.max(served, tonumber(own))
      if old >= lease then served = math.max(served, height)
      elseif height >= 0 then
        table.insert(rising, height)
        table.insert(rising, old)
        if height >= tonumber(ARGV[3]) then ahead = math.max(ahead, old) end
      end
      if now - tonumber(read) <= tonumber(ARGV[5]) then readers = 1 end
    end
  end
  if not since then since = now - (readers == 1 and ahead or lease) end
  redis.call('HSET', KEYS[1], ARGV[1], string.format('%s %s %.0f %.0f', ARGV[2], ARGV[3], since, now))
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
  return {served, readers, unpack(rising)}`,
);

const NONE = -1;

export type RedisHeightTableOptions = {
  readonly client: RedisClient;
  readonly prefix: string;
  readonly timeLimitMs: number;
};

/** Heights in Valkey or Redis, shared between machines. */
export class RedisHeightTable implements HeightTable {
  readonly #options: RedisHeightTableOptions;
  readonly #breaker = new CircuitBreaker();

  constructor(options: RedisHeightTableOptions) {
    this.#options = options;
  }

  exchange(
    chain: string,
    reader: string,
    heights: OwnHeights,
  ): Promise<OtherHeights | undefined> | undefined {
    const { client } = this.#options;
    return client.ready && this.#breaker.admit() ? this.#exchange(chain, reader, heights) : undefined;
  }

  async close(): Promise<void> {}

  async #exchange(
    chain: string,
    reader: string,
    { served, announced }: OwnHeights,
  ): Promise<OtherHeights | undefined> {
    const { client, prefix, timeLimitMs } = this.#options;
    const reply = await completeWithin(
      client.run(
        EXCHANGE,
        `{${prefix}:heights:${chain}}`,
        reader,
        served ?? NONE,
        announced ?? NONE,
        HEIGHT_LIFE_MS,
        HEIGHT_LEASE_MS + HEIGHT_SLACK_MS,
        HEIGHT_LEASE_MS,
      ),
      timeLimitMs,
    );
    const others = readReply(reply);
    if (others === undefined) {
      this.#breaker.fail();
      return undefined;
    }
    this.#breaker.succeed();
    return others;
  }
}

function readReply(reply: unknown): OtherHeights | undefined {
  if (!Array.isArray(reply) || reply.length < 2 || reply.length % 2 !== 0) return undefined;
  const numbers = reply.map(Number);
  if (!numbers.every((value) => Number.isSafeInteger(value))) return undefined;
  const [served = NONE, readers = 0, ...pairs] = numbers;
  const rising = pairs.flatMap((height, at) =>
    at % 2 === 0 ? [{ height, ageMs: Math.max(0, pairs[at + 1] ?? 0) }] : [],
  );
  return { served: served < 0 ? undefined : served, rising, hasReaders: readers === 1 };
}
