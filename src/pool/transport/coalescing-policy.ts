import { Ewma } from '../../util/ewma.ts';
import { LatencyWindow } from '../../util/latency-window.ts';

/** Whether calls of different callers may share a request. `auto`: only while measured latencies show no disadvantage. */
export type CallerCoalescing = 'auto' | 'always' | 'never';

const WINDOW_MS = 30_000;
/**
 * Minimum number of latencies of each kind (separate and coalesced calls) in the window. With fewer measured latencies, calls of different callers
 * are sent in separate requests.
 */
const MIN_SAMPLES = 32;
/**
 * In one of `PROBE_TURNS` iterations of the event loop, calls are coalesced although the decision is to send them separately, or the reverse. The
 * latencies of separate and of coalesced calls are thus both measured. While calls are coalesced, iterations with separate requests are at least
 * `PROBE_MS` ms apart, because separate requests delay other requests.
 */
const PROBE_TURNS = 16;
const PROBE_MS = 32;
/** Number of iterations with calls between two comparisons. */
const REVIEW_TURNS = 64;
/**
 * Quantiles of latencies that are compared, and the maximum ratio of the latency of coalesced calls to that of separate calls. `begin` is the ratio
 * at which coalescing begins; `keep` is the ratio at which it continues. The latencies are recorded in buckets that are 9% wide, so smaller
 * differences cannot be measured. `begin` is more tolerant, because coalescing saves time at the service and the node only when most calls are
 * coalesced.
 */
const COMPARED: readonly { readonly share: number; readonly begin: number; readonly keep: number }[] = [
  { share: 0.5, begin: 1.25, keep: 1.1 },
  { share: 0.95, begin: 1.5, keep: 1.5 },
];
/**
 * Minimum length of a comparison period while calls are coalesced, ms. Coalescing ends after `SLOW_PERIODS` consecutive periods with slower coalesced
 * calls, because other load affects the latencies of one second by chance.
 */
const PERIOD_MS = 1_000;
const SLOW_PERIODS = 3;
/** Tolerance for a quantile that is estimated from few calls, in standard deviations. */
const UNCERTAINTY = 3;
/**
 * Minimum time for which calls are sent separately after coalesced calls were found to be slower, ms. The minimum time doubles each time that
 * coalesced calls are slower, up to `MAX_REST_MS`.
 */
const MIN_REST_MS = 30_000;
const MAX_REST_MS = 900_000;
const HALF_LIFE_MS = 10_000;
/** Minimum weight at which the latency of single calls is known: about one call, measured half a minute ago. */
const KNOWN_WEIGHT = 0.1;
/** Minimum number of calls beyond the first in measured batches, before the cost per added call is known. */
const MIN_ADDED_CALLS = 32;
/** Time for which the last call of a batch may wait for the calls before it at a node that executes them one after the other, ms. */
const SERIAL_MS = 10;
/** A batch is abandoned if it has not been answered after its expected time multiplied by this factor. */
const SLOW_FACTOR = 4;
const MIN_SPLIT_MS = 250;
/** Maximum time after which an unanswered batch is abandoned, ms, even if a longer time is expected. */
const MAX_SPLIT_MS = 5_000;

/**
 * Decides which calls to one node share a request, from measured latencies. Nodes execute the calls of a batch one after the other, and separate
 * requests concurrently: if calls are slow, coalescing delays all calls but the first.
 */
export class CoalescingPolicy {
  readonly #callers: CallerCoalescing;
  /**
   * Latencies of calls that were sent separately, since the last decision; while calls are coalesced, only in the current period. `#joined` has the
   * latencies of coalesced calls. A decision changes the load on the node and thus both latencies, so a window ends at each decision.
   */
  #alone: LatencyWindow;
  #joined: LatencyWindow;
  /** Average number of callers per iteration of the event loop, for the latencies in `#alone`. */
  readonly #company: Ewma;
  /** Latency of single calls at the node, ms. */
  readonly #loneMs: Ewma;
  /** Latency of a batch minus the latency of a single call, average, ms. `#addedCalls` is the average number of calls of a batch beyond the first. */
  readonly #addedMs: Ewma;
  readonly #addedCalls: Ewma;
  /** Number of calls in all measured batches, without the first call of each batch. */
  #callsAdded = 0;
  readonly #now: () => number;
  #slots = 0;
  #probedAt = Number.NEGATIVE_INFINITY;
  #joins = false;
  #coalescedSince = 0;
  #periodSince = 0;
  #slowPeriods = 0;
  #backoffMs = MIN_REST_MS;
  #backoffUntil = Number.NEGATIVE_INFINITY;

  /** @param now monotonic clock, ms */
  constructor(callers: CallerCoalescing, now: () => number) {
    this.#callers = callers;
    this.#now = now;
    this.#alone = new LatencyWindow(WINDOW_MS, now);
    this.#joined = new LatencyWindow(WINDOW_MS, now);
    this.#company = new Ewma(HALF_LIFE_MS, now);
    this.#loneMs = new Ewma(HALF_LIFE_MS, now);
    this.#addedMs = new Ewma(HALF_LIFE_MS, now);
    this.#addedCalls = new Ewma(HALF_LIFE_MS, now);
  }

  /** Whether calls of different callers may ever share a request. */
  get mayCoalesceCallers(): boolean {
    return this.#callers !== 'never';
  }

  /** Whether calls of different callers share requests, except for probes. */
  get coalescesCallers(): boolean {
    return this.#callers === 'auto' ? this.#joins : this.#callers === 'always';
  }

  /**
   * Decides whether callers share requests in one iteration of the event loop. Called once per iteration that has calls.
   * @returns whether calls of different callers share requests in this iteration of the event loop
   */
  decideTurn(): boolean {
    if (this.#callers !== 'auto') return this.coalescesCallers;
    this.#slots++;
    if (this.#slots % REVIEW_TURNS === 0) this.#review();
    const isProbe =
      this.#slots % PROBE_TURNS === 0 && (!this.#joins || this.#now() - this.#probedAt >= PROBE_MS);
    if (isProbe) this.#probedAt = this.#now();
    return isProbe !== this.#joins;
  }

  /**
   * Maximum number of calls in one batch. A call should not wait for earlier calls of its batch longer than `SERIAL_MS` or the latency of a single
   * call, whichever is longer.
   */
  get items(): number {
    const itemMs = this.#itemMs;
    if (itemMs === 0) return Number.POSITIVE_INFINITY;
    return Math.max(1, Math.floor(Math.max(SERIAL_MS, this.#loneMs.read(0)) / itemMs));
  }

  /** Whether the latency of a single call is unknown, so that the cost of an added call cannot be measured. */
  get #lacksLoneCalls(): boolean {
    return this.#loneMs.weight < KNOWN_WEIGHT;
  }

  /** Returns the time from its request after which an unanswered batch is abandoned, ms. */
  splitAfterMs(count: number): number {
    const expected = this.#loneMs.read(0) + count * this.#itemMs;
    return Math.min(MAX_SPLIT_MS, Math.max(MIN_SPLIT_MS, SLOW_FACTOR * expected));
  }

  /**
   * Records the latency of a call that was sent alone.
   * @param ms latency, ms
   * @param company number of callers that sent to the node in the same iteration; only with several is the latency comparable with coalesced calls
   * @param nodeMs latency without the time in which the arrived answer waited to be read, ms
   */
  noteAlone(ms: number, company: number, nodeMs: number = ms): void {
    this.#loneMs.record(nodeMs);
    this.#noteApart(ms, company);
  }

  /**
   * Records that a batch of `count` calls was answered, or abandoned, after `ms`.
   * @param callers number of callers with calls in the batch; a client's batch counts as one
   * @param company number of callers that sent to the node in the same iteration; used only if the batch has one caller
   * @param nodeMs latency without the time in which the arrived answer waited to be read, ms
   */
  noteBatch(ms: number, count: number, callers: number, company: number, nodeMs: number = ms): void {
    if (!this.#lacksLoneCalls && count > 1) {
      // The sample may be negative, because latencies vary by more than the time that one added call takes.
      this.#addedMs.record(nodeMs - this.#loneMs.read(0));
      this.#addedCalls.record(count - 1);
      this.#callsAdded += count - 1;
    }
    if (callers === 1) this.#noteApart(ms, company);
    else for (let i = 0; i < callers; i++) this.#joined.record(ms);
  }

  #noteApart(ms: number, company: number): void {
    if (company < 2) return;
    this.#alone.record(ms);
    this.#company.record(company);
  }

  /** Time that one added call costs in a batch, ms; 0 while it is unknown. */
  get #itemMs(): number {
    if (this.#callsAdded < MIN_ADDED_CALLS) return 0;
    return Math.max(0, this.#addedMs.read(0) / this.#addedCalls.read(1));
  }

  #review(): void {
    const now = this.#now();
    // If there are few separate or few coalesced calls, their latencies cannot be compared, and coalescing would save little.
    const isKnown = Math.min(this.#alone.count, this.#joined.count) >= MIN_SAMPLES;
    if (!this.#joins) {
      if (!isKnown || now < this.#backoffUntil || !this.#isNoSlower('begin')) return;
      this.#joins = true;
      this.#coalescedSince = now;
    } else if (!isKnown) {
      if (now - this.#periodSince < WINDOW_MS) return;
      this.#joins = false;
    } else {
      if (now - this.#periodSince < PERIOD_MS) return;
      this.#slowPeriods = this.#isNoSlower('keep') ? 0 : this.#slowPeriods + 1;
      if (this.#slowPeriods === SLOW_PERIODS) this.#rest(now);
    }
    this.#beginPeriod(now);
  }

  #rest(now: number): void {
    this.#joins = false;
    this.#slowPeriods = 0;
    if (now - this.#coalescedSince > this.#backoffMs) this.#backoffMs = MIN_REST_MS;
    this.#backoffUntil = now + this.#backoffMs;
    this.#backoffMs = Math.min(MAX_REST_MS, 2 * this.#backoffMs);
  }

  #beginPeriod(now: number): void {
    this.#periodSince = now;
    this.#alone = new LatencyWindow(WINDOW_MS, this.#now);
    this.#joined = new LatencyWindow(WINDOW_MS, this.#now);
  }

  #isNoSlower(bound: 'begin' | 'keep'): boolean {
    return COMPARED.every(({ share, [bound]: most }) => {
      const uncertainty = bound === 'keep' ? this.#uncertainty(share) : 0;
      const alone = this.#alone.percentile(Math.min(1, share + uncertainty)) as number;
      return (this.#joined.percentile(share) as number) <= alone * most;
    });
  }

  /**
   * Margin of error of a quantile that is estimated from the latencies of separate calls, as a fraction of the calls. All calls of one iteration
   * count as one sample, because they load the node at the same time.
   */
  #uncertainty(share: number): number {
    const samples = this.#alone.count / this.#company.read(1);
    return UNCERTAINTY * Math.sqrt((share * (1 - share)) / samples);
  }
}
