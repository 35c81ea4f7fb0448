/** Undo log of the running transaction, oldest step first. A step contains address, size and previous bytes (at most 32) of a field. */
import { JOURNAL_END } from './generated/layout.ts';
import { journalEnd, setJournalEnd } from './machine.ts';

/** Size of a step: pointer (4), size (4), previous bytes (32). */
const STEP_SIZE: usize = 40;

/**
 * Whether fewer than 64 further steps fit. An instruction calls this function before it writes, and halts the frame with MEMORY_LIMIT if the result
 * is true.
 */
export function isJournalFull(): bool {
  return journalEnd + 64 * STEP_SIZE > JOURNAL_END;
}

/** Saves a field before it is written. */
export function note4(pointer: usize): void {
  const step = journalEnd;
  store<u32>(step, pointer);
  store<u32>(step, 4, 4);
  store<u32>(step, load<u32>(pointer), 8);
  setJournalEnd(step + STEP_SIZE);
}

export function note8(pointer: usize): void {
  const step = journalEnd;
  store<u32>(step, pointer);
  store<u32>(step, 8, 4);
  store<u64>(step, load<u64>(pointer), 8);
  setJournalEnd(step + STEP_SIZE);
}

export function note32(pointer: usize): void {
  const step = journalEnd;
  store<u32>(step, pointer);
  store<u32>(step, 32, 4);
  v128.store(step, v128.load(pointer), 8);
  v128.store(step, v128.load(pointer, 16), 24);
  setJournalEnd(step + STEP_SIZE);
}

/** Bytes of steps undone per `undoPiece`, which takes 0.5 ms when no step is in the processor's cache. */
const PIECE: usize = 25_000 * STEP_SIZE;

/** Undoes everything since a mark, newest first. */
export function rollbackTo(mark: usize): void {
  while (!undoPiece(mark));
}

/** Undoes the newest steps since a mark. @returns whether no step is left */
export function undoPiece(mark: usize): bool {
  const end = journalEnd > mark + PIECE ? journalEnd - PIECE : mark;
  undoTo(end);
  return end == mark;
}

function undoTo(mark: usize): void {
  let step = journalEnd;
  while (step > mark) {
    step -= STEP_SIZE;
    const pointer = load<u32>(step);
    const size = load<u32>(step, 4);
    if (size == 4) store<u32>(pointer, load<u32>(step, 8));
    else if (size == 8) store<u64>(pointer, load<u64>(step, 8));
    else {
      v128.store(pointer, v128.load(step, 8));
      v128.store(pointer, v128.load(step, 24), 16);
    }
  }
  setJournalEnd(mark);
}
