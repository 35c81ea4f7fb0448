import type { Subject } from '../../../../packages/proofs/findings.ts';
import type { Send } from '../../../pool/upstream-request.ts';
import type { RequestScope } from '../../../util/request-scope.ts';
import { tryState } from './calibrate-state.ts';
import { tryBlock } from './try-block.ts';
import type { Verifier } from './verifier.ts';

/** Non-empty blocks to verify, and the maximum number of blocks examined to find them. */
const WANTED_BLOCKS = 2;
const MAX_BLOCKS = 8;

export type CalibrateParts = {
  readonly verifier: Verifier;
  readonly ask: Send;
  /** Number of the newest block to examine. */
  readonly head: bigint;
  readonly scope: RequestScope;
};

/** A subject that no node's answer verified, and the number of the oldest examined block where this happened. */
type Failure = { readonly text: string; readonly number: bigint };

/**
 * Determines what can be verified on a network: recomputes recent blocks and their receipts, and verifies account proofs until one matches.
 * A subject that one node's answer verifies is verifiable; one that no answer verifies is unverifiable from that block on, with the reason.
 * Subjects that no examined block contains keep their state, and so do marks of older blocks (`findForks`).
 * @returns whether a node returned a block
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
