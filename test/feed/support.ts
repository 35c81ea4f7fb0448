import assert from 'node:assert/strict';
import type { BlockLog } from '../../src/chain/chain.ts';
import { createLogTest } from '../../src/feed/criteria.ts';
import type { FeedError, FeedListener, FeedStep, LogCriteria } from '../../src/feed/feed.ts';
import { createNetworkFeed, type NetworkFeedOptions } from '../../src/feed/network-feed.ts';
import { RequestScope } from '../../src/util/request-scope.ts';
import { FakeClock } from '../support/fake-clock.ts';
import type { ModelBlock, ModelChain } from '../support/model-chain.ts';

export const ANY: LogCriteria = { addresses: [], topics: [] };

export function createScope(): RequestScope {
  return new RequestScope(performance.now() + 60_000);
}

/** A scheduler that runs one step per turn of the event loop, as if all steps took long. */
export const SLOW_TURNS: Required<NetworkFeedOptions>['slots'] = {
  async run<T>(_owner: string, work: Iterator<undefined, T>): Promise<T> {
    for (;;) {
      const step = work.next();
      if (step.done === true) return step.value;
      await new Promise((resolve) => setImmediate(resolve));
    }
  },
};

export type FeedSetup = {
  readonly model: ModelChain;
  readonly clock: FakeClock;
  readonly feed: ReturnType<typeof createNetworkFeed>;
};

export function createFeed(
  model: ModelChain,
  limits: NetworkFeedOptions['limits'] = {},
  slots: Pick<NetworkFeedOptions, 'slots'> = {},
): FeedSetup {
  const clock = new FakeClock();
  return { model, clock, feed: createNetworkFeed({ chain: model.chain, clock, limits, ...slots }) };
}

/** Records a listener's steps as texts: `+5`, `-5`; with hashes where blocks must be distinguished. */
export class Recorder {
  readonly steps: FeedStep[] = [];
  readonly logs: { readonly logs: readonly BlockLog[]; readonly step: FeedStep }[] = [];
  readonly ends: FeedError[] = [];
  readonly #criteria: LogCriteria | undefined;
  readonly #hasSteps: boolean;

  constructor(criteria?: LogCriteria, hasSteps = true) {
    this.#criteria = criteria;
    this.#hasSteps = hasSteps;
  }

  get listener(): FeedListener {
    const criteria = this.#criteria;
    return {
      ...(this.#hasSteps && { onStep: (step: FeedStep) => void this.steps.push(step) }),
      ...(criteria !== undefined && {
        logs: {
          criteria,
          onLogs: (logs: readonly BlockLog[], step: FeedStep) => void this.logs.push({ logs, step }),
        },
      }),
      onEnd: (reason) => void this.ends.push(reason),
    };
  }

  get summary(): string {
    return describeSteps(this.steps);
  }

  /** Fails unless the recorded steps, applied to the chain at the start, result in this chain. */
  check(model: ModelChain, start: string, end: readonly ModelBlock[] | undefined): void {
    if (this.#hasSteps) judgeSteps(this.steps, model.listAncestors(start), end);
    if (this.#criteria !== undefined) judgeLogs(this, this.#criteria, model, start, end);
  }
}

export function describeSteps(steps: readonly FeedStep[]): string {
  return steps.map(({ kind, block }) => `${kind === 'added' ? '+' : '-'}${block.number}`).join(' ');
}

/** @param end expected chain; undefined allows any chain that the steps lead to */
export function judgeSteps(
  steps: readonly FeedStep[],
  start: readonly ModelBlock[],
  end: readonly ModelBlock[] | undefined,
): void {
  const chain = start.map(({ hash }) => hash);
  for (const { kind, block } of steps) {
    if (kind === 'removed') assert.equal(chain.pop(), block.hash, `removed ${block.number}`);
    else {
      if (block.number > 0n) assert.equal(block.parentHash, chain.at(-1), `added ${block.number}`);
      assert.equal(BigInt(chain.length), block.number);
      chain.push(block.hash);
    }
  }
  if (end !== undefined)
    assert.deepEqual(
      chain,
      end.map(({ hash }) => hash),
    );
}

function judgeLogs(
  { logs: heard }: Recorder,
  criteria: LogCriteria,
  model: ModelChain,
  start: string,
  end: readonly ModelBlock[] | undefined,
): void {
  const test = createLogTest(criteria);
  const find = (hash: string): readonly BlockLog[] => model.find(hash)?.logs.filter(test) ?? [];
  const listWithLogs = (blocks: readonly ModelBlock[]): string[] =>
    blocks.map(({ hash }) => hash).filter((hash) => find(hash).length > 0);
  const chain = listWithLogs(model.listAncestors(start));
  for (const { logs, step } of heard) {
    const { hash } = step.block;
    const expected = find(hash).map(({ json }) => json);
    if (step.kind === 'removed') {
      assert.equal(chain.pop(), hash, 'logs of a removed block');
      expected.reverse();
    } else chain.push(hash);
    const texts = expected.map((json) =>
      json.replace('false}', step.kind === 'removed' ? 'true}' : 'false}'),
    );
    assert.deepEqual(
      logs.map(({ json }) => json),
      texts,
    );
    assert.ok(texts.length > 0);
  }
  // Each of these blocks was added after one of its ancestors.
  const last = chain.at(-1);
  if (last !== undefined) assert.deepEqual(chain, listWithLogs(model.listAncestors(last)));
  if (end !== undefined) assert.deepEqual(chain, listWithLogs(end));
}
