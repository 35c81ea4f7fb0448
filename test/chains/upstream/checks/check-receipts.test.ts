import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { JsonStream } from '../../../../packages/ethereum/primitives/json-result.ts';
import { checkReceipts } from '../../../../src/chains/upstream/checks/check-receipts.ts';
import { makeHash, ScriptedChain } from '../../../pool/support/scripted-chain.ts';
import { createStream, readAll } from '../../../pool/support/scripted-stream.ts';
import { countRuns } from '../../../support/count-runs.ts';

const COUNT = 7;
const NUMBER = 5;
const chain = new ScriptedChain({ length: 9, transactions: (number) => (number === NUMBER ? COUNT : 2) });
const other = new ScriptedChain({ length: 9, transactions: () => COUNT, salt: 1 });
const block = chain.block(NUMBER);

type Receipt = Record<string, unknown>;

const rightReceipts = (): Receipt[] => JSON.parse(chain.receipts(NUMBER)) as Receipt[];

/** Errors in receipts. */
const MISTAKES: Readonly<Record<string, (receipts: Receipt[], at: number) => unknown[]>> = {
  missing: (receipts, at) => receipts.toSpliced(at, 1),
  swapped: (receipts, at) => {
    const next = (at + 1) % COUNT;
    return receipts.with(at, receipts[next] as Receipt).with(next, receipts[at] as Receipt);
  },
  duplicated: (receipts, at) => receipts.toSpliced(at, 0, receipts[at] as Receipt),
  'in place of another': (receipts, at) =>
    receipts.with(at, { ...chain.receiptObject(4, 0), blockHash: block.hash }),
  'of another block too': (receipts, at) => receipts.toSpliced(at, 0, chain.receiptObject(4, 0)),
  'all of another chain': () => JSON.parse(other.receipts(NUMBER)) as Receipt[],
  'placed in another block': (receipts, at) =>
    receipts.with(at, { ...receipts[at], blockHash: makeHash(9, 9, 9) }),
  reversed: (receipts) => receipts.toReversed(),
  'none at all': () => [],
};

const anyWrong: fc.Arbitrary<string> = fc
  .record({ name: fc.constantFrom(...Object.keys(MISTAKES)), at: fc.nat(COUNT - 1) })
  .map(({ name, at }) => JSON.stringify(MISTAKES[name]?.(rightReceipts(), at)));

/** JSON with or without white space, as clients write it. */
const anyRight: fc.Arbitrary<string> = fc
  .constantFrom(undefined, 1, 2)
  .map((indent) => JSON.stringify(rightReceipts(), undefined, indent));

const anyBorders: fc.Arbitrary<number[]> = fc.array(fc.nat(5_000), { maxLength: 40 });

const isCorrect = (text: string): boolean => {
  try {
    return checkReceipts(block)(text) === text;
  } catch {
    return false;
  }
};

describe('checkReceipts', () => {
  it('accepts right receipts, and refuses wrong ones', () => {
    fc.assert(fc.property(anyRight, (text) => isCorrect(text)));
    for (const [name, mistake] of Object.entries(MISTAKES)) {
      for (let at = 0; at < COUNT; at++) {
        assert.equal(isCorrect(JSON.stringify(mistake(rightReceipts(), at))), false, `${name} at ${at}`);
      }
    }
  });

  it('reports the kind of the fault', () => {
    const check = checkReceipts(block);
    assert.throws(() => check('[]'), { name: 'UpstreamFault', kind: 'wrong' });
    assert.throws(() => check(other.receipts(NUMBER)), { kind: 'wrong' });
  });

  it('decides on a stream as on the whole text, however it is divided', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyRight, anyWrong), anyBorders, async (text, borders) => {
        const stream = createStream(text, { borders });
        const result = checkReceipts(block)(stream);
        if (isCorrect(text)) {
          assert.equal(await readAll(result), text);
        } else {
          await assert.rejects(readAll(result), { kind: 'wrong' });
          assert.equal(stream.isCancelled, true);
        }
      }),
      { numRuns: countRuns(300) },
    );
  });

  it('decides on a stream of single bytes', async () => {
    const text = chain.receipts(NUMBER);
    assert.equal(await readAll(checkReceipts(block)(createStream(text, { pieceBytes: 1 }))), text);
    const wrong = JSON.stringify(rightReceipts().toReversed());
    await assert.rejects(readAll(checkReceipts(block)(createStream(wrong, { pieceBytes: 1 }))), {
      kind: 'wrong',
    });
  });

  it('never releases the last chunk of a wrong answer', async () => {
    await fc.assert(
      fc.asyncProperty(anyWrong, anyBorders, async (text, borders) => {
        const { pieces } = checkReceipts(block)(createStream(text, { borders })) as JsonStream;
        let handedOut = 0;
        const read = async (): Promise<void> => {
          for await (const piece of pieces) handedOut += piece.length;
        };
        await assert.rejects(read(), { kind: 'wrong' });
        assert.ok(handedOut < Buffer.byteLength(text));
      }),
      { numRuns: countRuns(200) },
    );
  });

  it('passes on a fault of its source, and cancels its source', async () => {
    const broken = checkReceipts(block)(createStream(chain.receipts(NUMBER), { breakAt: 1_000 }));
    await assert.rejects(readAll(broken), { kind: 'unreachable' });
    const source = createStream(chain.receipts(NUMBER));
    (checkReceipts(block)(source) as JsonStream).cancel();
    assert.equal(source.isCancelled, true);
  });

  it('checks several streams concurrently', async () => {
    const text = chain.receipts(NUMBER);
    const wrong = JSON.stringify(rightReceipts().toSpliced(3, 1));
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) =>
        readAll(checkReceipts(block)(createStream(i % 2 === 0 ? text : wrong, { pieceBytes: 7 + i }))),
      ),
    );
    const expected = Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? 'fulfilled' : 'rejected'));
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      expected,
    );
  });
});
