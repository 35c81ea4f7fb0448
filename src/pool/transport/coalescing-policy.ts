import { Ewma } from '../../util/ewma.ts';
import { LatencyWindow } from '../../util/latency-window.ts';

/** Policy for coalescing calls of different callers into one request: `auto` only if measured latencies show no loss, `always`, or `never`. */
export type CallerCoalescing = 'auto' | 'always' | 'never';

const WINDOW_MS = 30_000;
/** Minimum number of latencies of each kind in the window; with fewer, calls of different callers are sent separately. */
const MIN_SAMPLES = 32;
/**
 * One turn out of this number takes the opposite decision, so that both latencies stay measured. While calls are coalesced, such turns are at least
 * `PROBE_MS` milliseconds apart, because each call in such a turn is a request, which delays the requests behind it.
 */
const PROBE_TURNS = 16;
const PROBE_MS = 32;
/** Number of turns between two comparisons. */
const REVIEW_TURNS = 64;
/**
 * Compared percentiles, and the factor by which coalesced calls may be slower: `begin` while calls are sent separately, `keep` while they are
 * coalesced. A bucket of the windows is 9 % wide. Coalescing saves time on both sides, which shows only when most calls are coalesced, so `begin`
 * has more tolerance.
 */
const COMPARED: readonly { readonly share: number; readonly begin: number; readonly keep: number }[] = [
  { share: 0.5, begin: 1.25, keep: 1.1 },
  { share: 0.95, begin: 1.5, keep: 1.5 },
];
/**
 * Minimum length of a comparison period while calls are coalesced. `SLOW_PERIODS` periods in a row must find them slower, because within a second,
 * other load of the node and the machine affects either kind by chance.
 */
const PERIOD_MS = 1_000;
const SLOW_PERIODS = 3;
/** Tolerance for a percentile that is estimated from few calls, in standard deviations. */
const UNCERTAINTY = 3;
/** Backoff after coalesced calls have become slower: calls are sent separately for at least this time, which doubles each time. */
const MIN_REST_MS = 30_000;
const MAX_REST_MS = 900_000;
const HALF_LIFE_MS = 10_000;
/** Weight of one single call that was measured half a minute ago. */
const KNOWN_WEIGHT = 0.1;
/** Minimum number of added calls in batches before the cost of one added call is known: the time of one small batch carries little information. */
const MIN_ADDED_CALLS = 32;
/** Maximum time that calls of one batch may wait for each other at a node that executes them one after the other, ms. */
const SERIAL_MS = 10;
/** A batch is abandoned after its expected time multiplied by this factor. */
const SLOW_FACTOR = 4;
const MIN_SPLIT_MS = 250;
/** Maximum time after which a batch is abandoned, whatever its expected time. */
const MAX_SPLIT_MS = 5_000;

/**
 * Decides which calls to one node share a request, by measured cost. Nodes execute the calls of a batch one after the other, and separate requests
 * concurrently: if calls are slow, coalescing delays all calls but the first.
 */
export class CoalescingPolicy {
  readonly #callers: CallerCoalescing;
  /**
   * Latencies of calls that were sent separately, and of coalesced calls, since the last decision; while calls are coalesced, in the current period.
   * A decision changes which kind has most of the calls, so a window that spans a decision would compare times of different load.
   */
  #alone: LatencyWindow;
  #joined: LatencyWindow;
  /** Number of callers per turn for the latencies in `#alone`. */
  readonly #company: Ewma;
  /** Latency of single calls at the node. */
  readonly #loneMs: Ewma;
  /** Time that batches took at the node beyond the time of a single call, and the number of calls beyond the first. */
  readonly #addedMs: Ewma;
  readonly #addedCalls: Ewma;
  /** Total number of calls beyond the first in measured batches. */
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

  /** Whether calls of different callers share requests in most turns. */
  get coalescesCallers(): boolean {
    return this.#callers === 'auto' ? this.#joins : this.#callers === 'always';
  }

  /**
   * Decides for one turn of the event loop; called once for each turn that has calls.
   * @returns whether calls of different callers share requests in this turn
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

  /** Maximum number of calls in one batch for which no call is expected to wait long for the calls before it. */
  get items(): number {
    const itemMs = this.#itemMs;
    if (itemMs === 0) return Number.POSITIVE_INFINITY;
    return Math.max(1, Math.floor(Math.max(SERIAL_MS, this.#loneMs.read(0)) / itemMs));
  }

  /** Whether the latency of a single call is unknown; the cost that a call adds to a batch is then unknown too. */
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
   * @param company number of callers that sent to the node in the same turn: only if there are several is the call comparable with coalesced calls
   * @param nodeMs latency without the time in which the arrived answer waited to be read, ms
   */
  noteAlone(ms: number, company: number, nodeMs: number = ms): void {
    this.#loneMs.record(nodeMs);
    this.#noteApart(ms, company);
  }

  /**
   * Records that a batch of `count` calls was answered, or abandoned, after `ms`.
   * @param callers number of callers with calls in the batch; a client's batch counts as one
   * @param company same as for `noteAlone`; used if the batch has one caller
   * @param nodeMs latency without the time in which the arrived answer waited to be read, ms
   */
  noteBatch(ms: number, count: number, callers: number, company: number, nodeMs: number = ms): void {
    if (!this.#lacksLoneCalls && count > 1) {
      // If a batch was faster than a single call, the sample is negative: latencies vary by more than one call adds.
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

  /** Time that one more call adds to a batch, ms; 0 while it is unknown. */
  get #itemMs(): number {
    if (this.#callsAdded < MIN_ADDED_CALLS) return 0;
    return Math.max(0, this.#addedMs.read(0) / this.#addedCalls.read(1));
  }

  #review(): void {
    const now = this.#now();
    // Without enough calls of both kinds, the comparison is unknown, and coalescing would gain little.
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
   * Margin of error for a percentile of calls that were sent separately. All calls of one turn are one sample, because the same node was busy with
   * all of them.
   */
  #uncertainty(share: number): number {
    const samples = this.#alone.count / this.#company.read(1);
    return UNCERTAINTY * Math.sqrt((share * (1 - share)) / samples);
  }
}
