/** Gas needs that messages report, and estimates derived from them, against runs with that gas and with less. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { REVISIONS } from '../../packages/evm/interpreter/revisions/revisions.ts';
import { createEvm } from '../../src/engine/create-evm.ts';
import { countRuns } from '../support/count-runs.ts';
import { CaseState } from './case-state.ts';
import { findEstimateFault } from './find-estimate-fault.ts';
import { findGasFault } from './find-gas-fault.ts';
import { GENERATOR_VERSION, generateCase } from './generate/generate-case.ts';
import { createSubject } from './subject.ts';

const SEED = 2025;
const PROGRAMS_PER_REVISION: number = countRuns(60);

describe('reported gas needs', () => {
  for (const revision of REVISIONS) {
    test(`hold for ${PROGRAMS_PER_REVISION} programs of ${revision}`, async () => {
      const subject = await createSubject();
      for (let index = 0; index < PROGRAMS_PER_REVISION; index++) {
        const fault = await findGasFault(generateCase(SEED, index, revision), subject);
        assert.equal(fault, undefined, `seed ${SEED}, case ${index}, generator ${GENERATOR_VERSION}`);
      }
    });
  }
});

describe('gas estimates', () => {
  const evm = createEvm(new CaseState(new Map()));
  for (const revision of REVISIONS) {
    test(`hold for ${PROGRAMS_PER_REVISION} programs of ${revision}`, () => {
      for (let index = 0; index < PROGRAMS_PER_REVISION; index++) {
        const fuzzCase = generateCase(SEED, index, revision);
        const state = new CaseState(fuzzCase.accounts);
        evm.attach(state);
        const fault = findEstimateFault(fuzzCase, evm, state);
        assert.equal(fault, undefined, `seed ${SEED}, case ${index}, generator ${GENERATOR_VERSION}`);
      }
    });
  }
});
