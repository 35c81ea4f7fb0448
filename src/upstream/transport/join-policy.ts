import { Ewma } from '../../util/ewma.ts';
import { LatencyWindow } from '../../util/latency-window.ts';

/** When calls of different callers share a request: where measured latencies say that they lose nothing by it, always, or never. */
export type CallerJoining = 'auto' | 'always' | 'never';

const WINDOW_MS = 30_000;
/** Below this many latencies of either kind in the window, calls of different callers travel alone. */
const MIN_SAMPLES = 32;
/**
 * One turn of so many goes the other way, so that both latencies stay known. While calls are joined, such turns are this long apart at least,
 * milliseconds: each call of one is a request, which makes those behind it wait.
 */
const PROBE_TURNS = 16;
const PROBE_MS = 32;
/** Turns between two comparisons. */
const REVIEW_TURNS = 64;
/**
 * What is compared, and how much longer joined calls may take: while calls travel alone, when they are joined. A bucket of the
 * windows is 9 % wide. Joining frees the time of both sides, which shows only once most calls are joined: it is begun with more tolerance.
 */
const COMPARED: readonly { readonly share: number; readonly begin: number; readonly keep: number }[] = [
  { share: 0.5, begin: 1.25, keep: 1.1 },
  { share: 0.95, begin: 1.5, keep: 1.5 },
];
/**
 * Calls that were joined are compared in periods of this length at least. So many in a row have to find them slower: what else the
 * node and the machine do in a second falls on either kind by chance.
 */
const PERIOD_MS = 1_000;
const SLOW_PERIODS = 3;
/** Standard deviations by which a percentile may be off that is read of few calls. */
const DOUBT = 3;
/** After calls were joined and turned out to be slower, this long at least they travel alone; twice as long each time. */
const MIN_REST_MS = 30_000;
const MAX_REST_MS = 900_000;
const HALF_LIFE_MS = 10_000;
/** Of one call by itself half a minute ago. */
const KNOWN_WEIGHT = 0.1;
/** From so many calls in batches on it is known what one adds: the time of one small batch says little. */
const MIN_ADDED_CALLS = 32;
/** What calls of one batch may wait for each other at a node that executes them one after the other. */
const SERIAL_MS = 10;
/** A batch is given up after so many times what it is expected to take. */
const SLOW_FACTOR = 4;
const MIN_SPLIT_MS = 250;
/** A batch that is expected to take longer than this is not joined that large. */
const MAX_SPLIT_MS = 5_000;

/**
 * Decides which calls to one node share a request, by what it was measured to cost. Nodes execute the calls of a batch one
 * after the other, and separate requests at the same time: where calls are slow, joining them delays all but the first.
 */
export class JoinPolicy {
  readonly #callers: CallerJoining;
  /**
   * Since the last decision, or in this period while calls are joined. A decision changes which kind has most of the calls, so windows across it
   * would compare moments of different load.
   */
  #alone: LatencyWindow;
  #joined: LatencyWindow;
  /** Callers in a turn of which latencies are in `#alone`. */
  readonly #company: Ewma;
  /** Of single calls, at the node. */
  readonly #loneMs: Ewma;
  /** How much longer than a single call batches took at the node, and how many calls more they had. */
  readonly #addedMs: Ewma;
  readonly #addedCalls: Ewma;
  /** Of all times. */
  #callsAdded = 0;
  readonly #now: () => number;
  #turns = 0;
  #probedAt = Number.NEGATIVE_INFINITY;
  #joins = false;
  #joinedSince = 0;
  #periodSince = 0;
  #slowPeriods = 0;
  #restMs = MIN_REST_MS;
  #restUntil = Number.NEGATIVE_INFINITY;

  /** `now` is a monotonic clock in milliseconds. */
  constructor(callers: CallerJoining, now: () => number) {
    this.#callers = callers;
    this.#now = now;
    this.#alone = new LatencyWindow(WINDOW_MS, now);
    this.#joined = new LatencyWindow(WINDOW_MS, now);
    this.#company = new Ewma(HALF_LIFE_MS, now);
    this.#loneMs = new Ewma(HALF_LIFE_MS, now);
    this.#addedMs = new Ewma(HALF_LIFE_MS, now);
    this.#addedCalls = new Ewma(HALF_LIFE_MS, now);
  }

  /** Whether calls of different callers ever share a request. */
  get mayJoinCallers(): boolean {
    return this.#callers !== 'never';
  }

  /** Whether calls of different callers share requests in most turns. */
  get joinsCallers(): boolean {
    return this.#callers === 'auto' ? this.#joins : this.#callers === 'always';
  }

  /** To be asked once for each turn of the event loop that has calls. @returns whether calls of different callers share requests in it */
  decideTurn(): boolean {
    if (this.#callers !== 'auto') return this.joinsCallers;
    this.#turns++;
    if (this.#turns % REVIEW_TURNS === 0) this.#review();
    const isProbe =
      this.#turns % PROBE_TURNS === 0 && (!this.#joins || this.#now() - this.#probedAt >= PROBE_MS);
    if (isProbe) this.#probedAt = this.#now();
    return isProbe !== this.#joins;
  }

  /** Calls in one batch, such that none is expected to wait long for those before it. */
  get items(): number {
    const itemMs = this.#itemMs;
    if (itemMs === 0) return Number.POSITIVE_INFINITY;
    return Math.max(1, Math.floor(Math.max(SERIAL_MS, this.#loneMs.read(0)) / itemMs));
  }

  /** Whether it is unknown how long a call takes by itself: then what a call adds to a batch is, too. */
  get #lacksLoneCalls(): boolean {
    return this.#loneMs.weight < KNOWN_WEIGHT;
  }

  /** When a batch that has no answer is given up, milliseconds from its request on. */
  splitAfterMs(count: number): number {
    const expected = this.#loneMs.read(0) + count * this.#itemMs;
    return Math.min(MAX_SPLIT_MS, Math.max(MIN_SPLIT_MS, SLOW_FACTOR * expected));
  }

  /**
   * @param company callers that sent to the node in the same turn: only where there are several, they can be compared with joined ones
   * @param nodeMs without the time in which the answer waited here to be read
   */
  noteAlone(ms: number, company: number, nodeMs: number = ms): void {
    this.#loneMs.record(nodeMs);
    this.#noteApart(ms, company);
  }

  /**
   * A batch of `count` calls was answered, or given up, after `ms`; `nodeMs` and `company` as above, the latter where it is of one caller.
   * @param callers that have calls in it: a client's batch is one
   */
  noteBatch(ms: number, count: number, callers: number, company: number, nodeMs: number = ms): void {
    if (!this.#lacksLoneCalls && count > 1) {
      // A batch that was faster than a single call counts as such: times vary more than a call adds.
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

  /** What one more call adds to a batch; 0 while that is not known. */
  get #itemMs(): number {
    if (this.#callsAdded < MIN_ADDED_CALLS) return 0;
    return Math.max(0, this.#addedMs.read(0) / this.#addedCalls.read(1));
  }

  #review(): void {
    const now = this.#now();
    // Without enough calls of both kinds nothing is known, and little is to be gained.
    const isKnown = Math.min(this.#alone.count, this.#joined.count) >= MIN_SAMPLES;
    if (!this.#joins) {
      if (!isKnown || now < this.#restUntil || !this.#isNoSlower('begin')) return;
      this.#joins = true;
      this.#joinedSince = now;
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
    if (now - this.#joinedSince > this.#restMs) this.#restMs = MIN_REST_MS;
    this.#restUntil = now + this.#restMs;
    this.#restMs = Math.min(MAX_REST_MS, 2 * this.#restMs);
  }

  #beginPeriod(now: number): void {
    this.#periodSince = now;
    this.#alone = new LatencyWindow(WINDOW_MS, this.#now);
    this.#joined = new LatencyWindow(WINDOW_MS, this.#now);
  }

  #isNoSlower(bound: 'begin' | 'keep'): boolean {
    return COMPARED.every(({ share, [bound]: most }) => {
      const doubt = bound === 'keep' ? this.#doubt(share) : 0;
      const alone = this.#alone.percentile(Math.min(1, share + doubt)) as number;
      return (this.#joined.percentile(share) as number) <= alone * most;
    });
  }

  /** By how much a percentile of calls that travelled alone may be off. Those of one turn are one sample: the same node was busy with all of them. */
  #doubt(share: number): number {
    const samples = this.#alone.count / this.#company.read(1);
    return DOUBT * Math.sqrt((share * (1 - share)) / samples);
  }
}
