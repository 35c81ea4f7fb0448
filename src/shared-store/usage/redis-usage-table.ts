import { continueWith, type PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';
import { completeWithin } from '../../util/complete-within.ts';
import type { UsageRow } from '../../util/usage-row.ts';
import type { RedisClient } from '../redis/redis-client.ts';
import { createReportScript, RedisReports } from '../reports/redis-reports.ts';
import { nameOtherRow, nameRow, readRow } from './row-name.ts';
import { MAX_DAY_ROWS, USAGE_DAYS, type UsageReport, type UsageTable } from './usage-table.ts';

/**
 * Adds rows to a day. KEYS[1]: hash of the day. ARGV, after the number of the report: maximum rows, lifetime in s, and for each row its name, the name
 * of the row that is used if there is no room, calls, refused calls, credits.
 */
const ADD = createReportScript(
  `local count = redis.call('HLEN', KEYS[1])
  for at = 4, #ARGV, 5 do
    local name = ARGV[at]
    local known = redis.call('HGET', KEYS[1], name)
    if not known and count >= tonumber(ARGV[2]) then
      name = ARGV[at + 1]
      known = redis.call('HGET', KEYS[1], name)
    end
    if not known then count = count + 1 end
    local calls, refused, credits = string.match(known or '0 0 0', '^(%d+) (%d+) (%d+)$')
    if not calls then calls, refused, credits = 0, 0, 0 end
    redis.call('HSET', KEYS[1], name, string.format('%.0f %.0f %.0f', calls + ARGV[at + 2], refused + ARGV[at + 3], credits + ARGV[at + 4]))
  end
  redis.call('EXPIRE', KEYS[1], ARGV[3])`,
  'return 1',
);

/** Lifetime of a day after its last report, s. */
const LIFE_S = USAGE_DAYS * 86_400;

export type RedisUsageTableOptions = {
  readonly client: RedisClient;
  readonly prefix: string;
  readonly timeLimitMs: number;
  readonly maxDayRows?: number;
};

/** Calls by key, network, method and day in Valkey or Redis, shared between machines. */
export class RedisUsageTable implements UsageTable {
  readonly #options: RedisUsageTableOptions;
  readonly #reports: RedisReports;
  /** The hash tag in braces keeps all server keys on one cluster node. */
  readonly #prefix: string;

  constructor(options: RedisUsageTableOptions) {
    this.#options = options;
    this.#reports = new RedisReports(options);
    this.#prefix = `{${options.prefix}:usage}`;
  }

  add({ entry, day, rows }: UsageReport): PromiseOrValue<true | undefined> {
    const { maxDayRows = MAX_DAY_ROWS } = this.#options;
    const args = rows.flatMap((row) => [
      nameRow(row),
      nameOtherRow(row),
      row.calls,
      row.refused,
      row.credits,
    ]);
    const report = {
      key: this.#nameDay(day),
      sequence: this.#prefix,
      entry,
      args: [maxDayRows, LIFE_S, ...args],
    };
    return continueWith(this.#reports.send(ADD, report), (answer) =>
      answer === undefined ? undefined : true,
    );
  }

  async list(day: number): Promise<readonly UsageRow[]> {
    const { client, timeLimitMs } = this.#options;
    const reply = await completeWithin(client.send('HGETALL', this.#nameDay(day)), timeLimitMs);
    if (!Array.isArray(reply))
      throw new Error('the shared server did not return the usage of a day: try again');
    return reply.flatMap((name, at) => {
      const row = at % 2 === 0 ? readRow(String(name), parseCounts(String(reply[at + 1]))) : undefined;
      return row === undefined ? [] : [row];
    });
  }

  async close(): Promise<void> {}

  #nameDay(day: number): string {
    return `${this.#prefix}:day:${day}`;
  }
}

function parseCounts(text: string): readonly number[] {
  return /^\d+ \d+ \d+$/.test(text) ? text.split(' ').map(Number) : [];
}
