/** Filters in several processes, with a record table that fails at random and nodes that forget orphaned blocks. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { ChainError } from '../../src/chain/errors.ts';
import { createNetworkFeed } from '../../src/feed/network-feed.ts';
import { RemovedRecords } from '../../src/feed/removed-records.ts';
import { RpcError } from '../../src/rpc/errors.ts';
import type { RecordTable } from '../../src/shared-store/records/record-table.ts';
import type { Clock } from '../../src/util/clock.ts';
import { countRuns } from '../support/count-runs.ts';
import { FaultyRecords, type RecordFault } from '../support/faulty-records.ts';
import { MemoryRecordTable } from '../support/memory-record-table.ts';
import { ModelChain, modelAddress } from '../support/model-chain.ts';
import { FilterProcess, type Send } from './filter-client.ts';
import { BlocksFollower, LogsFollower } from './filter-follower.ts';

const PROCESSES = 3;
const FIRST_BLOCKS = 10;
const LIMITS = { windowBlocks: 8, readSteps: 3 };
const RETRY_PAUSES = [0, 0];
/** Longer than a process takes to record that an answer was sent, with a table that fails meanwhile. */
const ANSWER_WAIT_MS = 100;
const SCHEDULER = 20;

/** A clock whose delays are all zero. */
const hastyClock: Clock = {
  now: () => performance.now(),
  schedule(task) {
    const timer = setTimeout(task, 0);
    return () => clearTimeout(timer);
  },
};

/** Reads of removed blocks use a table that fails; writes use one that does not. */
class ReadRecords extends RemovedRecords {
  readonly #read: RemovedRecords;

  constructor(table: RecordTable, readTable: RecordTable) {
    super(table, () => 1n, hastyClock);
    this.#read = new RemovedRecords(readTable, () => 1n, hastyClock);
  }

  override find: RemovedRecords['find'] = (hash, take, ask) => this.#read.find(hash, take, ask);
}

type Process = {
  readonly view: ModelChain;
  readonly records: FaultyRecords;
  readonly removed: FaultyRecords;
  readonly ask: Send;
  readonly close: () => void;
};

/** @param dropped hashes of orphaned blocks that all nodes have forgotten */
function openAll(model: ModelChain, dropped: ReadonlySet<string>): readonly Process[] {
  const table = new MemoryRecordTable();
  return Array.from({ length: PROCESSES }, (): Process => {
    const view = new ModelChain(0, model);
    view.answer = (right, { block }) => {
      const isDropped = block.kind === 'hash' && dropped.has(block.hash);
      return isDropped ? (null as ReturnType<typeof right>) : right();
    };
    const records = new FaultyRecords(table);
    const removed = new FaultyRecords(table);
    const feed = createNetworkFeed({
      chain: view.chain,
      clock: hastyClock,
      limits: LIMITS,
      removed: new ReadRecords(table, removed),
    });
    const ask = new FilterProcess({
      feed,
      records,
      retryPauses: RETRY_PAUSES,
      answerWaitMs: ANSWER_WAIT_MS,
    }).connect();
    return { view, records, removed, ask, close: () => feed.close() };
  });
}

const pick = fc.nat({ max: 1_000 });
/** Faults apply to the operations of one poll, in order. */
const anyPoll = {
  kind: fc.constant('poll' as const),
  pick,
  faults: fc.array(fc.constantFrom<RecordFault>('none', 'unmade', 'unanswered'), { maxLength: 8 }),
  /** Whether reads of removed blocks fail. */
  isBlind: fc.boolean(),
};
const anyAction = fc.oneof(
  fc.record({ kind: fc.constant('grow' as const), count: fc.constantFrom(1, 2, 5) }),
  fc.record({
    kind: fc.constant('reorganise' as const),
    removed: fc.constantFrom(1, 2, 3, 5),
    added: fc.constantFrom(1, 2, 3, 6),
  }),
  fc.record({ kind: fc.constant('follow' as const), pick }),
  fc.record({ kind: fc.constant('drop' as const) }),
  fc.record({ ...anyPoll, follows: fc.boolean() }),
  fc.record({ ...anyPoll, follows: fc.constant(true) }),
);

/** Whether an error allows another poll of the same filter. */
function isTemporary(error: unknown): boolean {
  return (
    (error instanceof RpcError && error.rowName === 'recordsUnavailable') ||
    (error instanceof ChainError && error.kind === 'unavailable')
  );
}

const OTHERS = Array.from({ length: 60 }, (_, i) => `0x${String(i).padStart(40, '9')}`);
/** Filters with the address that their logs must have; the criteria of the last one are in a separate record. */
const FILTERS: readonly { readonly address: string | undefined; readonly filter: object }[] = [
  { address: undefined, filter: {} },
  { address: modelAddress(1), filter: { address: modelAddress(1) } },
  { address: modelAddress(1), filter: { address: [modelAddress(1), ...OTHERS] } },
];

test('temporary failures of the record table end no filter, and a poll that fails loses no items', async () => {
  const everything = fc.record({
    actions: fc.array(anyAction, { maxLength: 40 }),
    meant: fc.constantFrom(...FILTERS),
  });
  await fc.assert(
    fc.asyncProperty(everything, async ({ actions, meant: { address, filter } }) => {
      const model = new ModelChain(FIRST_BLOCKS);
      const dropped = new Set<string>();
      const processes = openAll(model, dropped);
      const first = processes[0] as Process;
      const logs = new LogsFollower(address, first.view);
      const blocks = new BlocksFollower(model, first.view.served);
      try {
        const filters = [
          { id: await first.ask('eth_newFilter', filter), follower: logs },
          { id: await first.ask('eth_newBlockFilter'), follower: blocks },
        ];
        for (const action of actions) {
          if (action.kind === 'grow') model.grow(action.count);
          else if (action.kind === 'reorganise') model.reorganise(action.removed, action.added);
          else if (action.kind === 'drop') {
            // Processes have had time to read the blocks that left their chain.
            for (let turn = 0; turn < SCHEDULER; turn++) await setImmediate();
            for (const { hash } of model.all)
              if (!processes.some(({ view }) => view.serves(hash)) && !model.serves(hash)) dropped.add(hash);
          } else if (action.kind === 'follow')
            processes[action.pick % PROCESSES]?.view.serve(model.head.hash).announce();
          else {
            for (const filter of filters) {
              const process = processes[action.pick % PROCESSES] as Process;
              if (action.follows) process.view.serve(model.head.hash).announce();
              process.records.faults = [...action.faults];
              process.removed.isAway = action.isBlind;
              try {
                filter.follower.take(await process.ask('eth_getFilterChanges', filter.id));
              } catch (error) {
                if (!isTemporary(error)) throw error;
              }
              process.records.faults = [];
              process.removed.isAway = false;
            }
          }
        }
        for (const { view } of processes) view.serve(model.head.hash).announce();
        for (const { id, follower } of filters)
          for (let round = 0; round < 4 * model.all.length; round++)
            follower.take(await first.ask('eth_getFilterChanges', id));
        assert.deepEqual(logs.logs, logs.list(model));
        assert.equal(blocks.hashes.at(-1), model.head.hash);
      } finally {
        for (const { close } of processes) close();
      }
    }),
    { numRuns: countRuns(100) },
  );
});
