import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { JsonResult } from '../../packages/ethereum/primitives/json-result.ts';
import { ChainError } from '../../src/chain/errors.ts';
import { UpstreamFault } from '../../src/pool/fault.ts';
import type { Handler, UpstreamRequest } from '../../src/pool/upstream-request.ts';
import { createExchange, createScope } from './support/exchange.ts';
import { poolOf } from './support/pool.ts';
import {
  answer,
  type Behaviour,
  createNode,
  fault,
  inTurn,
  later,
  nodeError,
  silent,
} from './support/scripted-node.ts';
import { createStream, readAll } from './support/scripted-stream.ts';

const HONEST = JSON.stringify({ receipts: 'honest'.repeat(20) });
const REVERT = nodeError(3, 'execution reverted', '0x1234');
/** Long enough for the honest node to get the request after all others have stayed silent, ms. */
const LIMIT_MS = 5_000;

const FAULTS = [
  'unreachable',
  'timeout',
  'malformed',
  'tooLarge',
  'httpStatus',
  'unauthorized',
  'missing',
  'pruned',
  'unsupported',
] as const;

/** Quick failures of bad nodes; none of them is accepted as an answer. */
const anyQuickFailure: fc.Arbitrary<Behaviour> = fc.oneof(
  fc.constantFrom(...FAULTS).map((kind) => fault(kind)),
  fc.constantFrom(undefined, 20).map((ms) => fault('rateLimited', ms)),
  fc.constant(answer('null')),
  fc.constant(answer('"a wrong answer"')),
  fc.constant(nodeError(-32000, 'header not found')),
  fc.constant(nodeError(-32601, 'the method does not exist')),
);

const breaksOff: Behaviour = async () => ({
  kind: 'result',
  result: createStream(HONEST, { breakAt: 30 }),
});

const anyDelayed = (behaviour: Behaviour): fc.Arbitrary<Behaviour> =>
  fc.constantFrom(0, 0, 2, 15).map((ms) => (ms === 0 ? behaviour : later(ms, behaviour)));

const anyNodeOf = (failure: fc.Arbitrary<Behaviour>): fc.Arbitrary<Behaviour> =>
  fc
    .array(failure.chain(anyDelayed), { minLength: 1, maxLength: 3 })
    .map((behaviours) => inTurn(...behaviours));

const anyBadNode = anyNodeOf(
  fc.oneof({ arbitrary: anyQuickFailure, weight: 8 }, fc.constant(silent), fc.constant(breaksOff)),
);

/** Pools that resume a stream may wait longer than their caller: silent nodes are not combined with streams. */
const anyBadPool: fc.Arbitrary<Behaviour[]> = fc.constantFrom(silent, breaksOff).chain((special) =>
  fc.array(anyNodeOf(fc.oneof({ arbitrary: anyQuickFailure, weight: 8 }, fc.constant(special))), {
    minLength: 1,
    maxLength: 3,
  }),
);

type Truth = { readonly name: string; readonly behaviour: Behaviour };

/** Forms of the one true answer: text, stream, or an error that is an answer. */
const TRUTHS: readonly Truth[] = [
  { name: 'text', behaviour: answer(HONEST) },
  { name: 'stream', behaviour: async () => ({ kind: 'result', result: createStream(HONEST) }) },
  { name: 'revert', behaviour: REVERT },
];

const check = (result: JsonResult): JsonResult => {
  if (typeof result === 'string' && result !== HONEST) throw new UpstreamFault('wrong', 'scripted check');
  return result;
};

const CALL: Partial<UpstreamRequest> = { check, key: { blockHash: '0xaa', request: '1:eth_call:[]' } };

type Outcome = { readonly result: string; readonly isCorrect: boolean };

async function observe(ask: Handler, call: Partial<UpstreamRequest>): Promise<Outcome> {
  try {
    const text = await readAll(await ask(createExchange(call, createScope(LIMIT_MS))));
    return { result: text, isCorrect: text === HONEST };
  } catch (error) {
    if (error instanceof ChainError && error.kind === 'reverted') {
      return { result: 'reverted', isCorrect: error.data === '0x1234' };
    }
    assert.ok(error instanceof ChainError || error instanceof UpstreamFault, String(error));
    return { result: error.kind, isCorrect: false };
  }
}

/** Scenes run concurrently, because they spend most of their time waiting. */
const manyOf = <T>(scene: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
  fc.array(scene, { minLength: 40, maxLength: 40 });

type Scene = {
  readonly bad: readonly Behaviour[];
  readonly position: number;
  readonly truth: Truth;
  readonly isShared: boolean;
  readonly callers: number;
};

const anyScene: fc.Arbitrary<Scene> = fc.record({
  bad: fc.array(anyBadNode, { maxLength: 3 }),
  position: fc.nat(3),
  truth: fc.constantFrom(...TRUTHS),
  isShared: fc.boolean(),
  callers: fc.integer({ min: 1, max: 3 }),
});

async function playScene({ bad, position, truth, isShared, callers }: Scene): Promise<void> {
  const all = bad.toSpliced(Math.min(position, bad.length), 0, truth.behaviour);
  const nodes = all.map((behaviour, tier) => createNode({ behaviour, tier }));
  const ask = poolOf(nodes, { options: { retries: 2 } });
  const call = isShared ? CALL : { check };
  const outcomes = await Promise.all(Array.from({ length: callers }, () => observe(ask, call)));
  for (const { result, isCorrect } of outcomes) assert.ok(isCorrect, `${truth.name}: ${result}`);
}

async function playWithoutTruth(bad: readonly Behaviour[]): Promise<void> {
  const nodes = bad.map((behaviour, tier) => createNode({ behaviour, tier }));
  const ask = poolOf(nodes, { options: { retries: 1 } });
  const context = createExchange({ check }, createScope(200));
  // Streams of liars all break at the same position: the part before it is not an answer either.
  await assert.rejects(
    async () => readAll(await ask(context)),
    (error: unknown) => error instanceof ChainError || error instanceof UpstreamFault,
  );
}

describe('a pool with faulty nodes', () => {
  it('returns the answer of a single honest node within the deadline, whatever the others do', async () => {
    await fc.assert(
      fc.asyncProperty(manyOf(anyScene), async (scenes) => {
        await Promise.all(scenes.map(playScene));
      }),
      { numRuns: 4, endOnFailure: true },
    );
  });

  it('throws an error without an honest node, and never returns a wrong answer', async () => {
    await fc.assert(
      fc.asyncProperty(manyOf(anyBadPool), async (scenes) => {
        await Promise.all(scenes.map(playWithoutTruth));
      }),
      { numRuns: 5, endOnFailure: true },
    );
  });

  it('does not accept a null of one node against two honest nodes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(2),
        fc.constantFrom('claim' as const, 'doubt' as const),
        fc.constantFrom(0, 2, 10),
        async (position, nulls, delay) => {
          const honest = later(delay, answer(HONEST));
          const all = [honest, honest].toSpliced(position, 0, answer('null'));
          const nodes = all.map((behaviour, tier) => createNode({ behaviour, tier }));
          const ask = poolOf(nodes);
          for (let i = 0; i < 3; i++) assert.equal((await observe(ask, { nulls })).result, HONEST);
        },
      ),
      { numRuns: 30 },
    );
  });
});
