import { isComplete } from '../../packages/ethereum/primitives/json-result.ts';
import type { PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import { SCHEDULER } from '../util/slot-scheduler.ts';
import type { Answer } from './answer.ts';

/** Size of an answer that takes about 50 µs to write, bytes. */
const TURN_ANSWER_BYTES = 64 * 1024;

/**
 * Passes on an answer after waiting for it. A large answer is passed on in a scheduler slot of its owner: other clients may have waited for the same
 * answer, and each copy is written in one piece.
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
