import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

const MODULE = new URL('../../src/cli/heap-settings.js', import.meta.url).href;

/** What is kept for a while and then not: 16 MB of it at a time. Prints the largest sizes of the heap and of its young generation. */
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

function measureHeap(before: string): { readonly heap: number; readonly young: number } {
  const script = `${before}\n${FILL}`;
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }),
  );
}

test('what outlives the young generation makes the heap grow less than V8 lets it', () => {
  const settings = `(await import(${JSON.stringify(MODULE)})).applyHeapSettings();`;
  const [usual, bounded] = [measureHeap(''), measureHeap(settings)];
  assert.ok(bounded.heap < 0.8 * usual.heap, `${bounded.heap} instead of ${usual.heap} bytes`);
  assert.ok(bounded.young < usual.young, `${bounded.young} instead of ${usual.young} bytes`);
});
