import { randomUUID } from 'node:crypto';
import { completeWithin } from '../../util/complete-within.ts';
import { CircuitBreaker } from '../redis/circuit-breaker.ts';
import { createScript, type RedisClient, type RedisScript } from '../redis/redis-client.ts';

/** Report for a script of `createReportScript`. */
export type RedisReport = {
  /** Server key that the script changes. */
  readonly key: string;
  /** Server key of the reports that are numbered together. It must be on the same cluster node as `key`. */
  readonly sequence: string;
  /** Number of the report, which increases within a process. */
  readonly entry: number;
  /** Arguments of the script after the number of the report. */
  readonly args: readonly (string | number)[];
};

/**
 * Creates a script that runs `apply` once per report number of a process. The last number is stored for a day. KEYS[1]: key that the report changes;
 * ARGV[1]: number of the report.
 * @param apply statements in Lua
 * @param answer statements in Lua that return a number
 */
export function createReportScript(apply: string, answer: string): RedisScript {
  return createScript(
    2,
    `if tonumber(ARGV[1]) > tonumber(redis.call('GET', KEYS[2]) or '0') then
  redis.call('SET', KEYS[2], ARGV[1], 'EX', 86400)
  ${apply}
  end
  ${answer}`,
  );
}

/** Sends the reports of a process to Valkey or Redis. */
export class RedisReports {
  readonly #client: RedisClient;
  readonly #timeLimitMs: number;
  readonly #breaker = new CircuitBreaker();
  readonly #id = randomUUID();

  constructor({
    client,
    timeLimitMs,
  }: {
    readonly client: RedisClient;
    readonly timeLimitMs: number;
  }) {
    this.#client = client;
    this.#timeLimitMs = timeLimitMs;
  }

  /** Never rejects. @returns the answer of the script; undefined if the outcome is unknown, or if the report was not sent */
  send(script: RedisScript, report: RedisReport): Promise<number | undefined> | undefined {
    return this.#client.ready && this.#breaker.admit() ? this.#send(script, report) : undefined;
  }

  async #send(script: RedisScript, { key, sequence, entry, args }: RedisReport): Promise<number | undefined> {
    const sent = this.#client.run(script, key, `${sequence}:entry:${this.#id}`, entry, ...args);
    const answer = await completeWithin(sent, this.#timeLimitMs);
    if (typeof answer === 'number' && Number.isSafeInteger(answer) && answer >= 0) {
      this.#breaker.succeed();
      return answer;
    }
    if (this.#breaker.fail()) this.#client.reconnect();
    return undefined;
  }
}
