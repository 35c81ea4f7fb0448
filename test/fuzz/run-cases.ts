import { encodeCase } from './case-json.ts';
import { disassemble } from './code-edits.ts';
import type { Engine } from './engine.ts';
import { findDifference } from './find-difference.ts';
import { findGasFault } from './find-gas-fault.ts';
import type { FuzzCase } from './fuzz-case.ts';
import type { Failure, FuzzTask } from './fuzz-task.ts';
import { generateCase } from './generate/generate-case.ts';
import { generateRawCase, type RawLimits } from './generate/raw-case.ts';
import { GuardWatch } from './guard-watch.ts';
import { shrinkCase } from './shrink.ts';
import type { Subject } from './subject.ts';

const RAW_LIMITS: RawLimits = { maxGas: 3_000_000, maxCodeLength: 30_000, allowsObjects: true };
/** A worker that has found this many stops: they are mostly the same fault again. */
const MAX_FAILURES = 5;

type FindFault = (fuzzCase: FuzzCase) => Promise<string | undefined>;

/** What is wrong with the subject's execution of a case, apart from what it results in. */
async function findTrap(fuzzCase: FuzzCase, subject: Engine): Promise<string | undefined> {
  try {
    await subject.runCase(fuzzCase);
    return undefined;
  } catch (error) {
    return `the subject threw: ${error instanceof Error ? error.stack : error}`;
  }
}

function findFault(
  mode: FuzzTask['mode'],
  fuzzCase: FuzzCase,
  subject: Subject,
  oracle: Engine,
): Promise<string | undefined> {
  if (mode === 'raw') return findTrap(fuzzCase, subject);
  return mode === 'gas' ? findGasFault(fuzzCase, subject) : findDifference(fuzzCase, oracle, subject);
}

/** `gas used: expected 1, got 2` is the same kind of difference as `gas used: expected 3, got 5`. */
function kindOf(difference: string): string {
  return difference.slice(0, difference.indexOf(':')).replaceAll(/0x[0-9a-f]+|\d+/g, '#');
}

async function describeFailure(
  { seed }: FuzzTask,
  index: number,
  fuzzCase: FuzzCase,
  difference: string,
  find: FindFault,
): Promise<Failure> {
  const kind = kindOf(difference);
  const minimal = await shrinkCase(fuzzCase, async (candidate) => {
    const found = await find(candidate);
    return found !== undefined && kindOf(found) === kind;
  });
  const note = (await find(minimal)) ?? difference;
  const listing = [...minimal.accounts]
    .filter(([, { code }]) => code.length > 0)
    .map(([address, { code }]) => `${address}\n${disassemble(code)}`)
    .join('\n');
  return { seed, index, difference, minimal: encodeCase({ note, fuzzCase: minimal }), listing };
}

/** Runs a worker's share of the cases. @returns how many there were */
export async function runCases(
  task: FuzzTask,
  subject: Subject,
  oracle: Engine,
  report: (failure: Failure) => void,
): Promise<number> {
  const { mode, seed, revision, first, stride, end, seconds, progress } = task;
  const deadline = performance.now() + seconds * 1000;
  const guards = new GuardWatch(subject);
  guards.check();
  const find: FindFault = async (fuzzCase) =>
    (await findFault(mode, fuzzCase, subject, oracle)) ?? guards.check();
  let programs = 0;
  let failures = 0;
  for (
    let index = first;
    index < end && performance.now() < deadline && failures < MAX_FAILURES;
    index += stride
  ) {
    progress[0] = index;
    const fuzzCase =
      mode === 'raw'
        ? generateRawCase(seed, index, RAW_LIMITS, revision)
        : generateCase(seed, index, revision);
    const difference = await find(fuzzCase);
    programs++;
    progress[1] = programs;
    if (difference === undefined) continue;
    failures++;
    report(await describeFailure(task, index, fuzzCase, difference, find));
  }
  return programs;
}
