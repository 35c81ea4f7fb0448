import { isWhole, type JsonResult, type JsonStream } from '../primitives/json-result.ts';
import type { PromiseOrValue } from '../primitives/promise-or-value.ts';
import type { BatchItem } from '../rpc/envelope.ts';
import { RpcError } from '../rpc/errors.ts';
import { encodeSmallError } from '../rpc/response.ts';
import type { AnswerMemory } from '../util/answer-memory.ts';
import type { RequestScope } from '../util/request-scope.ts';
import { TURN_MS, TURNS } from '../util/turn-queue.ts';
import { BatchAnswer } from './batch-answer.ts';
import { bindStream } from './bound-stream.ts';
import { settleInTime } from './settle-in-time.ts';

export type BatchLimits = {
  /** Items in work at the same time. */
  readonly concurrency: number;
  /** Bytes of all responses together with their commas; from the item on that exceeds it, each gets an error. */
  readonly answerBytes: number;
};

/**
 * The response to an item; `undefined` for a notification, which has none. Never throws or rejects; a stream throws
 * RpcError only. `now` is the present on the clock of `performance.now()`.
 */
export type RunItem = (item: BatchItem, now: number) => PromiseOrValue<JsonResult | undefined>;

/**
 * Runs the items, some at a time, and joins the responses in the order of the items; '' when there are none. The answer is
 * there at once when no item had to be waited for.
 * @param memory for the responses. A stream holds what was taken of it until it is over; nothing else does
 * @param readEnd the present, where the clock has just been read at the end of an item: that costs as much as the rest here
 */
export function runBatch(
  items: readonly BatchItem[],
  run: RunItem,
  limits: BatchLimits,
  scope: RequestScope,
  memory: AnswerMemory,
  readEnd: () => number = () => performance.now(),
): PromiseOrValue<JsonResult> {
  const answer = new BatchAnswer(items, limits.answerBytes, memory);
  const owner = scope.owner ?? '';
  let next = 0;
  /** Until when items are run one after the other; behind it a turn is waited for. */
  let sliceEnd = Number.NEGATIVE_INFINITY;
  /** What lets those lanes go on that wait for a turn. */
  let paused: ((wait: Promise<void> | undefined) => void)[] = [];

  /** Runs items up to the first that has to be waited for. @returns when to go on; undefined at the end */
  function runReady(startedAt: number = performance.now()): Promise<void> | undefined {
    let now = startedAt;
    while (next < answer.end) {
      if (now > sliceEnd) return waitForTurn();
      const position = next++;
      const outcome = run(items[position] as BatchItem, now);
      if (typeof outcome === 'string') answer.put(position, outcome);
      else if (outcome !== undefined) return receive(position, outcome);
      now = readEnd();
    }
    return undefined;
  }

  async function runLane(wait: Promise<void>): Promise<void> {
    for (let due: Promise<void> | undefined = wait; due !== undefined; due = runReady()) await due;
  }

  async function receive(position: number, outcome: PromiseOrValue<JsonResult | undefined>): Promise<void> {
    const response = await outcome;
    if (response === undefined) return;
    if (typeof response === 'string' || isWhole(response)) answer.put(position, response);
    else await collect(position, response);
  }

  async function collect(position: number, response: JsonStream): Promise<void> {
    try {
      await settleInTime(answer.collect(position, bindStream(response, scope)), scope);
    } catch (error) {
      const item = items[position] as BatchItem;
      if (item.kind === 'notification' || !(error instanceof RpcError)) throw error;
      answer.put(position, encodeSmallError(item.id, error));
    }
  }

  function waitForTurn(): Promise<void> {
    return new Promise((resolve) => {
      paused.push(resolve as (wait: Promise<void> | undefined) => void);
      if (paused.length === 1) TURNS.enter(owner, takeTurn);
    });
  }

  /** Runs items for every lane that waits, until the slice is over. */
  function takeTurn(): void {
    const lanesToResume = paused;
    paused = [];
    sliceEnd = performance.now() + TURN_MS;
    for (const resume of lanesToResume) {
      try {
        resume(runReady());
      } catch (error) {
        resume(Promise.reject(error));
      }
    }
  }

  const startedAt = performance.now();
  const hasTime = TURNS.hasTime();
  if (hasTime) sliceEnd = startedAt + TURN_MS;
  const lanes: Promise<void>[] = [];
  while (lanes.length < limits.concurrency) {
    const wait = lanes.length === 0 ? runReady(startedAt) : runReady();
    if (wait === undefined) break;
    lanes.push(runLane(wait));
  }
  if (hasTime) TURNS.spend((lanes.length === 0 ? readEnd() : performance.now()) - startedAt);
  if (lanes.length === 0) return answer.join();
  return Promise.all(lanes).then(
    () => answer.join(),
    (error: unknown) => {
      answer.abandon();
      throw error;
    },
  );
}
