import { randomUUID } from 'node:crypto';
import { CircuitBreaker } from '../../shared-store/redis/circuit-breaker.ts';
import { createScript, type RedisClient } from '../../shared-store/redis/redis-client.ts';
import { completeWithin } from '../../util/complete-within.ts';
import type { Draw, Drawn, LimitTable } from './limit-table.ts';

/**
 * Takes tokens and records credits, by the server's clock. KEYS: bucket, day, the last two recorded days. ARGV: tokens per second (0: no bucket),
 * burst, tokens wanted, credits, known credits (-1: no account), process, entry number, day. Returns tokens, ms until the next token, credits of the
 * day.
 *
 * The server key of a day stores the last report number of each process, so a repeated report is not recorded twice. If the clock of a process was
 * set back, the credits of the later day count for the current day too.
 */
const DRAW = createScript(
  3,
  `local spent, later = 0, 0
  if tonumber(ARGV[5]) >= 0 then
    local days = redis.call('HMGET', KEYS[3], 'd', 'b')
    local other = days[1] == ARGV[8] and days[2] or days[1]
    if tonumber(other or '0') > tonumber(ARGV[8]) then
      local row = string.sub(KEYS[2], 1, #KEYS[2] - #ARGV[8]) .. other
      later = tonumber(redis.call('HGET', row, 's') or '0')
    end
    local known = redis.call('HMGET', KEYS[2], 's', ARGV[6])
    spent = math.max(tonumber(known[1] or '0'), tonumber(ARGV[5]) - later)
    local credits = tonumber(ARGV[4])
    if credits ~= 0 and tonumber(ARGV[7]) > tonumber(known[2] or '0') then
      spent = spent + credits
      redis.call('HSET', KEYS[2], ARGV[6], ARGV[7])
    end
    if days[1] ~= ARGV[8] and (credits ~= 0 or tonumber(days[1] or '0') > tonumber(ARGV[8])) then
      redis.call('HSET', KEYS[3], 'd', ARGV[8], 'b', days[1] or '0')
    end
    redis.call('EXPIRE', KEYS[3], 172800)
    redis.call('HSET', KEYS[2], 's', string.format('%.0f', spent))
    redis.call('EXPIRE', KEYS[2], 172800)
    spent = spent + later
  end
  local rate, burst, wanted = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
  if rate == 0 then return {wanted, 0, spent} end
  local time = redis.call('TIME')
  local now = time[1] * 1000 + time[2] / 1000
  local held = redis.call('HMGET', KEYS[1], 't', 'a')
  local tokens = burst
  if held[1] then
    tokens = math.min(burst, tonumber(held[1]) + math.max(0, now - tonumber(held[2])) / 1000 * rate)
  end
  local granted = math.min(wanted, math.floor(tokens))
  tokens = tokens - granted
  redis.call('HSET', KEYS[1], 't', string.format('%.6f', tokens), 'a', string.format('%.3f', now))
  redis.call('PEXPIRE', KEYS[1], math.ceil(burst / rate * 1000) + 1000)
  local wait = 0
  if tokens < 1 then wait = math.ceil((1 - tokens) / rate * 1000) end
  return {granted, wait, spent}`,
);

/**
 * Registers this process, and returns the number of processes that share the limits. KEYS: processes. ARGV: id of this process, and the lifetime of
 * its registration in ms.
 */
const BEAT = createScript(
  1,
  `local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  redis.call('ZADD', KEYS[1], now, ARGV[1])
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - tonumber(ARGV[2]))
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return redis.call('ZCARD', KEYS[1])`,
);

/** Share of the daily credits that all processes together may spend before they report them. */
const UNREPORTED = 0.1;
/**
 * Minimum number of processes among which `UNREPORTED` is divided. The last count may be too low, because further processes may have started since.
 */
const LEAST_PROCESSES = 8;
const BEAT_MS = 2_000;
const LIFE_MS = 7_000;

export type RedisLimitTableOptions = {
  readonly client: RedisClient;
  readonly prefix: string;
  readonly timeLimitMs: number;
  /** Assumed number of processes, used until the server has replied. */
  readonly processes: number;
};

/** Limits in Valkey or Redis, which several machines may share. */
export class RedisLimitTable implements LimitTable {
  readonly #options: RedisLimitTableOptions;
  readonly #breaker = new CircuitBreaker();
  readonly #id = randomUUID();
  readonly #timer: NodeJS.Timeout;
  #processes: number;

  constructor(options: RedisLimitTableOptions) {
    this.#options = options;
    this.#processes = options.processes;
    this.#timer = setInterval(() => void this.#beat(), BEAT_MS);
    this.#timer.unref();
    void this.#beat();
  }

  /** Each process has an equal share of the limits. The server's last reply contains the number of processes. */
  get share(): number {
    return 1 / this.#processes;
  }

  get unreported(): number {
    return UNREPORTED / Math.max(LEAST_PROCESSES, this.#processes);
  }

  draw(draw: Draw): Promise<Drawn | undefined> | undefined {
    const { client } = this.#options;
    return client.ready && this.#breaker.admit() ? this.#draw(draw) : undefined;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
  }

  async #draw({ bucket, rate, tokens, spending }: Draw): Promise<Drawn | undefined> {
    const { client, prefix, timeLimitMs } = this.#options;
    // The hash tag in braces keeps all these server keys on one cluster node.
    const name = `{${prefix}:limit:${bucket}}`;
    const reply = await completeWithin(
      client.run(
        DRAW,
        name,
        `${name}:day:${spending?.day ?? 0}`,
        `${name}:days`,
        rate?.perSecond ?? 0,
        rate?.burst ?? 0,
        tokens,
        spending?.credits ?? 0,
        spending?.known ?? -1,
        this.#id,
        spending?.entry ?? 0,
        spending?.day ?? 0,
      ),
      timeLimitMs,
    );
    const drawn = readDrawn(reply, rate, tokens);
    if (drawn !== undefined) {
      this.#breaker.succeed();
      return drawn;
    }
    if (this.#breaker.fail()) client.reconnect();
    return undefined;
  }

  async #beat(): Promise<void> {
    const { client, prefix } = this.#options;
    const reply = Number(await client.run(BEAT, `{${prefix}:processes}`, this.#id, LIFE_MS));
    if (reply >= 1 && Number.isSafeInteger(reply)) this.#processes = reply;
  }
}

/**
 * Validates a reply. All values must be numbers of at least 0. Larger numbers are lowered: tokens to the wanted number, and the delay to the time in
 * which an empty bucket fills.
 */
function readDrawn(reply: unknown, rate: Draw['rate'], wanted: number): Drawn | undefined {
  if (!Array.isArray(reply) || reply.length !== 3) return undefined;
  const numbers = reply.map(Number);
  if (!numbers.every((value) => Number.isFinite(value) && value >= 0)) return undefined;
  const [granted = 0, waitMs = 0, spent = 0] = numbers;
  const longest = rate === undefined ? 0 : Math.ceil((rate.burst / rate.perSecond) * 1_000);
  return { tokens: Math.min(granted, wanted), waitMs: Math.min(waitMs, longest), spent };
}
