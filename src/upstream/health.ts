import type { BoundsOf } from '../util/bounds.ts';
import { Ewma } from '../util/ewma.ts';
import { Silence } from './silence.ts';

/** A sample's weight halves in this time. */
const HALF_LIFE_MS = 10_000;
/** An average is believed as far as there are samples: this many good ones are taken for granted. */
const OPTIMISM = 1;
const FAULTS_IN_A_ROW = 5;
/** This many calls of the last seconds of which more than half were faults open the circuit too. */
const MIN_SAMPLES = 15;
const MAX_ERROR_RATE = 0.5;
const FIRST_OPEN_MS = 500;
const MAX_OPEN_MS = 15_000;
/** Rate limits without a time to come back. */
const DEFAULT_PAUSE_MS = 1_000;

/** `halfOpen`: the time out is over and one call at a time may find out whether the node is back. A silent node's is open until it answers a probe. */
export type CircuitState = 'closed' | 'open' | 'halfOpen';

/** How one upstream has been doing: its circuit breaker, its pace, and what orders it among others. */
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
  inFlight = 0;
  readonly silence: Silence;

  /** `now` is a monotonic clock in milliseconds. */
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

  /** Whether the node is not to be asked now: it said that its rate limit is exceeded, or a bound of ours is reached. */
  get isPaused(): boolean {
    return this.#now() < this.#pausedUntil;
  }

  /** Milliseconds until the node may be asked again. */
  get pauseLeftMs(): number {
    return Math.max(0, this.#pausedUntil - this.#now());
  }

  /** The bound behind the pause: `nodes.rate` where it is the node's own. */
  get pausedBy(): BoundsOf<'busy'> {
    return this.#pausedBy;
  }

  /** How long answers take lately; what was slow is forgotten in time. */
  get latencyMs(): number {
    return readWithOptimism(this.#latency);
  }

  /** The part of the calls that fail lately, forgotten likewise. */
  get errorRate(): number {
    return readWithOptimism(this.#errors);
  }

  /** Expected cost of asking this upstream now: lower is better. */
  get score(): number {
    return (0.05 + this.latencyMs) * (1 + this.inFlight) * (1 + 10 * this.errorRate);
  }

  /** An answer came, be it an error of the caller's making. @returns whether that ends a silence that was confirmed */
  succeed(latencyMs: number): boolean {
    this.#sample(latencyMs, 0);
    this.#faultsInARow = 0;
    this.#openMs = 0;
    return this.silence.end();
  }

  /**
   * No usable answer came. Returns whether this opened the circuit.
   * @param cause is the same for calls that shared a request, which is one fault in a row
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

  /** Another upstream was faster: it would have taken longer than this. */
  lag(latencyMs: number): void {
    this.#sample(latencyMs, 0);
    this.silence.noteOvertaken();
  }

  /** Asks nothing for as long as the node said, or for a second. */
  pause(retryAfterMs: number = DEFAULT_PAUSE_MS, bound: BoundsOf<'busy'> = 'nodes.rate'): void {
    const until = this.#now() + retryAfterMs;
    if (until <= this.#pausedUntil) return;
    this.#pausedUntil = until;
    this.#pausedBy = bound;
  }

  /** The node was seen to be well by other means: an open circuit lets a call through now. */
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
