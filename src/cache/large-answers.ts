import { SharedBytes } from '../../packages/ethereum/primitives/json-result.ts';
import type { CachedAnswer } from './cache.ts';

/** Answer outside of the segments; `bytes` includes the data derived from the answer. */
export type LargeAnswer = {
  readonly value: SharedBytes;
  /** Total bytes ever added to the small queue (`RecordQueue.come`) at the time when this answer was added. */
  readonly smallCome: number;
  ref: number;
  bytes: number;
};

/** Answers outside of the segments, by the numbers that their records have. */
export class LargeAnswers {
  readonly #answers: (LargeAnswer | undefined)[] = [];
  readonly #freeNumbers: number[] = [];

  /** Returns the answer with a number, which a record has. */
  get(number: number): LargeAnswer {
    return this.#answers[number] as LargeAnswer;
  }

  /**
   * @param grow reserves memory for data derived from the answer, or returns false if there is no room
   * @returns number of the answer
   */
  add(
    answer: CachedAnswer,
    facts: Omit<LargeAnswer, 'value'>,
    grow: (large: LargeAnswer, bytes: number) => boolean,
  ): number {
    const number = this.#freeNumbers.pop() ?? this.#answers.length;
    const large: LargeAnswer = { value: takeValue(answer), ...facts };
    large.value.keeper = (more) => grow(large, more);
    this.#answers[number] = large;
    return number;
  }

  remove(number: number): LargeAnswer {
    const large = this.get(number);
    large.value.keeper = undefined;
    this.#answers[number] = undefined;
    this.#freeNumbers.push(number);
    return large;
  }

  /** Releases all answers, which keep their derived data without counting it. */
  clear(): void {
    for (const large of this.#answers) if (large !== undefined) large.value.keeper = undefined;
    this.#answers.length = 0;
    this.#freeNumbers.length = 0;
  }
}

/**
 * Returns an object that only the new entry uses. Bytes of an answer are copied if they are a view into larger memory. Bytes that another entry
 * already counts are shared.
 */
function takeValue(answer: CachedAnswer): SharedBytes {
  if (typeof answer === 'string') return new SharedBytes(Buffer.from(answer));
  const { value } = answer;
  const { bytes } = value;
  if (bytes.length < bytes.buffer.byteLength) return new SharedBytes(Buffer.from(bytes));
  return value.keeper === undefined && !value.isPacked ? value : new SharedBytes(bytes);
}
