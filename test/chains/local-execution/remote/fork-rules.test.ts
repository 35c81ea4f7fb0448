import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { listForkMembers, parseChainConfig } from '../../../../packages/ethereum/codecs/chain-config.ts';
import { BLANK_HEADER, type Header } from '../../../../packages/ethereum/codecs/header.ts';
import { FetchedRules } from '../../../../src/chains/local-execution/remote/fetched-rules.ts';
import { ForkRules } from '../../../../src/chains/local-execution/remote/fork-rules.ts';
import { findKnownChain } from '../../../../src/chains/local-execution/remote/known-chains.ts';
import type { NodeRequest, StateReply } from '../../../../src/chains/local-execution/remote/state-source.ts';
import { RequestScope } from '../../../../src/util/request-scope.ts';
import { createRecordingLog, type RecordingLog } from '../../../gateway/recording-log.ts';
import { GETH_SKIP, installGeth } from '../../../geth/node/geth-program.ts';

const CANCUN = {
  baseFeePerGas: 1n,
  withdrawalsRoot: new Uint8Array(32),
  blobGasUsed: 0n,
  excessBlobGas: 0n,
  parentBeaconBlockRoot: new Uint8Array(32),
};
const PRAGUE = { ...CANCUN, requestsHash: new Uint8Array(32) };
const AMSTERDAM = { ...PRAGUE, blockAccessListHash: new Uint8Array(32), slotNumber: 1n };

const headerAt = (timestamp: number, fields: Partial<Header> = PRAGUE): Header => ({
  ...BLANK_HEADER,
  number: 100n,
  timestamp: BigInt(timestamp),
  ...fields,
});

/** An eth_config result with the first `precompiles` of the precompiles, in the order of their addresses. */
const tell = (precompiles: number, activationTime: number, next?: number): object => {
  const addresses = Array.from({ length: precompiles }, (_, i) => (i < 17 ? i + 1 : 0x100));
  const current = {
    activationTime,
    blobSchedule: { target: 3, max: 5, baseFeeUpdateFraction: 7 },
    precompiles: Object.fromEntries(
      addresses.map((at) => [`P${at}`, `0x${at.toString(16).padStart(40, '0')}`]),
    ),
  };
  return { current, next: next === undefined ? null : { activationTime: next } };
};

const latestFork = (rules: ForkRules, header: Header): string | undefined => {
  const config = rules.find(header)?.config;
  return config?.timeForks.findLast(({ time }) => time <= header.timestamp)?.fork;
};

const HOUR_MS = 3_600_000;
const PLACE = { number: 100n, hash: `0x${'1'.repeat(64)}` };

/** Nodes that report rules, with a clock set by the test. */
class Tellers {
  readonly rules = new ForkRules(77n, undefined);
  readonly log: RecordingLog = createRecordingLog();
  answers: readonly object[];
  requested = 0;
  now = 0;
  readonly #requesting: FetchedRules;

  constructor(...answers: readonly object[]) {
    this.answers = answers;
    const { rules, log } = this;
    this.#requesting = new FetchedRules({
      source: { survey: (request) => this.#survey(request) },
      rules,
      network: 'n',
      log,
      onFault: (fault) => assert.fail(String(fault)),
      now: () => this.now,
    });
  }

  async *#survey({ method }: NodeRequest): AsyncGenerator<StateReply> {
    assert.equal(method, 'eth_config');
    for (const [i, answer] of this.answers.entries()) {
      this.requested++;
      yield { node: { name: `${i}` }, answer: JSON.stringify(answer) };
    }
  }

  /** @returns whether the caller waited */
  async learn(timestamp: number): Promise<boolean> {
    const learning = this.#requesting.learn(BigInt(timestamp), PLACE, new RequestScope(HOUR_MS));
    await learning;
    // Work that nothing waits for ends within this turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    return learning !== undefined;
  }
}

describe('FetchedRules', () => {
  test('requests the rules once, and again after an hour without delaying a call', async () => {
    const tellers = new Tellers(tell(18, 100), tell(18, 100), tell(18, 100));
    assert.deepEqual([await tellers.learn(150), await tellers.learn(150)], [true, false]);
    assert.equal(tellers.requested, 2);
    tellers.answers = [tell(18, 100, 300), tell(18, 100, 300)];
    tellers.now = HOUR_MS - 1;
    assert.equal(await tellers.learn(200), false);
    assert.ok(!tellers.rules.needsTelling(300n));
    tellers.now = HOUR_MS;
    assert.equal(await tellers.learn(200), false);
    assert.equal(tellers.requested, 4);
    assert.ok(tellers.rules.needsTelling(300n));
    assert.deepEqual([tellers.log.lines.length, await tellers.learn(200), tellers.requested], [1, false, 4]);
    assert.match(tellers.log.lines[0] ?? '', /other chain rules than before/);
    tellers.answers = [tell(19, 300), tell(19, 300)];
    assert.equal(await tellers.learn(300), true);
  });

  test('logs a contradiction of the agreed rules, but retains them; missing answers change nothing', async () => {
    const tellers = new Tellers(tell(18, 100), tell(18, 100));
    await tellers.learn(150);
    for (const answers of [[], [tell(18, 100)], [tell(17, 100), tell(18, 100)]]) {
      tellers.answers = answers;
      tellers.now += HOUR_MS;
      assert.equal(await tellers.learn(150), false);
      assert.ok(!tellers.rules.needsTelling(1n << 40n));
      assert.equal(latestFork(tellers.rules, headerAt(150)), 'osaka');
    }
    assert.equal(tellers.requested, 5);
    assert.equal(tellers.log.lines.length, 1);
    assert.match(
      tellers.log.lines[0] ?? '',
      /"warn".*a node reports chain rules \(eth_config\) that differ from the agreed ones/,
    );
  });

  test('waits for a minute after nodes did not agree', async () => {
    const tellers = new Tellers(tell(18, 100));
    assert.deepEqual([await tellers.learn(150), await tellers.learn(150)], [true, false]);
    tellers.now = 60_000;
    assert.equal(await tellers.learn(150), true);
    assert.equal(tellers.requested, 2);
  });
});

describe('fork rules', () => {
  test('reported rules hold from the activation of their fork up to the next fork', () => {
    const rules = new ForkRules(77n, undefined);
    assert.equal(rules.find(headerAt(50))?.config, undefined);
    assert.ok(rules.needsTelling(0n));
    rules.note([tell(18, 100, 200), tell(18, 100, 200)]);
    assert.ok(!rules.needsTelling(150n));
    assert.equal(latestFork(rules, headerAt(150)), 'osaka');
    assert.equal(rules.find(headerAt(99))?.config, undefined);
    assert.equal(rules.find(headerAt(200))?.config, undefined);
    assert.ok(rules.needsTelling(200n));
    const blobs = rules.find(headerAt(150))?.config?.blobSchedule.get('osaka');
    assert.deepEqual(blobs, { target: 3n, max: 5n, baseFeeUpdateFraction: 7n });
  });

  test('precompiles and the fields of the header determine the fork', () => {
    const rules = new ForkRules(77n, undefined);
    rules.note([tell(18, 0)]);
    assert.equal(latestFork(rules, headerAt(1)), 'osaka');
    assert.equal(latestFork(rules, headerAt(1, AMSTERDAM)), 'amsterdam');
    assert.equal(rules.find(headerAt(1, CANCUN))?.config, undefined);
    rules.note([tell(17, 0)]);
    assert.equal(latestFork(rules, headerAt(1)), 'prague');
    rules.note([tell(10, 0)]);
    assert.equal(latestFork(rules, headerAt(1, CANCUN)), 'cancun');
    assert.equal(rules.find(headerAt(1))?.config, undefined);
    rules.note([tell(16, 0)]);
    assert.equal(rules.find(headerAt(1))?.config, undefined);
  });

  test('a node does not move a known chain to an earlier fork', () => {
    const osaka = headerAt(1_770_000_000);
    const rules = new ForkRules(1n, undefined);
    const known = rules.find(osaka)?.config;
    rules.note([tell(17, 0)]);
    assert.equal(rules.find(osaka)?.config, known);
    rules.note([tell(18, 0)]);
    assert.deepEqual(rules.find(osaka)?.config?.blobSchedule.get('osaka')?.target, 3n);
    assert.equal(latestFork(rules, headerAt(1_800_000_000, AMSTERDAM)), 'amsterdam');
  });

  test('rules of one node are unverifiable, equal ones of two are verified, and contradictory ones are not used', () => {
    const rules = new ForkRules(77n, undefined);
    const why = (): string | undefined => rules.find(headerAt(150))?.whyUnverifiable;
    const mayBe = (): string | undefined => latestFork(rules, headerAt(150));
    assert.ok(!rules.note([tell(18, 100)]));
    assert.match(why() ?? '', /only one node reports the rules of the chain/);
    assert.ok(rules.needsTelling(150n));
    assert.ok(!rules.note([tell(18, 100), tell(17, 100)]));
    assert.equal(mayBe(), undefined);
    assert.ok(rules.note([tell(17, 100), tell(18, 100), tell(18, 100)]));
    assert.deepEqual([mayBe(), why()], ['osaka', undefined]);
    assert.ok(!rules.needsTelling(150n));
    // The blob schedule differs in one number.
    const other = JSON.parse(JSON.stringify(tell(18, 100)).replace('"target":3', '"target":4')) as object;
    assert.ok(!rules.note([tell(18, 100), other]));
    assert.ok(!rules.note([tell(18, 100), tell(18, 100, 200)]));
    assert.ok(rules.note([undefined, tell(18, 100), {}, tell(18, 100)]));
    // Empty replies change nothing.
    assert.ok(!rules.note([null, {}]));
    assert.equal(mayBe(), 'osaka');
  });

  test('agreed rules hold until two nodes agree on others, but not beyond a fork that one node reports', () => {
    const rules = new ForkRules(77n, undefined);
    rules.note([tell(18, 100), tell(18, 100)]);
    const holdsAt = (timestamp: number): boolean => !rules.needsTelling(BigInt(timestamp));
    assert.equal(rules.review([null, {}]), undefined);
    assert.equal(rules.review([tell(18, 100)]), undefined);
    assert.equal(rules.review([tell(18, 100), tell(18, 100)]), 'same');
    assert.ok(holdsAt(500));
    assert.equal(rules.review([tell(18, 100), tell(18, 100, 300)]), 'contradicted');
    assert.deepEqual([holdsAt(299), holdsAt(300)], [true, false]);
    assert.equal(latestFork(rules, headerAt(299)), 'osaka');
    assert.equal(rules.review([tell(18, 100), tell(18, 100, 400), tell(18, 100, 400)]), 'changed');
    assert.deepEqual([holdsAt(399), holdsAt(400)], [true, false]);
    assert.equal(rules.review([tell(17, 100)]), 'contradicted');
    assert.equal(latestFork(rules, headerAt(399)), 'osaka');
    assert.equal(rules.review([tell(18, 100, 400), tell(18, 100, 400)]), 'same');
  });

  test('rules of one node are verified if they equal the known rules of a public chain', () => {
    const rules = new ForkRules(1n, undefined);
    // This header is between Osaka and the first blob parameter change.
    const osaka = { ...headerAt(1_764_900_000), number: 24_000_000n };
    const why = (): string | undefined => rules.find(osaka)?.whyUnverifiable;
    assert.equal(why(), undefined);
    rules.note([tell(18, 0)]);
    assert.match(why() ?? '', /only one node/);
    const same = { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 };
    rules.note([
      { ...tell(18, 0), current: { ...(tell(18, 0) as { current: object }).current, blobSchedule: same } },
    ]);
    assert.equal(why(), undefined);
  });

  test('configured rules replace all others', () => {
    const rules = new ForkRules(
      1n,
      parseChainConfig({
        chainId: 1,
        londonBlock: 0,
        terminalTotalDifficulty: 0,
        shanghaiTime: 0,
        cancunTime: 0,
        pragueTime: 0,
      }),
    );
    assert.ok(!rules.needsTelling(1n << 40n));
    rules.note([tell(18, 0)]);
    assert.equal(latestFork(rules, headerAt(1)), 'prague');
    assert.equal(rules.find(headerAt(1, CANCUN))?.config, undefined);
  });

  test('a malformed report is ignored', () => {
    for (const answer of [
      undefined,
      null,
      1,
      'x',
      [],
      {},
      { current: null },
      { current: { activationTime: 'x' } },
    ]) {
      const rules = new ForkRules(77n, undefined);
      rules.note([answer]);
      assert.equal(rules.find(headerAt(1))?.config, undefined);
    }
    const rules = new ForkRules(77n, undefined);
    for (const address of ['no number', '9'.repeat(100), { toString: 1, valueOf: 1 }, ['0x1'], null])
      rules.note([{ current: { activationTime: 0, precompiles: { A: address } } }]);
    for (const changed of [{ target: 'x' }, { max: '9'.repeat(100) }, { baseFeeUpdateFraction: 0 }])
      rules.note([
        {
          current: {
            ...(tell(18, 0) as { current: object }).current,
            blobSchedule: { target: 3, max: 5, baseFeeUpdateFraction: 7, ...changed },
          },
        },
      ]);
    assert.equal(rules.find(headerAt(1))?.config, undefined);
  });
});

test('the schedules of public chains equal those of geth', { skip: GETH_SKIP }, () => {
  for (const [name, chainId] of [
    ['mainnet', 1n],
    ['sepolia', 11_155_111n],
    ['hoodi', 560_048n],
  ] as const) {
    const dumped = execFileSync(installGeth(), ['dumpgenesis', `--${name}`], {
      encoding: 'utf8',
      maxBuffer: 1 << 26,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const { config } = JSON.parse(dumped) as { config: { readonly terminalTotalDifficulty: number } };
    const [, total] = /"terminalTotalDifficulty":\s*(\d+)/.exec(dumped) ?? [];
    const theirs = parseChainConfig(config, total);
    const ours = findKnownChain(chainId);
    assert.ok(ours !== undefined);
    // The deposit contract does not affect calls, and a blob schedule entry equal to the one already in force has no effect.
    const rulesOf = ({ depositContract: _, blobSchedule, ...rest }: typeof ours) => ({
      ...rest,
      blobs: [...blobSchedule].filter(([fork]) => fork !== 'osaka'),
    });
    assert.deepEqual(rulesOf(ours), rulesOf(theirs), name);
  }
  assert.equal(findKnownChain(77n), undefined);
});

test('a chain with contracts of its own is executed by configured rules only, whatever nodes report', () => {
  for (const [chainId, fork] of [
    [77n, 'prague'],
    [8_453n, undefined],
    [42_220n, undefined],
  ] as const) {
    const rules = new ForkRules(chainId, undefined);
    rules.note([tell(17, 1_000), tell(17, 1_000)]);
    assert.equal(latestFork(rules, headerAt(2_000)), fork);
  }
  const configured = parseChainConfig({
    ...listForkMembers('prague'),
    terminalTotalDifficulty: 0,
    chainId: 8_453,
    blobSchedule: { prague: { target: 3, max: 5, baseFeeUpdateFraction: 7 } },
  });
  assert.ok(new ForkRules(8_453n, configured).find(headerAt(2_000)) !== undefined);
});
