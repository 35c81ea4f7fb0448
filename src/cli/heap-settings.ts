/** V8's heap in a process that serves, by the flags that it reads again and again while it runs. */
import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** By how much of what is in use, per cent, the heap may grow until all of it is collected again. V8 lets a small heap grow to four times. */
const GROWTH_PERCENT = 25;

const MIB = 1024 * 1024;
/**
 * Both semi-spaces of the young generation, while starting and while serving. V8's limit is 32 MiB, and a start alone grows it to 16; it rarely shrinks. Most of what a start
 * allocates survives, so a larger young generation saves no work there.
 */
const YOUNG_BYTES = { atStart: 4 * MIB, serving: 16 * MIB } as const;

/**
 * How much of the room up to the next full collection is used up, per cent, when marking for it begins, and when that becomes urgent. V8
 * begins as soon as what is left is less than the young generation, with a small heap after 8 MB; buffers outside of the heap count from
 * the moment they are allocated. Bodies of some 10 KB then cause a full collection for every collection of the young generation, which would
 * have freed them.
 */
const MARKING = { begin: 80, hurry: 95 } as const;

let youngBytes: number = YOUNG_BYTES.atStart;
let mayYoungGrow = true;

/** Lets the young generation grow while it is below its bound. Its maximum size cannot be set at run time, but its growth factor can. */
function boundYoungGeneration(): void {
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  const hasRoom = young === undefined || young.space_size < youngBytes;
  if (hasRoom === mayYoungGrow) return;
  mayYoungGrow = hasRoom;
  setFlagsFromString(`--semi-space-growth-factor=${mayYoungGrow ? 2 : 1}`);
}

/** Bounds the heap during the start. To be called once, before the modules of the service are loaded. */
export function boundHeapOfStart(): void {
  boundYoungGeneration();
  new PerformanceObserver(boundYoungGeneration).observe({ entryTypes: ['gc'] });
}

/** Bounds the heap while serving: the young generation, and the room of the old one beyond what is in use. To be called once, after the start. */
export function boundHeap(): void {
  youngBytes = YOUNG_BYTES.serving;
  boundYoungGeneration();
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  setFlagsFromString(`--incremental-marking-soft-trigger=${MARKING.begin}`);
  setFlagsFromString(`--incremental-marking-hard-trigger=${MARKING.hurry}`);
}
