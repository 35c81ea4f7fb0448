import type { RequestScope } from '../../util/request-scope.ts';
import type { Subject } from '../../verification/findings.ts';
import type { Ask } from '../routed-call.ts';
import { tryState } from './calibrate-state.ts';
import { tryBlock } from './try-block.ts';
import type { Verifier } from './verifier.ts';

/** Blocks that are recomputed where they have transactions, and that are looked at to find such. */
const WANTED_BLOCKS = 2;
const MAX_BLOCKS = 8;

export type CalibrateParts = {
  readonly verifier: Verifier;
  readonly ask: Ask;
  /** Of the newest block to be looked at. */
  readonly head: bigint;
  readonly scope: RequestScope;
};

/** A block of which something did not recompute with any node's answer: the oldest that was looked at. */
type Failure = { readonly text: string; readonly number: bigint };

/**
 * Finds out what can be verified on a network: recomputes recent blocks and their receipts, and compares a proof of an account with each. What recomputes with one node's answer is verifiable;
 * what does with none is not from that block on, with the reason. What no block has stays as it was, and so does what is known of older blocks (`findForks`).
 * @returns whether a node gave a block
 */
export async function calibrate({ verifier, ask, head, scope }: CalibrateParts): Promise<boolean> {
  const { calibration } = verifier;
  let blocks = 0;
  let isTried = false;
  let isStateProven = false;
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
    if (sample === undefined || number === 0n || isStateProven) continue;
    const trial = await tryState(verifier, ask, sample, scope);
    if (trial.kind === 'proven') {
      isStateProven = true;
      calibration.noteShown('state', number);
      failed.delete('state');
    } else if (trial.kind === 'unproven') failed.set('state', { text: trial.reason, number });
  }
  for (const [subject, { text, number }] of failed) verifier.giveUp(subject, text, number);
  if (isTried) calibration.finish();
  return isTried;
}
