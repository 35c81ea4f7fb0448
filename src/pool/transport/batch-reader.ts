import type { PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';
import type { AnswerMemory } from '../../util/answer-memory.ts';
import { UpstreamFault } from '../fault.ts';
import type { BatchBounds } from './answer-bounds.ts';
import { readInSlots } from './answer-slots.ts';
import type { BodyReader, LoneError } from './body-reader.ts';
import { BufferedPieces } from './buffered-pieces.ts';
import { type NodeBatchAnswer, readBatch, readLoneRefusal } from './read-batch.ts';

/** Reads the answer to a batch once it is complete. */
export class BatchReader implements BodyReader<NodeBatchAnswer> {
  readonly isWaitedFor = true;
  readonly #firstId: number;
  readonly #bounds: BatchBounds;
  readonly #reserved: BufferedPieces;
  #received = 0;

  /**
   * @param firstId id of the first call; the ids are consecutive
   * @param memory opens a reservation of memory for the buffered answer
   */
  constructor(firstId: number, bounds: BatchBounds, memory: () => AnswerMemory) {
    this.#reserved = new BufferedPieces(memory);
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
    this.#reserved.push(chunk);
  }

  end(): PromiseOrValue<NodeBatchAnswer> {
    return readInSlots(this.#received, this.#read());
  }

  *#read(): Generator<undefined, NodeBatchAnswer> {
    try {
      return yield* readBatch(this.#reserved.join(), this.#firstId, this.#bounds);
    } finally {
      this.#reserved.clear();
    }
  }

  fail(fault: UpstreamFault): UpstreamFault {
    this.#reserved.clear();
    return fault;
  }

  readRefusal({ scanner, error }: LoneError, mustNameCall: boolean): NodeBatchAnswer | undefined {
    try {
      return keepRefusal(readLoneRefusal(scanner, error, this.#firstId, this.#bounds), mustNameCall);
    } catch {
      return undefined;
    }
  }

  *readRefusalList(body: Buffer, mustNameCall: boolean): Generator<undefined, NodeBatchAnswer | undefined> {
    try {
      return keepRefusal(yield* readBatch(body, this.#firstId, this.#bounds), mustNameCall);
    } catch {
      return undefined;
    }
  }
}

/** Returns the answer if it has only errors that name their calls, or one error without a call and `mustNameCall` is false; otherwise undefined. */
function keepRefusal(
  answer: NodeBatchAnswer | undefined,
  mustNameCall: boolean,
): NodeBatchAnswer | undefined {
  if (answer === undefined) return undefined;
  const { replies, refusal } = answer;
  if (replies.some((reply) => reply?.kind === 'result')) return undefined;
  const namesAll = replies.every((reply) => reply !== undefined);
  return namesAll || (refusal !== undefined && !mustNameCall) ? answer : undefined;
}
