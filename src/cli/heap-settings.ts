/** V8's heap in a process that serves, by the flags that it reads again and again while it runs. */
import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** By how much of what is in use, per cent, the heap may grow until all of it is collected again. V8 lets a small heap grow to four times. */
const GROWTH_PERCENT = 50;

/** What is allocated until the young generation is collected: half of its memory. V8 lets it grow to twice as much, of which all stays in memory. */
const YOUNG_BYTES = 8 * 1024 * 1024;

/** Of one of the arrays that the young generation is filled with: no large object, which lies elsewhere. */
const FILLER_BYTES = 16 * 1024;

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
  let factor = 0;
  const look = (): void => {
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
    if (young === undefined) return;
    // V8 makes it smaller when there is nothing to do. From there it grows in one step: V8 waits for as much to survive as there is room.
    const room = Math.max(1, Math.round(YOUNG_BYTES / (young.space_used_size + young.space_available_size)));
    if (room === factor) return;
    factor = room;
    // Its largest size cannot be set any more.
    setFlagsFromString(`--semi-space-growth-factor=${factor}`);
  };
  look();
  new PerformanceObserver(look).observe({ entryTypes: ['gc'] });
}

/** Bounds what the old generation takes beyond what is in use. To be called once, behind the start, which makes much that stays. */
export function boundOldGeneration(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  setMarking(MARKING);
}

/**
 * Begins a full collection as V8 makes it where memory is short: it also moves what lies in pages that are partly used, and makes the young generation
 * small. Marking goes on beside the main thread, and what is left of it is done when the event loop comes to it. The heap settings are to be in force.
 */
export function beginSparingCollection(): void {
  // Behind a collection of the young generation V8 begins to mark when this much is used up, as it is meant to be then.
  setFlagsFromString('--optimize-for-size');
  setMarking({ begin: 1, hurry: 1 });
  fillYoungGeneration();
  setMarking(MARKING);
  setFlagsFromString('--no-optimize-for-size');
}

/** Allocates as much as the young generation has room for, all of it garbage, so that it is collected. */
function fillYoungGeneration(): void {
  let garbage: unknown[] = [];
  for (let bytes = 0; bytes <= YOUNG_BYTES; bytes += FILLER_BYTES)
    garbage = new Array(FILLER_BYTES / 8).fill(garbage.length);
}

function setMarking({ begin, hurry }: { readonly begin: number; readonly hurry: number }): void {
  setFlagsFromString(`--incremental-marking-soft-trigger=${begin}`);
  setFlagsFromString(`--incremental-marking-hard-trigger=${hurry}`);
}
