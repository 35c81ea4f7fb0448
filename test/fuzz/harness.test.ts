/** Tests of the fuzzer: it finds, describes and shrinks faults. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decodeCase, encodeCase } from './case-json.ts';
import { assemble, disassemble, parseCode } from './code-edits.ts';
import type { Engine, GuardedMemory } from './engine.ts';
import { findDifference } from './find-difference.ts';
import type { FuzzCase } from './fuzz-case.ts';
import { parseRunOptions } from './fuzz-run.ts';
import { generateCase, ORACLE_REVISIONS } from './generate/generate-case.ts';
import { GuardWatch } from './guard-watch.ts';
import { OracleEngine } from './oracle/oracle-engine.ts';
import { SPOILERS } from './oracle/spoilers.ts';
import { compareOutcomes, type Outcome } from './outcome.ts';
import { shrinkCase } from './shrink.ts';

const SEED = 2;
const MAX_PROGRAMS = 1000;

describe('generateCase', () => {
  test('generates the same case from the same seed', () => {
    for (let index = 0; index < 40; index++) {
      assert.deepEqual(generateCase(SEED, index), generateCase(SEED, index));
    }
    assert.notDeepEqual(generateCase(SEED, 1), generateCase(SEED + 1, 1));
  });

  test('covers every revision of the oracle and both levels', () => {
    const seen = new Set(
      Array.from({ length: 90 }, (_, index) => generateCase(SEED, index)).map(
        (fuzzCase) => fuzzCase.revision,
      ),
    );
    assert.deepEqual(seen, new Set(ORACLE_REVISIONS));
    const levels = new Set(Array.from({ length: 20 }, (_, index) => generateCase(SEED, index).level));
    assert.deepEqual(levels, new Set(['message', 'transaction']));
  });

  test('generates programs that mostly end by themselves', async () => {
    const oracle = new OracleEngine();
    const count = 150;
    let ended = 0;
    for (let index = 0; index < count; index++) {
      const { status } = await oracle.runCase(generateCase(SEED, index));
      if (status === 'success' || status === 'revert') ended++;
    }
    assert.ok(ended > count * 0.4, `${ended} of ${count}`);
    assert.ok(oracle.steps / count > 50, `${oracle.steps} steps`);
  });
});

describe('cases as JSON', () => {
  test('are unchanged after encoding and decoding', () => {
    for (let index = 0; index < 60; index++) {
      const fuzzCase = generateCase(SEED, index);
      const { note, fuzzCase: decoded } = decodeCase(encodeCase({ note: 'a note', fuzzCase }));
      assert.equal(note, 'a note');
      assert.deepEqual(decoded, fuzzCase);
    }
  });
});

async function findSpoiled(
  spoiler: (typeof SPOILERS)[number],
  oracle: Engine,
): Promise<FuzzCase | undefined> {
  const subject = new OracleEngine(spoiler.apply);
  const { from = 0, revision } = spoiler;
  for (let index = from; index < from + MAX_PROGRAMS; index++) {
    const fuzzCase = generateCase(SEED, index, revision);
    if ((await findDifference(fuzzCase, oracle, subject)) !== undefined) return fuzzCase;
  }
  return undefined;
}

describe('deliberate faults', () => {
  const oracle = new OracleEngine();
  for (const spoiler of SPOILERS) {
    test(`are found: ${spoiler.name}`, async () => {
      assert.ok(await findSpoiled(spoiler, oracle), `not in ${MAX_PROGRAMS} programs`);
    });
  }

  test('are shrunk to small programs', async () => {
    const [spoiler] = SPOILERS;
    assert.ok(spoiler !== undefined);
    const subject = new OracleEngine(spoiler.apply);
    const found = await findSpoiled(spoiler, oracle);
    assert.ok(found !== undefined);
    const small = await shrinkCase(
      found,
      async (candidate) => (await findDifference(candidate, oracle, subject)) !== undefined,
    );
    assert.notEqual(await findDifference(small, oracle, subject), undefined);
    const length = [...small.accounts.values()].reduce((sum, { code }) => sum + code.length, 0);
    assert.ok(length + small.transaction.data.length < 40, disassemble(small.transaction.data));
  });
});

describe('compareOutcomes', () => {
  const address = `0x${'11'.repeat(20)}`;
  const outcome: Outcome = {
    status: 'success',
    output: Uint8Array.of(1),
    gasUsed: 10n,
    refund: 0n,
    logs: [{ address: new Uint8Array(20), topics: [new Uint8Array(32)], data: Uint8Array.of(2) }],
    accounts: new Map([
      [address, { nonce: 1n, balance: 2n, code: Uint8Array.of(3), storage: new Map([[4n, 5n]]) }],
    ]),
  };
  const account = outcome.accounts.get(address);
  assert.ok(account !== undefined);
  const withAccount = (changes: Partial<typeof account>): Outcome => ({
    ...outcome,
    accounts: new Map([[address, { ...account, ...changes }]]),
  });
  const [log] = outcome.logs;
  assert.ok(log !== undefined);
  const changed: readonly (readonly [string, Outcome])[] = [
    ['status', { ...outcome, status: 'halt' }],
    ['output', { ...outcome, output: Uint8Array.of(2) }],
    ['gas used', { ...outcome, gasUsed: 11n }],
    ['refund counter', { ...outcome, refund: 1n }],
    ['number of logs', { ...outcome, logs: [] }],
    ['data of log 0', { ...outcome, logs: [{ ...log, data: Uint8Array.of(3) }] }],
    ['topics of log 0', { ...outcome, logs: [{ ...log, topics: [] }] }],
    [`existence of ${address}`, { ...outcome, accounts: new Map() }],
    [`nonce of ${address}`, withAccount({ nonce: 2n })],
    [`balance of ${address}`, withAccount({ balance: 3n })],
    [`code of ${address}`, withAccount({ code: Uint8Array.of(4) })],
    [`slot 0x4 of ${address}`, withAccount({ storage: new Map() })],
    [`slot 0x5 of ${address}`, withAccount({ storage: new Map([...account.storage, [5n, 1n]]) })],
  ];
  for (const [what, other] of changed) {
    test(`reports a difference in ${what}`, () => {
      assert.ok(compareOutcomes(outcome, other)?.startsWith(`${what}: `), compareOutcomes(outcome, other));
    });
  }

  test('reports no difference for equal outcomes', () => {
    assert.equal(compareOutcomes(outcome, withAccount({ code: Uint8Array.of(3) })), undefined);
  });
});

describe('code edits', () => {
  test('preserve the targets of jumps', () => {
    // PUSH2 0x0007; JUMP; STOP; STOP; STOP; JUMPDEST
    const code = Uint8Array.of(0x61, 0, 7, 0x56, 0, 0, 0, 0x5b);
    const instructions = parseCode(code);
    assert.deepEqual(assemble(instructions, instructions), code);
    assert.deepEqual(
      assemble(instructions.toSpliced(2, 2), instructions),
      Uint8Array.of(0x61, 0, 5, 0x56, 0, 0x5b),
    );
  });

  test('show a truncated PUSH at the end as a PUSH', () => {
    assert.equal(disassemble(Uint8Array.of(0x01, 0x62, 0x5b)), '    0 ADD\n    1 PUSH3 0x5b');
  });
});

describe('memory guards', () => {
  test('report writes to their bytes', () => {
    const bytes = new Uint8Array(64);
    const memory: GuardedMemory = { bytes, guards: [{ offset: 8, length: 8 }] };
    const engine: Engine = {
      runCase: () => {
        throw new Error('not run');
      },
      guardedMemory: () => memory,
    };
    const watch = new GuardWatch(engine);
    assert.equal(watch.check(), undefined);
    bytes[7] = 1;
    bytes[16] = 1;
    assert.equal(watch.check(), undefined);
    bytes[15] = (bytes[15] as number) ^ 1;
    assert.match(watch.check() as string, /^guard at 8: byte 7 is /);
  });
});

describe('options of a fuzz run', () => {
  test('are parsed', () => {
    const options = parseRunOptions([
      '--seconds',
      '5',
      '--seed',
      '9',
      '--revision',
      'osaka',
      '--workers',
      '1',
    ]);
    assert.equal(options.seconds, 5);
    assert.equal(options.seed, 9);
    assert.equal(options.revision, 'osaka');
    assert.equal(options.workers, 1);
  });

  test('are refused if they are invalid', () => {
    for (const args of [['--seed', '-1'], ['--seconds', 'x'], ['--revision', 'glacier'], ['--unknown']]) {
      assert.throws(() => parseRunOptions(args));
    }
  });
});
