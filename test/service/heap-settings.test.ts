import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

const MODULE = new URL('../../src/service/heap-settings.js', import.meta.url).href;

/** Allocates objects that stay alive for a while, 16 MB at a time. Prints the largest sizes of the heap and of its young generation. */
const FILL = `
  const { getHeapSpaceStatistics } = await import('node:v8');
  const kept = new Array(16_000).fill(undefined);
  let heap = 0;
  let young = 0;
  for (let at = 0; at < 400_000; at++) {
    kept[at % kept.length] = new Array(128).fill(at);
    if (at % 1_000 !== 0) continue;
    heap = Math.max(heap, process.memoryUsage().heapTotal);
    young = Math.max(young, getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size);
    await new Promise((resolve) => setTimeout(resolve, at % 10_000 === 0 ? 30 : 0));
  }
  console.log(JSON.stringify({ heap, young }));
`;

/** Allocates short-lived buffers of 40 KB with about as much heap memory each, beside 16 MB that stay alive. Prints the number of full collections. */
const PASS = `
  const { constants, PerformanceObserver } = await import('node:perf_hooks');
  const kept = Array.from({ length: 16_000 }, (_, at) => new Array(128).fill(at));
  globalThis.gc();
  let full = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries()) if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) full++;
  });
  observer.observe({ entryTypes: ['gc'] });
  for (let at = 0; at < 24_000; at++) {
    Buffer.allocUnsafeSlow(40_000);
    new Array(4_200).fill(at);
    if (at % 2 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await new Promise((resolve) => setTimeout(resolve, 50));
  console.log(kept.length === 16_000 ? full : -1);
`;

const OF_START = `
  const { boundHeap, boundHeapOfStart } = await import(${JSON.stringify(MODULE)});
  boundHeapOfStart();`;
const SETTINGS = `${OF_START}
  boundHeap();`;

function measure(before: string, load: string): unknown {
  const script = `${before}\n${load}`;
  return JSON.parse(
    execFileSync(process.execPath, ['--expose-gc', '--input-type=module', '-e', script], {
      encoding: 'utf8',
    }),
  );
}

function measureHeap(before: string): { readonly heap: number; readonly young: number } {
  return measure(before, FILL) as { readonly heap: number; readonly young: number };
}

test('objects that survive the young generation make the heap grow less than by default', () => {
  const [usual, start, bounded] = [measureHeap(''), measureHeap(OF_START), measureHeap(SETTINGS)];
  assert.ok(bounded.heap < 0.8 * usual.heap, `${bounded.heap} instead of ${usual.heap} bytes`);
  assert.ok(bounded.young < usual.young, `${bounded.young} instead of ${usual.young} bytes`);
  assert.ok(start.young < bounded.young, `${start.young} bytes at the start, ${bounded.young} behind it`);
});

test('short-lived buffers cause fewer full collections than by default', () => {
  const asUsual = `${SETTINGS}
    const { setFlagsFromString } = await import('node:v8');
    for (const name of ['soft', 'hard']) setFlagsFromString(\`--incremental-marking-\${name}-trigger=0\`);`;
  const [usual, ours] = [measure(asUsual, PASS) as number, measure(SETTINGS, PASS) as number];
  assert.ok(ours < usual, `${ours} full collections instead of ${usual}`);
});
