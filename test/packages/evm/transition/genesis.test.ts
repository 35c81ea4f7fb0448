/** Genesis files in the format of geth (core/genesis.go, params/config.go). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  activeForks,
  blobParametersAt,
  listForkMembers,
  parseChainConfig,
} from '../../../../packages/ethereum/codecs/chain-config.ts';
import { EMPTY_LIST_HASH } from '../../../../packages/ethereum/primitives/keccak.ts';
import { latestRules, REVISIONS } from '../../../../packages/evm/interpreter/revisions/revisions.ts';
import { parseGenesis } from '../../../../packages/evm/transition/genesis.ts';

const FORKS = {
  homesteadBlock: 0,
  eip150Block: 0,
  eip155Block: 0,
  eip158Block: 0,
  byzantiumBlock: 0,
  constantinopleBlock: 0,
  istanbulBlock: 0,
  berlinBlock: 0,
  londonBlock: 0,
};
const PRAGUE = { ...FORKS, shanghaiTime: 0, cancunTime: 0, pragueTime: 0 };

const headerOf = (genesis: object) => parseGenesis(JSON.stringify(genesis)).header;

test('time-based forks apply to block 0, for any terminal total difficulty', () => {
  for (const terminalTotalDifficulty of [undefined, 0, 131072, 10 ** 15]) {
    const header = headerOf({
      config: { chainId: 1, ...PRAGUE, terminalTotalDifficulty },
      difficulty: '0x20000',
      gasLimit: '0x1',
    });
    assert.equal(header.blobGasUsed, 0n);
    assert.equal(header.withdrawalsRoot?.length, 32);
    assert.equal(header.requestsHash?.length, 32);
  }
  const { londonBlock: _, ...beforeLondon } = PRAGUE;
  assert.equal(headerOf({ config: { chainId: 1, ...beforeLondon } }).withdrawalsRoot, undefined);
});

test('a null field counts as absent', () => {
  const header = headerOf({
    config: { chainId: 1, ...PRAGUE, osakaTime: null, blobSchedule: { bpo1: null } },
    baseFeePerGas: null,
    excessBlobGas: null,
    coinbase: null,
    extraData: null,
    nonce: null,
    alloc: { '01': { balance: '0x1', code: null, storage: null } },
  });
  assert.equal(header.baseFeePerGas, 10n ** 9n);
  assert.equal(header.excessBlobGas, 0n);
  assert.equal(header.extraData.length, 0);
});

test('integers that exceed the size of their field are refused', () => {
  const config = { chainId: 1, ...PRAGUE, osakaTime: 0, amsterdamTime: 0 };
  const address = `0x${'11'.repeat(20)}`;
  const refuse = (genesis: object, reason: string): void => {
    assert.throws(() => headerOf({ config, ...genesis }), { message: `genesis: ${reason}` });
  };
  const [high, higher] = [64, 256].map((bits) => `0x${(2n ** BigInt(bits)).toString(16)}`);
  for (const field of [
    'timestamp',
    'gasLimit',
    'gasUsed',
    'nonce',
    'blobGasUsed',
    'excessBlobGas',
    'slotNumber',
  ])
    refuse({ [field]: high }, `${field} has more than 64 bits`);
  for (const field of ['difficulty', 'baseFeePerGas'])
    refuse({ [field]: higher }, `${field} has more than 256 bits`);
  refuse({ alloc: { [address]: { nonce: high } } }, `nonce of ${address} has more than 64 bits`);
  refuse({ alloc: { [address]: { balance: higher } } }, `balance of ${address} has more than 256 bits`);
  const most = `${2n ** 64n - 1n}`;
  assert.equal(headerOf({ config, slotNumber: most, difficulty: high }).slotNumber, 2n ** 64n - 1n);
});

test('member names are accepted in any case', () => {
  const { config, accounts, header } = parseGenesis(
    JSON.stringify({
      Config: {
        chainID: 7,
        LondonBlock: 0,
        BlobSchedule: { Cancun: { TARGET: 1, Max: 2, BaseFeeUpdateFraction: 3 } },
      },
      GasLimit: '0x5',
      TimeStamp: '0x6',
      Alloc: { '01': { Balance: '0x9' } },
    }),
  );
  assert.equal(config.chainId, 7n);
  assert.deepEqual(config.blockForks, [{ fork: 'london', block: 0n }]);
  assert.deepEqual(config.blobSchedule.get('cancun'), { target: 1n, max: 2n, baseFeeUpdateFraction: 3n });
  assert.equal(header.gasLimit, 5n);
  assert.equal(header.timestamp, 6n);
  assert.equal(accounts[0]?.balance, 9n);
});

test('Petersburg starts with Constantinople by default', () => {
  const at = (number: bigint, config: object) =>
    activeForks(parseChainConfig({ chainId: 1, ...config }), { number, timestamp: 0n, isMerged: false });
  assert.deepEqual(at(5n, { constantinopleBlock: 5 }), ['frontier', 'constantinople', 'petersburg']);
  assert.deepEqual(at(5n, { constantinopleBlock: 5, petersburgBlock: 6 }), ['frontier', 'constantinople']);
  assert.deepEqual(at(4n, { constantinopleBlock: 5 }), ['frontier']);
});

test('listForkMembers makes a chain with that revision as the latest from block 0 on', () => {
  for (const [number, revision] of REVISIONS.entries()) {
    const config = parseChainConfig({ chainId: 1, ...listForkMembers(revision) });
    const isMerged = number >= REVISIONS.indexOf('paris');
    for (const at of [0n, 2n ** 40n]) {
      const forks = activeForks(config, { number: at, timestamp: at, isMerged });
      assert.equal(latestRules(forks).name, revision, `at ${at}`);
    }
  }
});

test('the default gas limit replaces an absent one, and the nonce is parsed as a number', () => {
  const header = headerOf({ config: { chainId: 1 }, nonce: '42' });
  assert.equal(header.gasLimit, 4_712_388n);
  assert.deepEqual([...header.nonce], [0, 0, 0, 0, 0, 0, 0, 42]);
});

const AMSTERDAM = { ...PRAGUE, osakaTime: 0, amsterdamTime: 0 };

test('block 0 of Amsterdam has the hash of an empty access list, and slot 0 by default', () => {
  const header = headerOf({ config: { chainId: 1, ...AMSTERDAM } });
  assert.deepEqual(header.blockAccessListHash, EMPTY_LIST_HASH);
  assert.equal(header.slotNumber, 0n);
  assert.equal(headerOf({ config: { chainId: 1, ...AMSTERDAM }, slotNumber: '0x1234' }).slotNumber, 0x1234n);
  const later = headerOf({ config: { chainId: 1, ...AMSTERDAM, amsterdamTime: 1 }, slotNumber: 5 });
  assert.deepEqual([later.slotNumber, later.blockAccessListHash], [undefined, undefined]);
});

test('time-based forks out of order are refused as by geth, but forks may be left out', () => {
  const parse = (times: object) => parseChainConfig({ chainId: 1, ...FORKS, ...times });
  const { timeForks } = parse({ shanghaiTime: 1, bpo5Time: 2, amsterdamTime: 2 });
  assert.deepEqual(
    timeForks.map(({ fork }) => fork),
    ['shanghai', 'bpo5', 'amsterdam'],
  );
  assert.throws(
    () => parse({ shanghaiTime: 1, bpo5Time: 3, amsterdamTime: 2 }),
    /unsupported fork ordering: bpo5 enabled at timestamp 3, but amsterdam enabled at timestamp 2/,
  );
});

test('an unknown fork is refused by its name, unless it is null', () => {
  const parse = (times: object) => parseChainConfig({ chainId: 1, ...FORKS, ...times });
  assert.throws(() => parse({ bogotaTime: 0 }), {
    name: 'RangeError',
    message:
      'genesis config: bogotaTime activates a fork that this version does not know; the last one that it knows is amsterdamTime',
  });
  assert.doesNotThrow(() => parse({ bogotaTime: null, verkleBlock: 1 }));
});

test('Amsterdam inherits the blob schedule in force, and its own entry is ignored', () => {
  const blobSchedule = {
    bpo1: { target: 10, max: 15, baseFeeUpdateFraction: 1 },
    amsterdam: { target: 1, max: 1, baseFeeUpdateFraction: 1 },
  };
  const point = { number: 1n, timestamp: 1n, isMerged: true };
  for (const [bpo1Time, max] of [
    [0, 15n],
    [undefined, 9n],
  ] as const) {
    const config = parseChainConfig({ chainId: 1, ...AMSTERDAM, bpo1Time, blobSchedule });
    assert.equal(blobParametersAt(config, activeForks(config, point))?.max, max);
  }
});
