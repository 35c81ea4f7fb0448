/**
 * Work that comes between two instructions and may be long: it is done in pieces, each in a slice of its own. The frame's
 * registers stay as they are until it is done.
 */
import { forgetDecoding } from './decode.ts';
import { undoFrame } from './frames.ts';
import { decodeInitCode } from './instructions/create.ts';
import { forgetHash } from './instructions/memory.ts';
import { INIT_CODE, NO_WORK, setWork, UNDOING, work } from './machine.ts';

/** A piece of the work that is left. @returns whether the next instruction may run */
export function workOn(): bool {
  if (work == INIT_CODE ? decodeInitCode() : work != UNDOING || undoFrame()) setWork(NO_WORK);
  return work == NO_WORK;
}

/** Whatever was begun is given up. */
export function forgetWork(): void {
  setWork(NO_WORK);
  forgetDecoding();
  forgetHash();
}
