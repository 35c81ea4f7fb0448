import { UpstreamFault } from '../fault.ts';
import type { BodyReader } from './body-reader.ts';
import { PieceList } from './piece-list.ts';
import { type BatchAnswer, readBatch } from './read-batch.ts';

/** Reads the answer to a batch once it is complete. */
export class BatchReader implements BodyReader<BatchAnswer> {
  readonly isWaitedFor = true;
  readonly #firstId: number;
  readonly #count: number;
  readonly #answerBytes: number;
  readonly #held = new PieceList();
  #received = 0;

  /** @param firstId of `count` calls with consecutive ids */
  constructor(firstId: number, count: number, answerBytes: number) {
    this.#firstId = firstId;
    this.#count = count;
    this.#answerBytes = answerBytes;
  }

  push(chunk: Buffer): undefined {
    this.#received += chunk.length;
    if (this.#received > this.#answerBytes) {
      throw new UpstreamFault('tooLarge', 'the answer exceeds the bound on its size');
    }
    this.#held.push(chunk);
  }

  end(): BatchAnswer {
    return readBatch(this.#held.join(), this.#firstId, this.#count);
  }

  fail(fault: UpstreamFault): UpstreamFault {
    this.#held.clear();
    return fault;
  }

  readRefusal(body: Buffer, mustNameCall: boolean): BatchAnswer | undefined {
    try {
      const answer = readBatch(body, this.#firstId, this.#count);
      const { replies, refusal } = answer;
      if (replies.some((reply) => reply?.kind === 'result')) return undefined;
      const namesAll = replies.every((reply) => reply !== undefined);
      return namesAll || (refusal !== undefined && !mustNameCall) ? answer : undefined;
    } catch {
      return undefined;
    }
  }
}
