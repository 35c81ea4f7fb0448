import { randomUUID } from 'node:crypto';
import { completeWithin } from '../../util/complete-within.ts';
import { CircuitBreaker } from '../redis/circuit-breaker.ts';
import { createScript, type RedisClient } from '../redis/redis-client.ts';
import { type DaySpend, SPEND_DAYS, type SpendReport, type SpendTable } from './spend-table.ts';

/**
 * Adds credits to a day, once per report number, and returns the sum. KEYS: days of the account, last report number of the process. ARGV: report
 * number, day, credits, first day of the sum, oldest day that is stored, lifetime in s.
 */
const REPORT = createScript(
  2,
  `if tonumber(ARGV[3]) > 0 and tonumber(ARGV[1]) > tonumber(redis.call('GET', KEYS[2]) or '0') then
    redis.call('SET', KEYS[2], ARGV[1], 'EX', 86400)
    redis.call('HINCRBY', KEYS[1], ARGV[2], ARGV[3])
    redis.call('EXPIRE', KEYS[1], ARGV[6])
  end
  local rows, spent = redis.call('HGETALL', KEYS[1]), 0
  for at = 1, #rows, 2 do
    local day = tonumber(rows[at])
    if day < tonumber(ARGV[5]) then redis.call('HDEL', KEYS[1], rows[at])
    elseif day >= tonumber(ARGV[4]) then spent = spent + tonumber(rows[at + 1]) end
  end
  return spent`,
);

/** Lifetime of an account that spends nothing, s. */
const LIFE_S: number = SPEND_DAYS * 86_400;

export type RedisSpendTableOptions = {
  readonly client: RedisClient;
  readonly prefix: string;
  readonly timeLimitMs: number;
};

/** Credits by account and day in Valkey or Redis, shared between machines. */
export class RedisSpendTable implements SpendTable {
  readonly #options: RedisSpendTableOptions;
  readonly #breaker = new CircuitBreaker();
  readonly #id = randomUUID();

  constructor(options: RedisSpendTableOptions) {
    this.#options = options;
  }

  report(report: SpendReport): Promise<number | undefined> | undefined {
    const { client } = this.#options;
    return client.ready && this.#breaker.admit() ? this.#report(report) : undefined;
  }

  async list(account: string): Promise<readonly DaySpend[]> {
    const { client, timeLimitMs } = this.#options;
    const reply = await completeWithin(client.send('HGETALL', this.#nameDays(account)), timeLimitMs);
    if (!Array.isArray(reply))
      throw new Error('the shared server did not return the spent credits: try again');
    const numbers = reply.map(Number);
    return numbers
      .flatMap((day, at) => (at % 2 === 0 ? [{ day, credits: numbers[at + 1] ?? 0 }] : []))
      .sort((a, b) => a.day - b.day);
  }

  async close(): Promise<void> {}

  async #report({ account, day, credits, since, entry }: SpendReport): Promise<number | undefined> {
    const { client, timeLimitMs } = this.#options;
    const days = this.#nameDays(account);
    const spent = await completeWithin(
      client.run(
        REPORT,
        days,
        `${days}:entry:${this.#id}`,
        entry,
        day,
        credits,
        since,
        day - SPEND_DAYS,
        LIFE_S,
      ),
      timeLimitMs,
    );
    if (typeof spent === 'number' && Number.isSafeInteger(spent) && spent >= 0) {
      this.#breaker.succeed();
      return spent;
    }
    if (this.#breaker.fail()) client.reconnect();
    return undefined;
  }

  /** The hash tag in braces keeps the server keys of an account on one cluster node. */
  #nameDays(account: string): string {
    return `{${this.#options.prefix}:spend:${account}}`;
  }
}
