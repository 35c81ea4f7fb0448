import { UpstreamFault } from '../fault.ts';
import type { NodeReply } from '../node-call.ts';
import { matchBatch, scanBatch } from './batch.ts';
import type { BodyReader } from './body-reader.ts';
import { isErrorAnswer } from './read-reply.ts';

/** Reads the answer to a batch once it is complete. */
export class BatchReader implements BodyReader<readonly NodeReply[]> {
  readonly isWaitedFor = true;
  readonly #ids: readonly string[];
  readonly #answerBytes: number;
  readonly #held: Buffer[] = [];
  #received = 0;

  constructor(ids: readonly string[], answerBytes: number) {
    this.#ids = ids;
    this.#answerBytes = answerBytes;
  }

  push(chunk: Buffer): undefined {
    this.#received += chunk.length;
    if (this.#received > this.#answerBytes) {
      throw new UpstreamFault('tooLarge', 'the answer exceeds the bound on its size');
    }
    this.#held.push(chunk);
  }

  end(): readonly NodeReply[] {
    const body = Buffer.concat(this.#held);
    return matchBatch(body, scanBatch(body, this.#ids.length), this.#ids);
  }

  fail(fault: UpstreamFault): UpstreamFault {
    this.#held.length = 0;
    return fault;
  }

  readRefusal(body: Buffer, mustNameCall: boolean): readonly NodeReply[] | undefined {
    try {
      const scanners = scanBatch(body, this.#ids.length);
      if (!scanners.every(isErrorAnswer)) return undefined;
      if (mustNameCall && !scanners.every(({ id }) => id !== undefined && this.#ids.includes(id)))
        return undefined;
      return matchBatch(body, scanners, this.#ids);
    } catch {
      return undefined;
    }
  }
}
