import { completeWithin } from '../../util/complete-within.ts';
import type { RedisClient } from '../redis/redis-client.ts';
import { createReportScript, RedisReports } from '../reports/redis-reports.ts';
import { type DaySpend, SPEND_DAYS, type SpendReport, type SpendTable } from './spend-table.ts';

/**
 * Adds credits to a day, and returns the sum. KEYS[1]: days of the account. ARGV, after the number of the report: day, credits, first day of the sum,
 * oldest day that is stored, lifetime in s.
 */
const REPORT = createReportScript(
  `if tonumber(ARGV[3]) > 0 then
    redis.call('HINCRBY', KEYS[1], ARGV[2], ARGV[3])
    redis.call('EXPIRE', KEYS[1], ARGV[6])
  end`,
  `local rows, spent = redis.call('HGETALL', KEYS[1]), 0
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
  readonly #reports: RedisReports;

  constructor(options: RedisSpendTableOptions) {
    this.#options = options;
    this.#reports = new RedisReports(options);
  }

  report({ account, day, credits, since, entry }: SpendReport): Promise<number | undefined> | undefined {
    const days = this.#nameDays(account);
    const args = [day, credits, since, day - SPEND_DAYS, LIFE_S];
    return this.#reports.send(REPORT, { key: days, sequence: days, entry, args });
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

  /** The hash tag in braces keeps the server keys of an account on one cluster node. */
  #nameDays(account: string): string {
    return `{${this.#options.prefix}:spend:${account}}`;
  }
}
