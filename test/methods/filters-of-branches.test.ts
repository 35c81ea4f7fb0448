/** Filters polled over several processes that follow the chain at different times: behind, ahead, or on an orphaned branch. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createNetworkFeed } from '../../src/feed/network-feed.ts';
import { countRuns } from '../support/count-runs.ts';
import { MemoryRecords } from '../support/memory-records.ts';
import { ModelChain, modelAddress } from '../support/model-chain.ts';
import { FilterProcess, type Send } from './filter-client.ts';
import { BlocksFollower, LogsFollower } from './filter-follower.ts';

const PROCESSES = 3;
const FIRST_BLOCKS = 10;
/** Few steps per answer, so that filters stop in the middle of a reorg too. */
const LIMITS = { windowBlocks: 8, readSteps: 3, headWaitMs: 5, retryFirstMs: 1, retryMaxMs: 2 };

type Move = { readonly slots: number; readonly block: number };
type Process = { readonly view: ModelChain; readonly ask: Send; readonly close: () => void };

const pick = fc.nat({ max: 1_000 });
/** A new head of the answering process, a number of turns after the poll began or after the previous head. */
const anyMove = fc.record({ slots: fc.nat({ max: 12 }), block: pick });
const anyAction = fc.oneof(
  fc.record({ kind: fc.constant('grow' as const), count: fc.constantFrom(1, 1, 2, 5) }),
  fc.record({
    kind: fc.constant('reorganise' as const),
    removed: fc.constantFrom(1, 1, 2, 3, 5),
    added: fc.constantFrom(1, 2, 3, 6),
  }),
  fc.record({ kind: fc.constant('follow' as const), pick }),
  fc.record({ kind: fc.constant('stray' as const), pick, block: pick }),
  fc.record({
    kind: fc.constant('poll' as const),
    pick,
    moves: fc.oneof(fc.constant([]), fc.array(anyMove, { maxLength: 4 })),
  }),
);

function open(model: ModelChain, records: MemoryRecords): Process {
  const view = new ModelChain(0, model);
  const feed = createNetworkFeed({ chain: view.chain, limits: LIMITS });
  const ask = new FilterProcess({ feed, records }).connect();
  return { view, ask, close: () => feed.close() };
}

test('a filter reports the chain step by step, whichever process answers, on whatever branch it is', async () => {
  const everything = fc.record({
    actions: fc.array(anyAction, { maxLength: 30 }),
    creator: pick,
    address: fc.constantFrom(undefined, modelAddress(1)),
    isSlow: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(everything, async ({ actions, creator, address, isSlow }) => {
      const model = new ModelChain(FIRST_BLOCKS);
      const records = new MemoryRecords();
      const processes = Array.from({ length: PROCESSES }, () => open(model, records));
      const choose = (at: number): Process => processes[at % PROCESSES] as Process;
      if (isSlow) for (const { view } of processes) view.answer = (right) => Promise.resolve().then(right);
      const first = choose(creator);
      const seen = new LogsFollower(address, first.view);
      const hashes = new BlocksFollower(model, first.view.served);
      const move = ({ view }: Process, block: number): void => {
        const { all } = model;
        view.serve((all[block % all.length] ?? model.head).hash).announce();
      };
      const moveDuring = async (process: Process, moves: readonly Move[]): Promise<void> => {
        for (const { slots, block } of moves) {
          for (let turn = 0; turn < slots; turn++) await undefined;
          move(process, block);
        }
      };
      try {
        const id = await first.ask('eth_newFilter', address === undefined ? {} : { address });
        const blocks = await first.ask('eth_newBlockFilter');
        const poll = async ({ ask }: Process): Promise<void> =>
          seen.take(await ask('eth_getFilterChanges', id));
        const pollBlocks = async ({ ask }: Process): Promise<void> =>
          hashes.take(await ask('eth_getFilterChanges', blocks));
        for (const action of actions) {
          if (action.kind === 'grow') model.grow(action.count);
          else if (action.kind === 'reorganise') model.reorganise(action.removed, action.added);
          else if (action.kind === 'poll') {
            const process = choose(action.pick);
            await Promise.all([poll(process), moveDuring(process, action.moves)]);
            await Promise.all([pollBlocks(process), moveDuring(process, action.moves)]);
          } else if (action.kind === 'stray') move(choose(action.pick), action.block);
          else choose(action.pick).view.serve(model.head.hash).announce();
        }
        first.view.serve(model.head.hash).announce();
        const rounds = 4 * model.all.length;
        for (let round = 0; round < rounds; round++) await poll(first);
        assert.deepEqual(seen.logs, seen.list(first.view));
        for (let round = 0; round < rounds; round++) await pollBlocks(first);
        assert.equal(hashes.hashes.at(-1), first.view.head.hash);
      } finally {
        for (const { close } of processes) close();
      }
    }),
    { numRuns: countRuns(200) },
  );
});
