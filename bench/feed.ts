/**
 * Cost of a network's feed alone, over an in-memory chain: CPU time per notification for 1,000 and 5,000 listeners to headers and to logs, and the
 * time to match the logs of one block against 5,000 different criteria. BLOCKS (40). Listeners do nothing.
 */
import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BlockLog } from '../src/chain/chain.ts';
import { CriteriaIndex } from '../src/feed/criteria-index.ts';
import type { FeedListener, LogCriteria } from '../src/feed/feed.ts';
import { createNetworkFeed } from '../src/feed/network-feed.ts';
import { RequestScope } from '../src/util/request-scope.ts';
import { createFakeChain } from '../test/support/fake-chain.ts';
import { modelAddress, modelTopic } from '../test/support/model-chain.ts';
import { concludeWith, type Figure } from './support/figures.ts';

const BLOCKS = Number(process.env['BLOCKS'] ?? 40);
const LOGS_A_BLOCK = 500;
const CRITERIA = 5_000;
const LISTENERS = [1_000, 5_000] as const;
const MAX_EVALUATION_MS = 5;
const HASH_DIGITS = 64;
/** Padding that makes a header as long as one of mainnet. */
const HEADER_FILL = 'f'.repeat(1_200);

const hashOf = (number: number): string => `0x${number.toString(16).padStart(HASH_DIGITS, '0')}`;

/** Makes token transfers: few contracts, one event, and senders that rarely repeat. */
function makeLogs(block: number): BlockLog[] {
  return Array.from({ length: LOGS_A_BLOCK }, (_, index) => {
    const address = modelAddress(index % 40);
    const topics = [modelTopic(1), modelTopic(block * LOGS_A_BLOCK + index), modelTopic(index)];
    return { address, topics, json: JSON.stringify({ address, topics, data: HEADER_FILL, removed: false }) };
  });
}

/** Creates a chain whose head advances by one block per `grow`. */
function createChain(): {
  grow: () => void;
  readonly chain: Parameters<typeof createNetworkFeed>[0]['chain'];
} {
  let head = 1;
  let listeners: (() => void)[] = [];
  const logs = new Map(Array.from({ length: BLOCKS * 4 }, (_, block) => [hashOf(block), makeLogs(block)]));
  const encode = (number: number): string =>
    JSON.stringify({
      number: `0x${number.toString(16)}`,
      hash: hashOf(number),
      parentHash: hashOf(number - 1),
      fill: HEADER_FILL,
    });
  const chain = createFakeChain({
    heads: {
      get served() {
        return { number: BigInt(head), hash: hashOf(head) };
      },
      watch: (listener) => {
        listeners = [...listeners, listener];
        return () => {};
      },
    },
    blocks: {
      getHeaderObject: (block) =>
        encode(
          Number(block.kind === 'number' ? block.number : BigInt(block.kind === 'hash' ? block.hash : head)),
        ),
    },
    logs: { getBlockLogs: (hash) => logs.get(hash) ?? [] },
  });
  const grow = (): void => {
    head++;
    for (const listener of listeners) listener();
  };
  return { chain, grow };
}

/** Returns the CPU time per notification, microseconds. */
async function measure(
  count: number,
  makeListener: (index: number, hear: () => void) => FeedListener,
): Promise<number> {
  const { chain, grow } = createChain();
  const feed = createNetworkFeed({ chain });
  let heard = 0;
  for (let index = 0; index < count; index++) {
    const listener = makeListener(index, () => heard++);
    await feed.join({ kind: 'head' }, listener, new RequestScope(performance.now() + 60_000));
  }
  const growBy = async (blocks: number): Promise<void> => {
    for (let block = 0; block < blocks; block++) {
      const before = heard;
      grow();
      while (heard < before + count) await nextTurn();
    }
  };
  await growBy(BLOCKS);
  const startedAt = process.cpuUsage();
  await growBy(BLOCKS);
  const { user, system } = process.cpuUsage(startedAt);
  feed.close();
  return (user + system) / (count * BLOCKS);
}

const ANY: LogCriteria = { addresses: [], topics: [] };
const ignore = (): void => {};

/** Returns the milliseconds to match the logs of a block against distinct criteria. */
function measureCriteria(make: (index: number) => LogCriteria): number {
  const index = new CriteriaIndex();
  for (let at = 0; at < CRITERIA; at++) index.use(make(at));
  const times = Array.from({ length: BLOCKS }, (_, block) => {
    const logs = makeLogs(block);
    const startedAt = performance.now();
    index.evaluate(logs);
    return performance.now() - startedAt;
  });
  // Other load on the machine only adds time, so the minimum counts.
  return Math.min(...times);
}

const KINDS: Readonly<Record<string, (index: number) => LogCriteria>> = {
  'of one contract and event, by sender': (at) => ({
    addresses: [modelAddress(1)],
    topics: [[modelTopic(1)], [modelTopic(at)]],
  }),
  'by contract': (at) => ({ addresses: [modelAddress(at)], topics: [] }),
  'by receiver': (at) => ({ addresses: [], topics: [[modelTopic(1)], [], [modelTopic(at)]] }),
  'of 100 contracts each': (at) => ({
    addresses: Array.from({ length: 100 }, (_, other) => modelAddress(at * 100 + other)),
    topics: [[modelTopic(1)]],
  }),
};

const figures: Figure[] = [];
for (const count of LISTENERS) {
  const headers = await measure(count, (_, hear) => ({ onStep: hear, onEnd: ignore }));
  figures.push({ name: `header to ${count}`, value: headers, unit: ' us', digits: 3 });
  const logs = await measure(count, (_, hear) => ({ logs: { criteria: ANY, onLogs: hear }, onEnd: ignore }));
  figures.push({ name: `logs to ${count}`, value: logs, unit: ' us', digits: 3 });
  const different = await measure(count, (at, hear) => ({
    onStep: hear,
    logs: { criteria: { addresses: [modelAddress(at)], topics: [] }, onLogs: ignore },
    onEnd: ignore,
  }));
  figures.push({ name: `step with other logs each to ${count}`, value: different, unit: ' us', digits: 3 });
}
for (const [name, make] of Object.entries(KINDS)) {
  const value = measureCriteria(make);
  figures.push({ name: `${CRITERIA} criteria ${name}`, value, unit: ' ms', below: MAX_EVALUATION_MS });
}
console.log(`CPU time of the feed alone, ${LOGS_A_BLOCK} logs a block`);
concludeWith(figures);
