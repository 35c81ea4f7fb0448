import type { BoundsOf } from '../util/bounds.ts';
import { Ewma } from '../util/ewma.ts';
import { Silence } from './silence.ts';

/** Time after which a latency or error sample has half of its weight in the average. */
const HALF_LIFE_MS = 10_000;
/** Number of imaginary calls without latency and fault that count in each average, so that the first real calls do not change it too much. */
const OPTIMISM = 1;
/** Averages of less weight are not reported. It is the weight of one call after a minute. */
const MIN_REPORTED_WEIGHT = 1 / 64;
const FAULTS_IN_A_ROW = 5;
/** Minimum total weight of recent calls before an error rate above `MAX_ERROR_RATE` opens the circuit. */
const MIN_SAMPLES = 15;
const MAX_ERROR_RATE = 0.5;
const FIRST_OPEN_MS = 500;
const MAX_OPEN_MS = 15_000;
/** Backoff after a rate limit without a retry time. */
const DEFAULT_PAUSE_MS = 1_000;

/**
 * State of the circuit breaker. `halfOpen`: the open time has ended, and one call at a time may test whether the node is back. The circuit of a
 * silent node stays open until the node answers a probe.
 */
export type CircuitState = 'closed' | 'open' | 'halfOpen';

/** Recent performance of one upstream: circuit breaker, pause after a rate limit, and the score that orders upstreams. */
export class Health {
  readonly #now: () => number;
  readonly #latency: Ewma;
  readonly #errors: Ewma;
  #faultsInARow = 0;
  #lastCause: object | undefined;
  #openUntil = 0;
  #openMs = 0;
  #pausedUntil = 0;
  #pausedBy: BoundsOf<'busy'> = 'nodes.rate';
  /** Number of requests without a reply; the reply to a streamed answer is its first bytes. */
  inFlight = 0;
  /** Number of streamed answers that are not complete. */
  streams = 0;
  readonly silence: Silence;

  /** @param now monotonic clock, milliseconds */
  constructor(now: () => number) {
    this.#now = now;
    this.#latency = new Ewma(HALF_LIFE_MS, now);
    this.#errors = new Ewma(HALF_LIFE_MS, now);
    this.silence = new Silence(now);
  }

  get circuit(): CircuitState {
    if (this.silence.isSilent) return 'open';
    if (this.#openMs === 0) return 'closed';
    return this.#now() < this.#openUntil ? 'open' : 'halfOpen';
  }

  /** Whether no request may be sent now, because the node reported that its rate limit is exceeded, or because a bound of this service is reached. */
  get isPaused(): boolean {
    return this.#now() < this.#pausedUntil;
  }

  /** Time until the next request is allowed, ms. */
  get pauseLeftMs(): number {
    return Math.max(0, this.#pausedUntil - this.#now());
  }

  /** Name of the bound that caused the pause; `nodes.rate` if the node reported its own rate limit. */
  get pausedBy(): BoundsOf<'busy'> {
    return this.#pausedBy;
  }

  /** Average latency, ms; old samples count less. */
  get latencyMs(): number {
    return readWithOptimism(this.#latency);
  }

  /** Recent fraction of failed calls; old samples decay. */
  get errorRate(): number {
    return readWithOptimism(this.#errors);
  }

  /** Averages over the requests of about the last minute, without imaginary calls; undefined if there were none. */
  get measured(): { readonly latencyMs: number; readonly errorRate: number } | undefined {
    if (this.#errors.weight < MIN_REPORTED_WEIGHT) return undefined;
    return { latencyMs: this.#latency.read(0), errorRate: this.#errors.read(0) };
  }

  /** Expected cost of a request to this upstream now; a lower score is better. */
  get score(): number {
    return (0.05 + this.latencyMs) * (1 + this.inFlight) * (1 + 10 * this.errorRate);
  }

  /**
   * Records an answer. An error that the request itself caused counts as an answer.
   * @returns whether the answer ends a confirmed silence
   */
  succeed(latencyMs: number): boolean {
    this.#sample(latencyMs, 0);
    this.#faultsInARow = 0;
    this.#openMs = 0;
    return this.silence.end();
  }

  /**
   * Records that there was no usable answer. Returns whether this failure opened the circuit.
   * @param cause object that identifies the failed request; consecutive faults with an equal `cause` count once, for example all calls of one batch
   */
  fail(latencyMs: number, cause?: object): boolean {
    if (cause !== undefined && cause === this.#lastCause) return false;
    this.#lastCause = cause;
    this.#sample(latencyMs, 1);
    this.#faultsInARow++;
    const state = this.circuit;
    if (state === 'open') return false;
    const isTooMuch =
      this.#faultsInARow >= FAULTS_IN_A_ROW ||
      (this.#errors.weight >= MIN_SAMPLES && this.#errors.read(0) > MAX_ERROR_RATE);
    if (state === 'closed' && !isTooMuch) return false;
    this.#openMs = Math.min(this.#openMs === 0 ? FIRST_OPEN_MS : this.#openMs * 2, MAX_OPEN_MS);
    this.#openUntil = this.#now() + this.#openMs;
    return state === 'closed';
  }

  /** Records that another upstream answered first. @param latencyMs time for which this upstream had not answered yet */
  lag(latencyMs: number): void {
    this.#sample(latencyMs, 0);
    this.silence.noteOvertaken();
  }

  /** Sends no requests for the time that the node reported, or for `DEFAULT_PAUSE_MS` if it reported none. */
  pause(retryAfterMs: number = DEFAULT_PAUSE_MS, bound: BoundsOf<'busy'> = 'nodes.rate'): void {
    const until = this.#now() + retryAfterMs;
    if (until <= this.#pausedUntil) return;
    this.#pausedUntil = until;
    this.#pausedBy = bound;
  }

  /** Ends the open time of the circuit and makes a probe due, because another observation showed that the node is healthy. */
  encourage(): void {
    this.#openUntil = 0;
    this.silence.encourage();
  }

  #sample(latencyMs: number, fault: 0 | 1): void {
    this.#latency.record(latencyMs);
    this.#errors.record(fault);
  }
}

function readWithOptimism(average: Ewma): number {
  const { weight } = average;
  return (average.read(0) * weight) / (weight + OPTIMISM);
}
