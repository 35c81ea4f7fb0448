/** V8's heap in a process that serves, by the flags that it reads again and again while it runs. */
import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** By how much of what is in use, per cent, the heap may grow until all of it is collected again. V8 lets a small heap grow to four times. */
const GROWTH_PERCENT = 50;

/** The young generation, both of its halves. V8 lets it grow to twice as much, of which all stays in memory. */
const YOUNG_BYTES = 16 * 1024 * 1024;

/**
 * How much of the room up to the next full collection is used up, per cent, when marking for it begins, and when that becomes urgent. V8
 * begins as soon as what is left is less than the young generation, with a small heap after 8 MB; buffers outside of the heap count from
 * the moment they are allocated. Bodies of some 10 KB then cause a full collection for every collection of the young generation, which would
 * have freed them.
 */
const MARKING = { begin: 80, hurry: 95 } as const;

/**
 * Bounds the young generation. To be called once, before a start has made it larger than that: V8 makes it smaller only while next to nothing
 * is allocated.
 */
export function boundYoungGeneration(): void {
  let mayGrow = true;
  const look = (): void => {
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
    const hasRoom = young === undefined || young.space_size < YOUNG_BYTES;
    if (hasRoom === mayGrow) return;
    mayGrow = hasRoom;
    // Its largest size cannot be set any more, and V8 makes it smaller when there is nothing to do.
    setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);
  };
  look();
  new PerformanceObserver(look).observe({ entryTypes: ['gc'] });
}

/** Bounds what the old generation takes beyond what is in use. To be called once, behind the start, which makes much that stays. */
export function boundOldGeneration(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  setFlagsFromString(`--incremental-marking-soft-trigger=${MARKING.begin}`);
  setFlagsFromString(`--incremental-marking-hard-trigger=${MARKING.hurry}`);
}
