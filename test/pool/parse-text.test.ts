/** Long texts of nodes are parsed within the memory that nodes share, and only while a caller waits. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PIECE_LENGTH, parseJsonText } from '../../packages/ethereum/primitives/parse-json.ts';
import { UpstreamFault } from '../../src/pool/fault.ts';
import { createNodeMemory } from '../../src/pool/node-memory.ts';
import { checkParsed, parseText } from '../../src/pool/parse-text.ts';
import { AnswerMemory } from '../../src/util/answer-memory.ts';
import { CancelSource } from '../../src/util/cancel-source.ts';
import type { SharedBudget } from '../../src/util/shared-budget.ts';

const MiB = 1024 * 1024;
/** A list of lists, four bytes each, which takes 43 times as many bytes of heap. */
const LISTS = `[${'[0],'.repeat(PIECE_LENGTH)}0]`;

const openIn = (budget: SharedBudget) => (): AnswerMemory => new AnswerMemory(budget, 'node');

/** Watches the largest use of the budget at the end of a turn of the event loop. */
async function watch(budget: SharedBudget, work: () => unknown): Promise<number> {
  let most = 0;
  let timer = setImmediate(function look() {
    most = Math.max(most, budget.used);
    timer = setImmediate(look);
  });
  try {
    await work();
  } finally {
    clearImmediate(timer);
  }
  return most;
}

describe('a long text', () => {
  test('counts against the memory together with its values while it is parsed', async () => {
    const budget = createNodeMemory();
    const most = await watch(budget, () => parseText(LISTS, { memory: openIn(budget) }));
    assert.ok(most > 10 * LISTS.length, `${most} bytes`);
    assert.equal(budget.used, 0);
  });

  test('counts against the memory until its check is complete', async () => {
    const budget = createNodeMemory();
    const read = (): number => {
      parseJsonText(LISTS);
      return budget.used;
    };
    const used = await checkParsed(read, { memory: openIn(budget) });
    assert.ok(used > 40 * LISTS.length, `${used} bytes`);
    assert.equal(budget.used, 0);
  });

  test('is refused by the memory bound before it is parsed to its end', async () => {
    const budget = createNodeMemory(8 * MiB);
    const most = await watch(budget, () =>
      assert.rejects(
        async () => parseText(LISTS, { memory: openIn(budget) }),
        (error: unknown) =>
          error instanceof UpstreamFault && error.kind === 'rateLimited' && error.bound === 'nodes.bytes',
      ),
    );
    assert.ok(most <= 4 * MiB, `one node alone held ${most} bytes`);
    assert.equal(budget.used, 0);
  });

  test('has a separate bound if no node is known', async () => {
    await assert.rejects(async () => parseText(`[${'[0],'.repeat(MiB)}0]`, {}), { kind: 'rateLimited' });
  });

  test('is not parsed any further when no caller waits', async () => {
    const budget = createNodeMemory();
    const caller = new CancelSource();
    const whole = await watch(budget, () => parseText(LISTS, { memory: openIn(budget) }));
    const most = await watch(budget, () => {
      const parsed = Promise.resolve(parseText(LISTS, { signal: caller, memory: openIn(budget) }));
      setImmediate(() => caller.abort());
      return assert.rejects(parsed, { kind: 'aborted' });
    });
    assert.ok(most < whole / 2, `${most} of ${whole} bytes`);
    assert.equal(budget.used, 0);
  });

  test('with more list items than any answer has is a fault of the node', async () => {
    const text = `[${'0,'.repeat(MiB)}0]`;
    await assert.rejects(async () => parseText(text, {}), { kind: 'excessive' });
  });
});
