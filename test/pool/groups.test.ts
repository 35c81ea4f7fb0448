/** Requests of a group pass the policies that single requests pass. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { JsonResult } from '../../packages/ethereum/primitives/json-result.ts';
import { ChainError } from '../../src/chain/errors.ts';
import { UpstreamFault } from '../../src/pool/fault.ts';
import { ALONE, type GroupHandler, type RequestGroup } from '../../src/pool/group.ts';
import { hedge } from '../../src/pool/policies/hedge.ts';
import { order } from '../../src/pool/policies/order.ts';
import { createGroupSender, createSender } from '../../src/pool/policies/send.ts';
import { singleFlight } from '../../src/pool/policies/single-flight.ts';
import { createPolicy, type Policy, PolicyStack } from '../../src/pool/policy-stack.ts';
import type { PolicySteps } from '../../src/pool/policy-steps.ts';
import type { Handler, RequestContext } from '../../src/pool/upstream-request.ts';
import { LatencyWindow } from '../../src/util/latency-window.ts';
import { TokenBucket } from '../../src/util/token-bucket.ts';
import { createCall, createExchange, createScope } from './support/exchange.ts';
import { createNode } from './support/scripted-node.ts';

/** Sends a group, and resolves to all outcomes by position; rejects on a second outcome for a position. */
function sendGroup(
  handler: GroupHandler,
  group: RequestGroup,
): Promise<readonly (JsonResult | Error | undefined)[]> {
  const outcomes: (JsonResult | Error | undefined)[] = new Array(group.length);
  let left = group.filter((context) => context !== undefined).length;
  return new Promise((resolve, reject) => {
    if (left === 0) resolve(outcomes);
    handler(group, (position, outcome) => {
      if (group[position] === undefined || outcomes[position] !== undefined)
        reject(new Error(`position ${position} has an outcome that it must not have`));
      outcomes[position] = outcome;
      if (--left === 0) resolve(outcomes);
    });
  });
}

const describeOutcome = (outcome: unknown): string =>
  outcome instanceof Error ? `error ${outcome.message}` : `result ${String(outcome)}`;

/** Behaviour of one policy in a test. */
type Script = {
  readonly begin: 'pass' | 'throw' | 'none';
  readonly onResult: 'pass' | 'replace' | 'throw' | 'none';
  readonly onError: 'pass' | 'replace' | 'none';
};

const NAMES = ['a', 'b', 'c', 'd'] as const;

/** Creates a policy that notes what it sees of each request, and acts on one of them. */
function createScripted(
  at: number,
  { begin, onResult, onError }: Script,
  acts: string,
  seen: string[],
): Policy {
  const nameOf = ({ call }: RequestContext): string => (JSON.parse(call.params) as [string])[0];
  const steps: PolicySteps<RequestContext> = {
    ...(begin !== 'none' && {
      begin(context: RequestContext) {
        seen.push(`${nameOf(context)} begins ${at}`);
        if (begin === 'throw' && nameOf(context) === acts) throw new ChainError('failed', `thrown by ${at}`);
        return context;
      },
    }),
    ...(onResult !== 'none' && {
      onResult(context: RequestContext, result: JsonResult) {
        seen.push(`${nameOf(context)} result ${String(result)} at ${at}`);
        if (nameOf(context) !== acts || onResult === 'pass') return result;
        if (onResult === 'throw') throw new ChainError('failed', `thrown by ${at}`);
        return `"replaced by ${at}"`;
      },
    }),
    ...(onError !== 'none' && {
      onError(context: RequestContext, error: unknown) {
        seen.push(`${nameOf(context)} error ${(error as Error).message} at ${at}`);
        return onError === 'replace' ? new ChainError('failed', `replaced by ${at}`) : error;
      },
    }),
  };
  return createPolicy(steps);
}

const forward: Policy = Object.assign((next: Handler): Handler => next, {
  group: (next: GroupHandler) => next,
});

describe('a group of requests', () => {
  it('passes random policies like single requests', async () => {
    const script = fc.record({
      begin: fc.constantFrom('pass', 'throw', 'none'),
      onResult: fc.constantFrom('pass', 'replace', 'throw', 'none'),
      onError: fc.constantFrom('pass', 'replace', 'none'),
    });
    const layer = fc.record({ script, acts: fc.constantFrom(...NAMES), isFunction: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.array(layer, { minLength: 1, maxLength: 6 }),
        fc.subarray([...NAMES]),
        fc.array(fc.boolean(), { minLength: NAMES.length, maxLength: NAMES.length }),
        async (layers, failing, members) => {
          const seen: string[] = [];
          let stack = PolicyStack.of(forward);
          layers.forEach(({ script: own, acts, isFunction }, at) => {
            stack = stack.around(isFunction ? forward : createScripted(at, own as Script, acts, seen));
          });
          const answer = ({ call }: RequestContext): JsonResult | Error =>
            failing.some((name) => call.params.includes(name))
              ? new ChainError('failed', `no ${call.params}`)
              : call.params;
          const group = NAMES.map((name, at) =>
            members[at] ? createExchange(createCall({ params: `["${name}"]` })) : undefined,
          );
          const alone: string[] = [];
          for (const context of group) {
            if (context === undefined) continue;
            const handler = stack.over(async (passed) => {
              const outcome = answer(passed);
              if (outcome instanceof Error) throw outcome;
              return outcome;
            });
            alone.push(describeOutcome(await handler(context).catch((error: unknown) => error)));
          }
          const seenAlone = seen.splice(0).sort();
          const outcomes = await sendGroup(
            stack.overGroups((sent, receive) => {
              for (const at of [...sent.keys()].reverse())
                if (sent[at] !== undefined) receive(at, answer(sent[at]));
            }),
            group,
          );
          const together = outcomes.filter((_, at) => group[at] !== undefined).map(describeOutcome);
          assert.deepEqual(together, alone);
          assert.deepEqual(seen.sort(), seenAlone);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('excludes a request whose policy waits or sends another request, and reports ALONE to all outer policies', async () => {
    const errors: unknown[] = [];
    const leaving: readonly PolicySteps<RequestContext>[] = [
      { begin: async () => '2' },
      { begin: (context, next) => next(context) },
      { onResult: async () => '2' },
      { onResult: (context, _, next) => next(context) },
    ];
    for (const steps of leaving) {
      const stack = PolicyStack.of(
        createPolicy({
          onError(_, error) {
            errors.push(error);
            return error;
          },
        }),
      ).around(createPolicy<RequestContext>(steps));
      const handler = stack.overGroups((group, receive) => {
        for (const at of group.keys()) receive(at, '1');
      });
      const outcomes = await sendGroup(handler, [createExchange(), createExchange()]);
      assert.deepEqual(outcomes, [ALONE, ALONE]);
    }
    assert.deepEqual(errors, new Array(8).fill(ALONE));
  });
});

describe('a policy added to a stack with routes and hedging', () => {
  it('is called alike for single requests and requests of a group, at any place of the stack', async () => {
    const counts = new Map<string, number>();
    const count = <E extends RequestContext>(place: string): Policy<E> => {
      const add = (event: string): void => {
        counts.set(`${place} ${event}`, (counts.get(`${place} ${event}`) ?? 0) + 1);
      };
      return createPolicy<E>({
        begin(context) {
          add('begins');
          return context;
        },
        onResult(_, result) {
          add('results');
          return result;
        },
        onError(_, error) {
          add(error instanceof UpstreamFault ? 'faults' : 'errors');
          return error;
        },
      });
    };
    const nodes = [0, 1].map(() =>
      createNode(({ params }) =>
        params === '["revert"]'
          ? { kind: 'error', error: { code: 3, message: 'execution reverted', data: '0x' } }
          : { kind: 'result', result: '"0x1"' },
      ),
    );
    const bounds = { answerBytes: 1_000_000, streamBytes: 1_000_000 };
    const stack = PolicyStack.of(count('outermost'))
      .around(singleFlight())
      .around(count('inside of single flight'))
      .around(order(nodes.map(({ upstream }) => upstream)))
      .around(count('inside of the route'))
      .around(
        hedge({
          share: 0,
          budget: new TokenBucket({ capacity: 1 }),
          latenciesOf: () => new LatencyWindow(1_000),
        }),
      )
      .around(count('at the node'));
    const create = (name: string): RequestContext => ({
      call: createCall({ params: `["${name}"]`, key: { blockHash: '0x1', request: name } }),
      scope: createScope(),
    });
    const single = stack.over(createSender(bounds));
    const names = ['1', '2', 'revert', '3'];
    for (const name of names) await single(create(name)).catch(() => {});
    const ofSingle = new Map(counts);
    counts.clear();
    const outcomes = await sendGroup(stack.overGroups(createGroupSender(bounds)), names.map(create));
    assert.deepEqual(
      outcomes.map((outcome) => outcome instanceof ChainError),
      [false, false, true, false],
    );
    assert.deepEqual(counts, ofSingle);
    assert.equal(counts.get('at the node begins'), 4);
    assert.equal(counts.get('outermost errors'), 1);
  });
});
