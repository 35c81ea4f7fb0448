/** The examples of docs/examples, through reorgs and broken connections. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../../scripts/program-files.ts';
import { waitUntil } from '../support/wait-until.ts';
import { ancestorOf, CONTRACTS } from './chain/fork-chain.ts';
import { CutProxy } from './clients/cut-proxy.ts';
import { type Follower, NO_FAULTS } from './clients/follower.ts';
import { HeadsFollower } from './clients/heads-follower.ts';
import { LogsFollower } from './clients/logs-follower.ts';
import { Stage } from './stage.ts';

const ROUNDS = 6;
const BLOCK_MS = 150;
const COMPLETE_MS = 60_000;

type Handlers = { added(item: object): void; removed(item: object): void };
type Examples = {
  followLogs(url: string, filter: object, start: string, to: Handlers, signal: AbortSignal): Promise<void>;
  followBlocks(url: string, start: string, to: Handlers, signal: AbortSignal): Promise<void>;
};

async function load<K extends keyof Examples>(file: string, name: K): Promise<Examples[K]> {
  const path = join(ROOT, 'docs/examples', file);
  return ((await import(pathToFileURL(path).href)) as Examples)[name];
}

const handlersOf = (check: Follower): Handlers => ({
  added: (item) => check.accept({ ...item, removed: false }),
  removed: (item) => check.accept({ ...item, removed: true }),
});

test('the examples miss nothing across reorgs and broken connections', async () => {
  const followLogs = await load('follow-logs-ethers.mjs', 'followLogs');
  const followBlocks = await load('follow-blocks-viem.mjs', 'followBlocks');
  const stage = await Stage.open('scripted', 5, 0, 1);
  const { chain, service } = stage;
  const proxy = await CutProxy.open(service.programs[0]?.port as number);
  const ending = new AbortController();
  try {
    const url = `ws://127.0.0.1:${proxy.port}/ws${service.path}`;
    const start = ancestorOf(chain.head, 3);
    const address = CONTRACTS[0] as string;
    const logs = new LogsFollower('ethers', { address }, start);
    const blocks = new HeadsFollower('viem', 'afterHash', start);
    const running = [
      followLogs(url, { address }, start.hash, handlersOf(logs), ending.signal),
      followBlocks(url, start.hash, handlersOf(blocks), ending.signal),
    ];
    for (let round = 0; round < ROUNDS; round++) {
      for (let block = 0; block < 4; block++) {
        stage.moveTo(chain.extend(chain.head, 1));
        await sleep(BLOCK_MS);
      }
      proxy.cut(round % 2 === 0 ? 0 : 1_500);
      stage.moveTo(chain.extend(ancestorOf(chain.head, 1 + (round % 5)), 2 + (round % 5)));
      await sleep(BLOCK_MS);
    }
    await waitUntil(() => [logs, blocks].every((check) => check.isAt(chain.head)), COMPLETE_MS);
    ending.abort();
    await Promise.all(running);
    for (const check of [logs, blocks]) {
      check.check(chain.head);
      assert.deepEqual(check.faults, NO_FAULTS, check.complaints.join('\n'));
      assert.ok(check.received > ROUNDS * 4);
    }
  } finally {
    ending.abort();
    await proxy.close();
    await stage.dispose();
  }
});
