import type { Finding, Subject } from '../../../../packages/proofs/findings.ts';
import type { Send } from '../../../pool/upstream-request.ts';
import type { RequestScope } from '../../../util/request-scope.ts';
import { type Trial, tryBlock } from './try-block.ts';
import type { Verifier } from './verifier.ts';

/** Maximum number of steps of one search; bisection needs 30 steps to find the first block of a fork among 10^9 blocks. */
const MAX_STEPS = 256;
/** Maximum number of neighbouring blocks that one step examines, until one of them contains the subject. */
const MAX_NEAR = 8n;

export type FindForksParts = {
  readonly verifier: Verifier;
  readonly ask: Send;
  readonly scope: RequestScope;
  /** Numbers of blocks about which client requests received answers that failed verification. */
  readonly contradicted: readonly bigint[];
  /** True if at most one node is up. */
  readonly isAlone: boolean;
};

/**
 * Finds the first and last blocks of forks whose rules are unknown to this program. Bisects between verifiable and unverifiable blocks, and examines
 * blocks at growing distances below the oldest unverifiable block. Rules count as unknown if two nodes, or the only node, return the same
 * unverifiable answer.
 * @returns true if the search is complete; false if time or steps ran out
 */
export async function findForks({
  verifier,
  ask,
  scope,
  contradicted,
  isAlone,
}: FindForksParts): Promise<boolean> {
  const { calibration } = verifier;
  /** Examines a block. @returns the subjects that were verified or found unverifiable; undefined if no node has the block */
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
  for (const number of new Set([...contradicted, ...calibration.listLast()])) {
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

/**
 * Returns the findings that contradict the header and that two nodes share. If only one node is up, returns all findings of this node that contradict
 * the header.
 */
function listFailed(trials: readonly Trial[], isAlone: boolean): readonly Finding[] {
  const found = trials.flatMap((trial) => trial.found);
  return found.filter(({ subject, kind, evidence }, i) => {
    if (kind !== 'contradicts' || evidence === undefined) return false;
    const isAlike = (other: Finding): boolean => other.subject === subject && other.evidence === evidence;
    return found.findIndex(isAlike) !== i || (isAlone && trials.length === 1);
  });
}
