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
/** A worker stops after this many failures: more are mostly the same fault. */
const MAX_FAILURES = 5;

type FindFault = (fuzzCase: FuzzCase) => Promise<string | undefined>;

/** Finds faults of the subject's execution other than a wrong outcome. */
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

/** Replaces numbers: `gas used: expected 1, got 2` is the same kind as `gas used: expected 3, got 5`. */
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

/** Runs a worker's share of the cases. @returns their number */
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
