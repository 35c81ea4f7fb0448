import type { AnswerMemory } from '../../util/answer-memory.ts';
import { UpstreamFault } from '../fault.ts';
import type { BatchBounds } from './answer-bounds.ts';
import type { BodyReader } from './body-reader.ts';
import { HeldPieces } from './held-pieces.ts';
import { type BatchAnswer, readBatch } from './read-batch.ts';
import type { ReplyScanner } from './reply-scanner.ts';

/** Reads the answer to a batch once it is complete. */
export class BatchReader implements BodyReader<BatchAnswer> {
  readonly isWaitedFor = true;
  readonly #firstId: number;
  readonly #bounds: BatchBounds;
  readonly #held: HeldPieces;
  #received = 0;

  /** @param firstId of calls with consecutive ids @param memory opens what is held */
  constructor(firstId: number, bounds: BatchBounds, memory: () => AnswerMemory) {
    this.#held = new HeldPieces(memory);
    this.#firstId = firstId;
    this.#bounds = bounds;
  }

  get maxBytes(): number {
    return this.#bounds.bytes;
  }

  expect(bytes: number): void {
    if (bytes > this.maxBytes)
      throw new UpstreamFault('tooLarge', 'the answer exceeds the bound on its size');
  }

  push(chunk: Buffer): undefined {
    this.#received += chunk.length;
    this.expect(this.#received);
    this.#held.push(chunk);
  }

  end(): BatchAnswer {
    try {
      return readBatch(this.#held.join(), this.#firstId, this.#bounds);
    } finally {
      this.#held.clear();
    }
  }

  fail(fault: UpstreamFault): UpstreamFault {
    this.#held.clear();
    return fault;
  }

  readRefusal(
    body: Buffer,
    _scanner: ReplyScanner | undefined,
    mustNameCall: boolean,
  ): BatchAnswer | undefined {
    try {
      const answer = readBatch(body, this.#firstId, this.#bounds);
      const { replies, refusal } = answer;
      if (replies.some((reply) => reply?.kind === 'result')) return undefined;
      const namesAll = replies.every((reply) => reply !== undefined);
      return namesAll || (refusal !== undefined && !mustNameCall) ? answer : undefined;
    } catch {
      return undefined;
    }
  }
}
