import type { RequestScope } from '../../util/request-scope.ts';
import type { Finding, Subject } from '../../verification/findings.ts';
import type { Ask } from '../routed-call.ts';
import { type Trial, tryBlock } from './try-block.ts';
import type { Verifier } from './verifier.ts';

/** Heights that one search looks at: the first block of a fork is found in 30 of a billion. */
const MAX_STEPS = 256;
/** Blocks that are looked at for one that has what is looked for. */
const MAX_NEAR = 8n;

export type FindForksParts = {
  readonly verifier: Verifier;
  readonly ask: Ask;
  readonly scope: RequestScope;
  /** Blocks of which answers failed. */
  readonly doubted: readonly bigint[];
  /** Whether one node alone can be asked. */
  readonly isAlone: boolean;
};

/**
 * Finds the blocks at which rules that are not known here begin and end: looks at blocks between those that recompute and those that do not, halving the distance, and further and further below the
 * oldest that does not. What two nodes give alike and does not recompute follows other rules, or what the only node gives.
 * @returns whether all that nodes can show is known; otherwise there was not enough time
 */
export async function findForks({
  verifier,
  ask,
  scope,
  doubted,
  isAlone,
}: FindForksParts): Promise<boolean> {
  const { calibration } = verifier;
  /** @returns what it has shown; undefined where no node has the block */
  const look = async (number: bigint): Promise<ReadonlySet<Subject> | undefined> => {
    const trials = await tryBlock(verifier, ask, number, scope);
    if (trials.length === 0 || scope.aborted) return undefined;
    const shown = new Set(trials.flatMap((trial) => trial.shown));
    const failed = listFailed(trials, isAlone).filter(({ subject }) => !shown.has(subject));
    for (const subject of shown) calibration.noteShown(subject, number);
    for (const { subject, text } of failed) calibration.noteFailed(subject, text, number);
    return new Set([...shown, ...failed.map(({ subject }) => subject)]);
  };
  const isLate = (): boolean => scope.aborted || performance.now() >= scope.deadline;
  for (const number of new Set([...doubted, ...calibration.listLast()])) {
    if (isLate()) return false;
    await look(number);
  }
  const passed = new Set<string>();
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const next = calibration.listUnknown().find(({ subject, at }) => !passed.has(`${subject} ${at}`));
    if (next === undefined) return true;
    const { subject, at, below } = next;
    for (let number = at; number < below && number < at + MAX_NEAR; number++) {
      if (isLate()) return false;
      const known = await look(number);
      if (known === undefined || known.has(subject)) break;
    }
    passed.add(`${subject} ${at}`);
  }
  return false;
}

/** What more than one node's answer contradicts alike, or the only one's. */
function listFailed(trials: readonly Trial[], isAlone: boolean): readonly Finding[] {
  const found = trials.flatMap((trial) => trial.found);
  return found.filter(({ subject, kind, evidence }, i) => {
    if (kind !== 'contradicts' || evidence === undefined) return false;
    const isAlike = (other: Finding): boolean => other.subject === subject && other.evidence === evidence;
    return found.findIndex(isAlike) !== i || (isAlone && trials.length === 1);
  });
}
