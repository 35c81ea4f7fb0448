import type { Engine } from './engine.ts';
import type { FuzzCase } from './fuzz-case.ts';
import { compareOutcomes, type Outcome } from './outcome.ts';

async function attempt(name: string, engine: Engine, fuzzCase: FuzzCase): Promise<Outcome | string> {
  try {
    return await engine.runCase(fuzzCase);
  } catch (error) {
    return `${name} threw: ${error instanceof Error ? error.stack : error}`;
  }
}

/** Executes a case with both engines. @returns description of the first difference; undefined when they agree */
export async function findDifference(
  fuzzCase: FuzzCase,
  oracle: Engine,
  subject: Engine,
): Promise<string | undefined> {
  const expected = await attempt('the oracle', oracle, fuzzCase);
  if (typeof expected === 'string') return expected;
  const actual = await attempt('the subject', subject, fuzzCase);
  return typeof actual === 'string' ? actual : compareOutcomes(expected, actual);
}
