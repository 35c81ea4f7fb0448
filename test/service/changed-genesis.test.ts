/** A genesis file that changes between two imports into one store: forks above the head are taken over, other changes are refused. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Block, encodeBlock } from '../../packages/ethereum/codecs/block.ts';
import { concatBytes } from '../../packages/ethereum/primitives/bytes.ts';
import { MAIN } from '../../scripts/program-files.ts';
import { openChainReader } from '../../src/chains/embedded/store/chain-reader.ts';
import { type ImportSummary, importChain } from '../../src/service/import.ts';
import { SILENT_PROGRESS } from '../../src/service/import-progress.ts';
import { ChainBuilder } from '../support/chain-builder.ts';
import { makeTemporaryFolder } from '../support/embedded.ts';
import { createGenesis } from '../support/test-chain.ts';
import { waitUntil } from '../support/wait-until.ts';

const GENESIS_TIME = 0x65000000;
/** Blocks 1 to 5 are of Shanghai, block 6 is the first one of Cancun. */
const HEAD = 5;
const HEAD_TIME = GENESIS_TIME + 12 * HEAD;
const FORK_TIME = HEAD_TIME + 12;
const SCHEDULE = { cancun: { target: 2, max: 4, baseFeeUpdateFraction: 3338477 } };

type Members = Readonly<Record<string, unknown>>;

/** Returns the genesis file of the chain with other members of `config`; a member with the value null is absent. */
function genesisWith(members: Members = {}): string {
  const genesis = JSON.parse(createGenesis({ revision: 'shanghai' })) as { config: Members };
  return JSON.stringify({ ...genesis, config: { ...genesis.config, ...members } });
}

describe('a changed genesis file', () => {
  const folder = makeTemporaryFolder();
  let files = 0;
  let blocks: readonly Block[] = [];
  before(async () => {
    const builder = new ChainBuilder(genesisWith({ cancunTime: FORK_TIME, blobSchedule: SCHEDULE }));
    for (let number = 1; number <= HEAD + 2; number++) await builder.add();
    ({ blocks } = builder);
  });
  after(() => folder.remove());

  const write = (content: string | Uint8Array): string => {
    const path = join(folder.path, `file${files++}`);
    writeFileSync(path, content);
    return path;
  };
  const importInto = (data: string, members: Members, last: number): Promise<ImportSummary> => {
    const encoded = write(concatBytes(...blocks.slice(0, last).map(encodeBlock)));
    const genesis = write(genesisWith(members));
    return importChain({ genesis, blocks: encoded, data, seal: 'ethash-format' }, SILENT_PROGRESS);
  };
  /** Imports the blocks of Shanghai into a new store. */
  const importFirst = async (members: Members = {}): Promise<string> => {
    const data = join(folder.path, `store${files++}`);
    assert.equal((await importInto(data, members, HEAD)).imported, HEAD);
    return data;
  };

  /** Runs the command in a process of its own, as beside a service that has the store open. */
  const runImport = (data: string, members: Members, last: number): { stdout: string; stderr: string } => {
    const encoded = write(concatBytes(...blocks.slice(0, last).map(encodeBlock)));
    const files = ['--genesis', write(genesisWith(members)), '--blocks', encoded, '--data', data];
    const { stdout, stderr, status } = spawnSync(process.execPath, [MAIN, 'import', ...files], {
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
    return { stdout, stderr };
  };

  test('brings the chain over a fork, also for a reader that has the store open', async () => {
    const data = await importFirst();
    const reader = openChainReader(data);
    assert.equal(reader.config.timeForks.at(-1)?.fork, 'shanghai');
    const members = { cancunTime: FORK_TIME, blobSchedule: SCHEDULE };
    const { stderr } = runImport(data, members, HEAD);
    assert.match(
      stderr,
      new RegExp(`^chain configuration changed: cancunTime is ${FORK_TIME} .was absent.$`, 'm'),
    );
    assert.match(
      stderr,
      /^chain configuration changed: blobSchedule\.cancun is target 2, max 4, .+target 3/m,
    );
    const { stdout, stderr: silent } = runImport(data, members, HEAD + 2);
    assert.match(stdout, /^imported 2 blocks; head is block 7 /);
    assert.doesNotMatch(silent, /changed/);
    await waitUntil(() => reader.getHeader(BigInt(HEAD + 1)) !== undefined);
    assert.deepEqual(reader.config.timeForks.at(-1), { fork: 'cancun', time: BigInt(FORK_TIME) });
    assert.equal(reader.config.blobSchedule.get('cancun')?.max, 4n);
    await reader.close();
  });

  test('still refuses a block of the fork without the fork', async () => {
    const data = await importFirst();
    await assert.rejects(importInto(data, {}, HEAD + 1), /block 6: unexpected/);
  });

  const TAKEN: readonly (readonly [name: string, first: Members, second: Members])[] = [
    ['a fork by time right after the head', {}, { cancunTime: HEAD_TIME + 1 }],
    ['a fork by time that moves', { cancunTime: FORK_TIME }, { cancunTime: FORK_TIME + 100 }],
    ['a fork by time that goes away', { cancunTime: FORK_TIME }, {}],
    ['a fork by block right after the head', {}, { grayGlacierBlock: HEAD + 1 }],
    ['blobs of a fork that is not active', {}, { blobSchedule: SCHEDULE }],
    ['the deposit contract before Prague', {}, { depositContractAddress: `0x${'11'.repeat(20)}` }],
    ['a terminal total difficulty of 0', { terminalTotalDifficulty: null }, { terminalTotalDifficulty: 0 }],
    ['a member without rules', {}, { ethash: {} }],
  ];
  for (const [name, first, second] of TAKEN) {
    test(`takes over ${name}`, async () => {
      const data = await importFirst(first);
      await importInto(data, second, HEAD);
      const reader = openChainReader(data);
      const wanted = JSON.parse(genesisWith(second)) as { config: { terminalTotalDifficulty: number } };
      const { terminalTotalDifficulty } = wanted.config;
      const expected = { ...wanted.config, terminalTotalDifficulty: `${terminalTotalDifficulty}` };
      assert.deepEqual(JSON.parse(reader.configText), expected);
      await reader.close();
    });
  }

  const CANCUN = { cancunTime: GENESIS_TIME + 1 };
  const REFUSED: readonly (readonly [name: string, second: Members, message: RegExp])[] = [
    [
      'a fork by time at the head',
      { cancunTime: HEAD_TIME },
      new RegExp(
        `: refused: .+: cancunTime is ${HEAD_TIME} in the genesis file, but absent in the store, whose blocks up to 5 .+new folder$`,
      ),
    ],
    ['a fork by time before the head', CANCUN, /: cancunTime is \d+ in the genesis file, but absent/],
    ['a fork by block at the head', { grayGlacierBlock: HEAD }, /: grayGlacierBlock is 5 .+ but absent/],
    [
      'a stored fork by block that moves',
      { berlinBlock: HEAD + 1 },
      /: berlinBlock is 6 .+ but 0 in the store/,
    ],
    ['another chain id', { chainId: 4242 }, /: chainId is 4242 in the genesis file, but 1337 in the store/],
    ['another merge', { terminalTotalDifficulty: 7 }, /: terminalTotalDifficulty is 7 .+ but 0 in the store/],
  ];
  for (const [name, second, message] of REFUSED) {
    test(`refuses ${name}, and leaves the store as it is`, async () => {
      const data = await importFirst();
      await assert.rejects(importInto(data, second, HEAD), message);
      const reader = openChainReader(data);
      assert.equal(reader.config.chainId, 1337n);
      assert.equal(reader.config.timeForks.at(-1)?.fork, 'shanghai');
      await reader.close();
    });
  }

  test('refuses another schedule of blobs for stored blocks', async () => {
    const data = join(folder.path, `store${files++}`);
    await importInto(data, { cancunTime: FORK_TIME, blobSchedule: SCHEDULE }, HEAD + 2);
    await assert.rejects(
      importInto(data, { cancunTime: FORK_TIME }, HEAD + 2),
      /: blobSchedule\.cancun is target 3, max 6, .+ but target 2, max 4/,
    );
  });
});
