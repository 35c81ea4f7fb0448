/** Maximum samples, one per second. */
export const TRAFFIC_SECONDS = 120;
/** Bucket edges grow by a factor of 2^(1/4), so a percentile is at most 19 % too high. */
const BUCKETS_PER_OCTAVE = 4;
/** Upper edge of the first bucket. */
const SHORTEST_MS = 0.02;
/** Buckets range from 0.02 ms to 84 s; longer values are in the last bucket. */
const BUCKETS: number = 22 * BUCKETS_PER_OCTAVE + 1;

/** Calls of one second as plain JSON. Calls of several processes can be added. */
export type SecondOfCalls = {
  /** Unix seconds. */
  readonly second: number;
  readonly calls: number;
  readonly faults: number;
  /** Flattened pairs of bucket index and count; empty buckets are omitted. */
  readonly latencies: readonly number[];
};

type Slot = { second: number; calls: number; faults: number; readonly buckets: Uint32Array };

/** Calls per second and their latencies, for the period that the status page shows. The first call in a second begins a new array slot. */
export class Traffic {
  readonly #slots: (Slot | undefined)[] = new Array(TRAFFIC_SECONDS).fill(undefined);
  #current: Slot | undefined;

  /** @param second Unix time, whole seconds */
  record(ms: number, isFault: boolean, second: number): void {
    const slot = this.#current?.second === second ? this.#current : this.#open(second);
    slot.calls++;
    if (isFault) slot.faults++;
    const bucket = findBucket(ms);
    slot.buckets[bucket] = (slot.buckets[bucket] as number) + 1;
  }

  /** Returns the seconds up to `second` that had calls, oldest first. */
  list(second: number): SecondOfCalls[] {
    return this.#slots
      .filter((slot) => slot !== undefined)
      .filter((slot) => slot.second <= second && slot.second > second - TRAFFIC_SECONDS)
      .sort((a, b) => a.second - b.second)
      .map(({ buckets, ...slot }) => ({ ...slot, latencies: packBuckets(buckets) }));
  }

  #open(second: number): Slot {
    const place = second % TRAFFIC_SECONDS;
    let slot = this.#slots[place];
    if (slot === undefined) {
      slot = { second, calls: 0, faults: 0, buckets: new Uint32Array(BUCKETS) };
      this.#slots[place] = slot;
    } else if (slot.second !== second) {
      slot.second = second;
      slot.calls = 0;
      slot.faults = 0;
      slot.buckets.fill(0);
    }
    this.#current = slot;
    return slot;
  }
}

/** Returns the latency that `share` (0 to 1) of the calls did not exceed, milliseconds; undefined without calls. */
export function findPercentile(seconds: readonly SecondOfCalls[], share: number): number | undefined {
  const buckets = new Float64Array(BUCKETS);
  let total = 0;
  for (const { latencies } of seconds) {
    for (let i = 0; i + 1 < latencies.length; i += 2) {
      const bucket = Math.min(latencies[i] as number, BUCKETS - 1);
      buckets[bucket] = (buckets[bucket] as number) + (latencies[i + 1] as number);
      total += latencies[i + 1] as number;
    }
  }
  if (total === 0) return undefined;
  let seen = 0;
  const at = buckets.findIndex((count) => {
    seen += count;
    return seen >= share * total && seen > 0;
  });
  return SHORTEST_MS * 2 ** (at / BUCKETS_PER_OCTAVE);
}

function packBuckets(buckets: Uint32Array): number[] {
  const packed: number[] = [];
  for (const [bucket, count] of buckets.entries()) if (count > 0) packed.push(bucket, count);
  return packed;
}

function findBucket(ms: number): number {
  if (!(ms > SHORTEST_MS)) return 0;
  return Math.min(Math.ceil(Math.log2(ms / SHORTEST_MS) * BUCKETS_PER_OCTAVE), BUCKETS - 1);
}
