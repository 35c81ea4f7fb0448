/**
 * Work between two instructions that may take longer than a slice. The work runs in steps, each in a slice of its own. The frame's registers stay
 * unchanged until the work is finished.
 */
import { forgetDecoding } from './decode.ts';
import { undoFrame } from './frames.ts';
import { decodeInitCode } from './instructions/create.ts';
import { forgetHash } from './instructions/memory.ts';
import { INIT_CODE, NO_WORK, setWork, UNDOING, work } from './machine.ts';

/** Runs one step of the work. @returns whether the next instruction may run */
export function workOn(): bool {
  if (work == INIT_CODE ? decodeInitCode() : work != UNDOING || undoFrame()) setWork(NO_WORK);
  return work == NO_WORK;
}

/** Abandons all pending work. */
export function forgetWork(): void {
  setWork(NO_WORK);
  forgetDecoding();
  forgetHash();
}
