/** V8 heap settings of a serving process, set by flags that V8 reads again at run time. */
import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Growth of the heap over its live size before a full collection, per cent. By default, V8 lets a small heap grow to four times its size. */
const GROWTH_PERCENT = 25;

const MIB = 1024 * 1024;
/**
 * Bounds in bytes on both semi-spaces of the young generation, during the start and while serving. V8's default limit is 32 MiB. During the start,
 * the young generation grows to 16 MiB, and it rarely shrinks afterwards. Most objects of the start survive, so a larger young generation would save
 * no work there.
 */
const YOUNG_BYTES = { atStart: 4 * MIB, serving: 16 * MIB } as const;

/**
 * Fill levels of the room until the next full collection, per cent. Incremental marking begins at `begin`, and becomes urgent at `hurry`. By default,
 * V8 begins incremental marking when the remaining room is smaller than the young generation: in a small heap, after 8 MB. V8 counts off-heap buffers
 * as soon as they are allocated. By default, with bodies of about 10 KB, each young collection would therefore be accompanied by a full collection,
 * although the young collection frees the bodies.
 */
const MARKING = { begin: 80, hurry: 95 } as const;

let youngBytes: number = YOUNG_BYTES.atStart;
let mayYoungGrow = true;

/** Lets the young generation grow until it reaches its bound. V8 reads the growth factor again at run time, but not the maximum size. */
function boundYoungGeneration(): void {
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  const hasRoom = young === undefined || young.space_size < youngBytes;
  if (hasRoom === mayYoungGrow) return;
  mayYoungGrow = hasRoom;
  setFlagsFromString(`--semi-space-growth-factor=${mayYoungGrow ? 2 : 1}`);
}

/** Bounds the heap during the start. The caller must call this function once, before it loads the modules of the service. */
export function boundHeapOfStart(): void {
  boundYoungGeneration();
  new PerformanceObserver(boundYoungGeneration).observe({ entryTypes: ['gc'] });
}

/**
 * Bounds the heap while serving: the young generation, and the growth of the old generation over its live size. The caller must call this function
 * once, after the start.
 */
export function boundHeap(): void {
  youngBytes = YOUNG_BYTES.serving;
  boundYoungGeneration();
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  setFlagsFromString(`--incremental-marking-soft-trigger=${MARKING.begin}`);
  setFlagsFromString(`--incremental-marking-hard-trigger=${MARKING.hurry}`);
}
