/** The engine against @ethereumjs/evm: every case that ever failed, and some generated ones. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { before, describe, test } from 'node:test';
import { countRuns } from '../support/count-runs.ts';
import { decodeCase } from './case-json.ts';
import type { Engine } from './engine.ts';
import { findDifference } from './find-difference.ts';
import { GENERATOR_VERSION, generateCase, ORACLE_REVISIONS } from './generate/generate-case.ts';
import { generateRawCase } from './generate/raw-case.ts';
import { GuardWatch } from './guard-watch.ts';
import { OracleEngine } from './oracle/oracle-engine.ts';
import { createSubject } from './subject.ts';

const CORPUS = resolve(import.meta.dirname, '../../../test/fuzz/corpus');
const SEED = 2024;
const PROGRAMS_PER_REVISION: number = countRuns(60);
const RAW_PROGRAMS: number = countRuns(300);

describe('differential fuzzing', () => {
  const oracle = new OracleEngine();
  let subject: Engine;
  before(async () => {
    subject = await createSubject();
  });

  for (const name of readdirSync(CORPUS).filter((file) => file.endsWith('.json'))) {
    const { note, fuzzCase } = decodeCase(readFileSync(join(CORPUS, name), 'utf8'));
    test(`${name}: ${note}`, async () => {
      assert.equal(await findDifference(fuzzCase, oracle, subject), undefined);
    });
  }

  for (const revision of ORACLE_REVISIONS) {
    test(`${PROGRAMS_PER_REVISION} programs of ${revision} have the same outcome as from @ethereumjs/evm`, async () => {
      for (let index = 0; index < PROGRAMS_PER_REVISION; index++) {
        const difference = await findDifference(generateCase(SEED, index, revision), oracle, subject);
        assert.equal(difference, undefined, `seed ${SEED}, case ${index}, generator ${GENERATOR_VERSION}`);
      }
    });
  }

  test(`${RAW_PROGRAMS} random byte programs neither trap nor write outside of their memory`, async () => {
    const limits = { maxGas: 300_000, maxCodeLength: 30_000, allowsObjects: false };
    const guards = new GuardWatch(subject);
    guards.check();
    for (let index = 0; index < RAW_PROGRAMS; index++) {
      const { status } = await subject.runCase(generateRawCase(SEED, index, limits));
      assert.notEqual(status, 'rejected');
      assert.equal(guards.check(), undefined);
    }
  });
});
