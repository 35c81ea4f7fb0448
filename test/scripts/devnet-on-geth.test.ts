/** The devnet's Amsterdam blocks, built again on a chain that is merged from genesis: a real geth imports them. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { encodeBlock } from '../../packages/ethereum/codecs/block.ts';
import { concatBytes, EMPTY_BYTES } from '../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import { deployCode } from '../../scripts/assembler.ts';
import { ALICE, BOB, DAVE, ERIN, PIONEER } from '../../scripts/chains/accounts.ts';
import {
  approveToken,
  create,
  deployHelpersAndSpreadTokens,
  deployTokenAndReverter,
  TOKEN,
} from '../../scripts/chains/actions.ts';
import { DELEGATE } from '../../scripts/chains/addresses.ts';
import { type BlockPlan, ChainBuilder } from '../../scripts/chains/chain-builder.ts';
import { DEVNET_FEES } from '../../scripts/chains/devnet.ts';
import { AMSTERDAM_BLOCKS } from '../../scripts/chains/devnet-amsterdam.ts';
import { BLOB_SCHEDULE, renderDevnetGenesis } from '../../scripts/chains/devnet-genesis.ts';
import { setCode } from '../../scripts/chains/devnet-prague.ts';
import { FACTORY_INIT_CODE } from '../../scripts/contracts/factory.ts';
import { LOGGER_RUNTIME } from '../../scripts/contracts/logger.ts';
import { LONDON_AT_GENESIS } from '../../src/embedding/development-genesis.ts';
import { GETH_SKIP, installGeth } from '../geth/node/geth-program.ts';
import { makeTemporaryFolder } from '../support/embedded.ts';

const GETH_MS = 120_000;
const START = 1_700_000_000n;
const timestampOf = (number: bigint): bigint => START + 12n * number;
const BENEFICIARY = new Uint8Array(20).fill(7);

/** Contents of the devnet before Amsterdam, as far as its later blocks need them. */
const EARLIER: readonly BlockPlan[] = [
  { shows: 'token and reverter', transactions: deployTokenAndReverter() },
  { shows: 'helpers', transactions: deployHelpersAndSpreadTokens() },
  {
    shows: 'logger, factory and an allowance',
    transactions: [
      create(PIONEER, deployCode(LOGGER_RUNTIME)),
      create(PIONEER, FACTORY_INIT_CODE),
      approveToken(DAVE, ALICE.address, 5n * TOKEN),
    ],
  },
  {
    shows: 'a delegation',
    transactions: [setCode(ALICE, BOB.address, { authority: ERIN, address: DELEGATE })],
  },
];

/** Genesis with the devnet's accounts, the rules of BPO2, and those of Amsterdam after the blocks above. */
function renderGenesis(): string {
  const { config, alloc, ...header } = JSON.parse(renderDevnetGenesis()) as {
    config: Record<string, unknown>;
    alloc: Record<string, { storage?: Record<string, string> }>;
  };
  for (const account of Object.values(alloc)) {
    const { storage = {} } = account;
    // geth requires slots of 32 bytes.
    const slots = Object.entries(storage).map(([slot, value]) => [
      `0x${slot.slice(2).padStart(64, '0')}`,
      value,
    ]);
    account.storage = Object.fromEntries(slots);
  }
  const times = ['shanghai', 'cancun', 'prague', 'osaka', 'bpo1', 'bpo2'].map((fork) => [`${fork}Time`, 0]);
  return JSON.stringify({
    ...header,
    nonce: '0x0',
    difficulty: '0x0',
    gasLimit: '0x1c9c380',
    config: {
      ...LONDON_AT_GENESIS,
      ...Object.fromEntries(times),
      amsterdamTime: Number(timestampOf(BigInt(EARLIER.length + 1))),
      chainId: config['chainId'],
      depositContractAddress: config['depositContractAddress'],
      blobSchedule: BLOB_SCHEDULE,
    },
    alloc,
  });
}

test('geth imports the blocks, and has the same head', { skip: GETH_SKIP }, async (t) => {
  const folder = makeTemporaryFolder();
  t.after(() => folder.remove());
  const [genesis, blocks] = [join(folder.path, 'genesis.json'), join(folder.path, 'blocks.rlp')];
  writeFileSync(genesis, renderGenesis());
  const builder = new ChainBuilder(renderGenesis(), {
    fees: DEVNET_FEES,
    headerOf: (number) => ({
      timestamp: timestampOf(number),
      beneficiary: BENEFICIARY,
      extraData: EMPTY_BYTES,
    }),
  });
  for (const plan of [...EARLIER, ...AMSTERDAM_BLOCKS]) await builder.append(plan);
  writeFileSync(blocks, concatBytes(...builder.chain.slice(1).map(({ block }) => encodeBlock(block))));
  const geth = (...args: readonly string[]): string => {
    const options = ['--datadir', join(folder.path, 'geth'), '--verbosity', '3'];
    const { status, stdout, stderr } = spawnSync(installGeth(), [...options, ...args], {
      encoding: 'utf8',
      timeout: GETH_MS,
    });
    assert.equal(status, 0, stderr);
    return stdout + stderr;
  };
  geth('init', genesis);
  const imported = /Imported new chain segment +number=(\d+) hash=(\w{6})\.\.(\w{6}) /.exec(
    geth('import', blocks),
  );
  const hash = bytesToHex(builder.chain.at(-1)?.hash as Uint8Array);
  const number = EARLIER.length + AMSTERDAM_BLOCKS.length;
  assert.deepEqual(imported?.slice(1), [String(number), hash.slice(2, 8), hash.slice(-6)]);
});
