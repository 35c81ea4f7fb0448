import { CircuitBreaker } from '../redis/circuit-breaker.ts';
import { createScript, type RedisClient } from '../redis/redis-client.ts';
import { settleWithin } from '../util/settle-within.ts';
import {
  HEIGHT_LEASE_MS,
  HEIGHT_LIFE_MS,
  HEIGHT_SLACK_MS,
  type HeightTable,
  type OtherHeights,
} from './height-table.ts';

/**
 * By the server's own clock. KEYS: the processes of a chain. ARGV: the reader, its height (-1: none), milliseconds that an entry counts, and
 * that an answer holds. Answers the highest height of the others (-1: none), for how long it has been announced, and whether one of them
 * holds an answer.
 */
const EXCHANGE = createScript(
  1,
  `local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local rows = redis.call('HGETALL', KEYS[1])
  local highest, age, readers, since = -1, 0, 0, now
  for at = 1, #rows, 2 do
    local height, announced, read = string.match(rows[at + 1], '^(-?%d+) (%d+) (%d+)$')
    if not height or math.abs(now - tonumber(read)) >= tonumber(ARGV[3]) then
      if rows[at] ~= ARGV[1] then redis.call('HDEL', KEYS[1], rows[at]) end
    elseif rows[at] == ARGV[1] then
      if height == ARGV[2] then since = tonumber(announced) end
    else
      height, announced = tonumber(height), math.max(0, now - tonumber(announced))
      if height > highest then highest, age = height, announced
      elseif height == highest then age = math.max(age, announced) end
      if now - tonumber(read) <= tonumber(ARGV[4]) then readers = 1 end
    end
  end
  redis.call('HSET', KEYS[1], ARGV[1], string.format('%s %.0f %.0f', ARGV[2], since, now))
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  return {highest, age, readers}`,
);

const NONE = -1;

export type RedisHeightTableOptions = {
  readonly client: RedisClient;
  readonly prefix: string;
  readonly timeLimitMs: number;
};

/** Heights in Valkey or Redis, which machines share. */
export class RedisHeightTable implements HeightTable {
  readonly #options: RedisHeightTableOptions;
  readonly #breaker = new CircuitBreaker();

  constructor(options: RedisHeightTableOptions) {
    this.#options = options;
  }

  exchange(
    chain: string,
    reader: string,
    height: number | undefined,
  ): Promise<OtherHeights | undefined> | undefined {
    const { client } = this.#options;
    return client.ready && this.#breaker.admit() ? this.#exchange(chain, reader, height ?? NONE) : undefined;
  }

  async close(): Promise<void> {}

  async #exchange(chain: string, reader: string, height: number): Promise<OtherHeights | undefined> {
    const { client, prefix, timeLimitMs } = this.#options;
    const reply = await settleWithin(
      client.run(
        EXCHANGE,
        `{${prefix}:heights:${chain}}`,
        reader,
        height,
        HEIGHT_LIFE_MS,
        HEIGHT_LEASE_MS + HEIGHT_SLACK_MS,
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
  if (!Array.isArray(reply) || reply.length !== 3) return undefined;
  const [highest = NONE, ageMs = 0, readers = 0] = reply.map(Number);
  if (!Number.isSafeInteger(highest) || !Number.isFinite(ageMs) || ageMs < 0) return undefined;
  return { highest: highest < 0 ? undefined : highest, ageMs, hasReaders: readers === 1 };
}
