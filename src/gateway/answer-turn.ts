import { isComplete } from '../../packages/ethereum/primitives/json-result.ts';
import type { PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import { SCHEDULER } from '../util/slot-scheduler.ts';
import type { Answer } from './answer.ts';

/** Size above which an answer is large, bytes. An answer of this size is written in about 50 µs. */
const TURN_ANSWER_BYTES = 64 * 1024;

/**
 * Passes an awaited answer to `next`. A large answer is passed in a scheduler slot of the owner. Coalesced clients may get the same answer at the
 * same time, and writing each copy blocks the event loop.
 */
export function passAnswer(
  owner: string,
  answer: Answer,
  next: (answer: Answer) => PromiseOrValue<Answer>,
): PromiseOrValue<Answer> {
  return isLarge(answer) ? SCHEDULER.rejoin(owner).then(() => next(answer)) : next(answer);
}

function isLarge({ body }: Answer): boolean {
  if (typeof body === 'string') return body.length > TURN_ANSWER_BYTES;
  return isComplete(body) && body.length > TURN_ANSWER_BYTES;
}
