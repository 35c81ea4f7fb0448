import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import type { JsonResult, JsonStream } from '../../../packages/ethereum/primitives/json-result.ts';
import { UpstreamFault } from '../../../src/pool/fault.ts';
import { resumeStreams } from '../../../src/pool/policies/resume-streams.ts';
import type { Handler, RoutedRequest } from '../../../src/pool/upstream-request.ts';
import { countRuns } from '../../support/count-runs.ts';
import { createRouted } from '../support/exchange.ts';
import { answer, createNode } from '../support/scripted-node.ts';
import { createStream, readAll, type ScriptedStream } from '../support/scripted-stream.ts';

const TEXT = JSON.stringify(Array.from({ length: 20 }, (_, i) => ({ i, word: 'receipt'.repeat(i % 4) })));

/** Data of a receipt and its forgery, with last digits chosen for an equal CRC-32. */
const FORGED = ['a0a0a0a0a0a0a0a0000000000000000000000000', 'ffa0a0a0a0a0a0a0060467115120000000000000'];

/** Answers with the next of these results at each node of the route. */
function createResuming(results: readonly JsonResult[]): Promise<JsonResult> {
  const handler: Handler<RoutedRequest> = async ({ route }) => {
    route.take();
    const result = results[requested++];
    if (result === undefined) throw new UpstreamFault('unreachable', 'scripted: no node is left');
    return result;
  };
  let requested = 0;
  return resumeStreams()(handler)(createRouted(results.map(() => createNode(answer('1')))));
}

describe('resumeStreams', () => {
  it('a stream resumed with the same bytes, after breaks anywhere, yields the same bytes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(TEXT.length), { minLength: 1, maxLength: 4 }),
        fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 5, maxLength: 5 }),
        fc.boolean(),
        async (breaks, sizes, endsAsText) => {
          const broken = breaks.map((breakAt, i) =>
            createStream(TEXT, { breakAt, pieceBytes: sizes[i] as number }),
          );
          const last = endsAsText ? TEXT : createStream(TEXT, { pieceBytes: sizes[4] as number });
          assert.equal(await readAll(await createResuming([...broken, last])), TEXT);
        },
      ),
      { numRuns: countRuns(200) },
    );
  });

  it('a stream resumed with other bytes ends with a fault, not with a mixture', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: TEXT.length }),
        fc.nat(TEXT.length - 1),
        fc.integer({ min: 1, max: 300 }),
        async (breakAt, at, pieceBytes) => {
          const other = `${TEXT.slice(0, at)}~${TEXT.slice(at + 1)}`;
          const result = await createResuming([
            createStream(TEXT, { breakAt, pieceBytes }),
            createStream(other, { pieceBytes }),
          ]);
          if (at < breakAt) await assert.rejects(readAll(result), { kind: 'wrong' });
          else assert.equal(await readAll(result), other);
        },
      ),
      { numRuns: countRuns(200) },
    );
  });

  it('forged bytes with the CRC-32 of another answer are detected as different', async () => {
    const answer = (data: string): string => `[{"data":"0x${data}"},{}]`;
    const [truth, lie] = FORGED.map(answer) as [string, string];
    const breakAt = truth.length - 5;
    assert.notEqual(lie, truth);
    assert.equal(crc32(lie.slice(0, breakAt)), crc32(truth.slice(0, breakAt)));
    await assert.rejects(
      readAll(await createResuming([createStream(lie, { breakAt }), createStream(truth)])),
      {
        kind: 'wrong',
      },
    );
  });

  it('an answer that no other node could resume is returned unwrapped', async () => {
    const only = createStream(TEXT);
    assert.equal(await createResuming([only]), only);
  });

  it('an answer that ends before the position of the break is rejected', async () => {
    const result = await createResuming([
      createStream(TEXT, { breakAt: 100 }),
      createStream(TEXT.slice(0, 60)),
    ]);
    await assert.rejects(readAll(result), { kind: 'wrong' });
  });

  it('a third node resumes when the bytes of the second differ', async () => {
    const different = createStream('[{"other":"words"}]'.repeat(20));
    const result = await createResuming([
      createStream(TEXT, { breakAt: 100 }),
      different,
      createStream(TEXT),
    ]);
    assert.equal(await readAll(result), TEXT);
    assert.equal(different.isCancelled, true);
  });

  it('ends with the fault when no node is left', async () => {
    const result = await createResuming([createStream(TEXT, { breakAt: 100 })]);
    await assert.rejects(readAll(result), { kind: 'unreachable' });
  });

  it('cancel releases the source in progress, and no other node gets a request', async () => {
    const sources: ScriptedStream[] = [createStream(TEXT), createStream(TEXT)];
    const result = (await createResuming(sources)) as JsonStream;
    const reader = result.pieces[Symbol.asyncIterator]();
    await reader.next();
    result.cancel();
    assert.equal(sources[0]?.isCancelled, true);
    await assert.rejects(Promise.resolve(reader.next()), { kind: 'aborted' });
    assert.equal(sources[1]?.isCancelled, false);
  });

  it('cancel during a request to another node cancels its answer', async () => {
    const late = createStream(TEXT);
    let give: (result: JsonResult) => void = () => {};
    let isRequested = false;
    const results = [createStream(TEXT, { breakAt: 0 })];
    const handler: Handler<RoutedRequest> = ({ route }) => {
      route.take();
      const first = results.shift();
      if (first !== undefined) return Promise.resolve(first);
      isRequested = true;
      return new Promise((resolve) => {
        give = resolve;
      });
    };
    const nodes = [createNode(answer('1')), createNode(answer('1'))];
    const result = (await resumeStreams()(handler)(createRouted(nodes))) as JsonStream;
    const reading = readAll(result);
    while (!isRequested) await new Promise((resolve) => setImmediate(resolve));
    result.cancel();
    give(late);
    await assert.rejects(reading, { kind: 'aborted' });
    assert.equal(late.isCancelled, true);
  });

  it('a reader that stops early closes the source', async () => {
    let isClosed = false;
    const source: JsonStream = {
      pieces: (async function* () {
        try {
          for (;;) yield Buffer.from('x');
        } finally {
          isClosed = true;
        }
      })(),
      cancel: () => {},
    };
    for await (const _ of ((await createResuming([source])) as JsonStream).pieces) break;
    assert.equal(isClosed, true);
  });
});
