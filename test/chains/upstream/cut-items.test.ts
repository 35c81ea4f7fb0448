import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cutItems } from '../../../src/chains/upstream/cut-items.ts';
import { CancelSource } from '../../../src/util/cancel-source.ts';

async function cut(list: string, signal?: CancelSource): Promise<readonly string[]> {
  const items: string[] = [];
  for await (const item of cutItems(list, { signal })) items.push(item);
  return items;
}

test('cutItems returns the texts of the items, whatever they contain', async () => {
  const property = fc.asyncProperty(
    fc.array(fc.json()),
    fc.constantFrom('', ' ', '\n\t'),
    async (items, blank) => {
      const list = `${blank}[${blank}${items.join(`${blank},${blank}`)}${blank}]${blank}`;
      assert.deepEqual(
        (await cut(list)).map((item) => JSON.parse(item)),
        items.map((item) => JSON.parse(item)),
      );
    },
  );
  await fc.assert(property);
});

test('cutItems returns no items of a text that is no list', async () => {
  for (const text of ['{"a":[1,2]}', 'null', '"[1,2]"', '12', '[]', ' [ ] '])
    assert.deepEqual(await cut(text), []);
});

test('cutItems pauses in a long list, and stops when its caller cancels', async () => {
  const list = `[[${'{} ,'.repeat(1 << 20)}{}],1]`;
  let slots = 0;
  let timer = setImmediate(function count() {
    slots++;
    timer = setImmediate(count);
  });
  assert.equal((await cut(list)).length, 2);
  clearImmediate(timer);
  assert.ok(slots > 0);
  const caller = new CancelSource();
  caller.abort();
  await assert.rejects(cut(list, caller), { kind: 'aborted' });
});
