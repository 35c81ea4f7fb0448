import type { Subject } from '../../../../packages/proofs/findings.ts';
import type { Send } from '../../../pool/upstream-request.ts';
import type { RequestScope } from '../../../util/request-scope.ts';
import { tryState } from './calibrate-state.ts';
import { tryBlock } from './try-block.ts';
import type { Verifier } from './verifier.ts';

/** Number of non-empty blocks that calibration examines, and maximum number of all examined blocks. */
const WANTED_BLOCKS = 2;
const MAX_BLOCKS = 8;

export type CalibrateParts = {
  readonly verifier: Verifier;
  readonly ask: Send;
  /** Number of the newest block to examine. */
  readonly head: bigint;
  readonly scope: RequestScope;
};

/** Reason why all answers about a subject failed verification, and number of the oldest examined block with such answers. */
type Failure = { readonly text: string; readonly number: bigint };

/**
 * Determines which parts of answers (`Subject`) can be verified on a network. Recomputes recent blocks and their receipts, and verifies account
 * proofs until one matches. A part is verifiable at a block if the answer of at least one node verifies; otherwise, it is unverifiable from this
 * block on. If no examined block contains a part, its state does not change. Older blocks are examined by `findForks`.
 * @returns whether any node has returned a block
 */
export async function calibrate({ verifier, ask, head, scope }: CalibrateParts): Promise<boolean> {
  const { calibration } = verifier;
  let blocks = 0;
  let isTried = false;
  let isStateVerified = false;
  const failed = new Map<Subject, Failure>();
  for (let back = 0n; back < MAX_BLOCKS && back <= head && blocks < WANTED_BLOCKS; back++) {
    const number = head - back;
    const trials = await tryBlock(verifier, ask, number, scope);
    if (trials.length === 0) continue;
    isTried = true;
    const shown = new Set(trials.flatMap((trial) => trial.shown));
    for (const { subject, text } of trials.flatMap(({ found }) => found)) {
      if (!shown.has(subject)) failed.set(subject, { text, number });
    }
    for (const subject of shown) calibration.noteShown(subject, number);
    if (trials.some(({ isEmpty }) => !isEmpty)) blocks++;
    const sample = trials.find(({ state }) => state !== undefined)?.state;
    if (sample === undefined || number === 0n || isStateVerified) continue;
    const trial = await tryState(verifier, ask, sample, scope);
    if (trial.kind === 'proven') {
      isStateVerified = true;
      calibration.noteShown('state', number);
      failed.delete('state');
    } else if (trial.kind === 'unproven') failed.set('state', { text: trial.reason, number });
  }
  for (const [subject, { text, number }] of failed) verifier.giveUp(subject, text, number);
  if (isTried) calibration.finish();
  return isTried;
}
