import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HeaderView } from '../../src/chain/chain.ts';
import { ChainError } from '../../src/chain/errors.ts';
import type { CallRequest } from '../../src/chain/requests.ts';
import { linea } from '../../src/rollup/families/linea.ts';
import type { RollupInfo, RollupSources } from '../../src/rollup/rollup-family.ts';
import {
  createScriptedChain,
  makeHeader,
  makeSources,
  PINNED_HASH,
  SCOPE,
  type Script,
} from './scripted-chain.ts';

const SERVICE = '0x508ca82df566dcd1b0de8296e70a96332cd644ec';

function at(number: bigint): HeaderView {
  return makeHeader({ number });
}

function read(script: Script, options: Partial<RollupSources> = {}): Promise<RollupInfo> {
  const { chain } = createScriptedChain(script);
  return linea.create(makeSources(chain, { mode: 'sequencer', ...options })).info(SCOPE);
}

test('info has all fields if all sources are known', async () => {
  const l1 = createScriptedChain({
    headers: { latest: makeHeader({ number: 16_131_692n, timestamp: 1_670_402_841n }) },
  }).chain;
  const calls: CallRequest[] = [];
  const script: Script = {
    headers: { latest: at(100n), finalized: at(90n) },
    requests: { eth_syncing: 'false' },
    call: (request) => {
      calls.push(request);
      return `"0x${'0'.repeat(59)}3771b"`;
    },
  };
  assert.deepEqual(await read(script, { l1: l1.blocks, messageService: SERVICE }), {
    mode: 'sequencer',
    syncing: false,
    ethContext: { blockNumber: 16_131_692n, timestamp: 1_670_402_841n },
    rollupContext: { queueIndex: 227_099n, index: 99n, verifiedIndex: 89n },
  });
  assert.deepEqual(calls, [
    {
      call: { to: SERVICE, data: '0x9340a1d1' },
      block: { kind: 'hash', hash: PINNED_HASH, requireCanonical: false },
    },
  ]);
});

test('info has only the index if only the head is known', async () => {
  const { chain } = createScriptedChain({ headers: { latest: at(5n) } });
  assert.deepEqual(await linea.create(makeSources(chain)).info(SCOPE), {
    mode: 'verifier',
    syncing: false,
    ethContext: { blockNumber: 0n, timestamp: 0n },
    rollupContext: { queueIndex: 0n, index: 4n, verifiedIndex: 0n },
  });
});

test('indices are 0 at genesis', async () => {
  const { rollupContext } = await read({ headers: { latest: at(0n), finalized: at(0n) } });
  assert.deepEqual(rollupContext, { queueIndex: 0n, index: 0n, verifiedIndex: 0n });
});

test('the verified index does not exceed the index of the head, even if the finalized block does', async () => {
  const { rollupContext } = await read({ headers: { latest: at(7n), finalized: at(9n) } });
  assert.equal(rollupContext.index, 6n);
  assert.equal(rollupContext.verifiedIndex, 6n);
});

test('syncing: is true if the node reports progress', async () => {
  const headers = { latest: at(1n) };
  const progress = '{"startingBlock":"0x0","currentBlock":"0x1","highestBlock":"0x9"}';
  assert.equal((await read({ headers, requests: { eth_syncing: progress } })).syncing, true);
});

test('info of an empty chain is refused', async () => {
  await assert.rejects(read({}), new ChainError('failed', 'header not found'));
});

test('an empty layer 1 counts as absent', async () => {
  const l1 = createScriptedChain({}).chain.blocks;
  const { ethContext } = await read({ headers: { latest: at(1n) } }, { l1 });
  assert.deepEqual(ethContext, { blockNumber: 0n, timestamp: 0n });
});

test('queue index: a contract without lastAnchoredL1MessageNumber() is an error', async () => {
  const headers = { latest: at(1n) };
  const options = { messageService: SERVICE };
  const failure = new ChainError(
    'misconfigured',
    `the message service ${SERVICE} has no lastAnchoredL1MessageNumber()`,
  );
  const revert = (): never => {
    throw new ChainError('reverted', 'execution reverted', '0x');
  };
  await assert.rejects(read({ headers, call: revert }, options), failure);
  for (const short of ['"0x"', '"0x01"']) {
    await assert.rejects(read({ headers, call: () => short }, options), failure);
  }
});

test('queue index: the error busy of the chain is returned unchanged', async () => {
  const busy = new ChainError('busy', 'executions.waiting');
  const call = (): never => {
    throw busy;
  };
  await assert.rejects(
    read({ headers: { latest: at(1n) }, call }, { messageService: SERVICE }),
    (error) => error === busy,
  );
});
