import { setImmediate } from 'node:timers/promises';
import type { JsonText } from '../primitives/json-result.ts';
import type { BatchItem } from '../rpc/envelope.ts';
import { RpcError } from '../rpc/errors.ts';
import { encodeBatch, encodeError } from '../rpc/response.ts';

export type BatchLimits = {
  /** Items in work at the same time. */
  readonly concurrency: number;
  /** Bytes of all responses together with their commas; from the item on that exceeds it, each gets an error. */
  readonly answerBytes: number;
};

/** The response to an item; `undefined` for a notification, which has none. Never throws or rejects. */
export type RunItem = (item: BatchItem) => JsonText | undefined | Promise<JsonText | undefined>;

/** How long items that never wait may hold up the rest of the process. */
const MAX_SLICE_MS = 10;

/** Runs the items, some at a time, and joins the responses in the order of the items; '' when there are none. */
export async function runBatch(
  items: readonly BatchItem[],
  run: RunItem,
  limits: BatchLimits,
): Promise<JsonText> {
  const responses: (JsonText | undefined)[] = new Array(items.length);
  let next = 0;
  let heldBytes = 0;
  let sliceEnd = performance.now() + MAX_SLICE_MS;
  let pause: Promise<void> | undefined;

  // Items start in order, so when what is held exceeds the limit, every item not started lies behind the cut.
  async function runLane(): Promise<void> {
    while (next < items.length && heldBytes <= limits.answerBytes) {
      if (performance.now() > sliceEnd) {
        pause ??= setImmediate().then(beginSlice);
        await pause;
        continue;
      }
      const position = next++;
      const outcome = run(items[position] as BatchItem);
      const response = outcome instanceof Promise ? await outcome : outcome;
      responses[position] = response;
      if (response !== undefined) heldBytes += Buffer.byteLength(response) + 1;
    }
  }

  function beginSlice(): void {
    pause = undefined;
    sliceEnd = performance.now() + MAX_SLICE_MS;
  }

  const lanes = Math.min(limits.concurrency, items.length);
  await Promise.all(Array.from({ length: lanes }, runLane));
  return joinResponses(items, responses, limits.answerBytes);
}

function joinResponses(
  items: readonly BatchItem[],
  responses: readonly (JsonText | undefined)[],
  maxBytes: number,
): JsonText {
  const kept: JsonText[] = [];
  let bytes = 0;
  items.forEach((item, position) => {
    if (item.kind === 'notification') return;
    const response = responses[position];
    if (response !== undefined) bytes += Buffer.byteLength(response) + 1;
    const fits = response !== undefined && bytes <= maxBytes;
    kept.push(fits ? response : encodeError(item.id, new RpcError('responseTooLarge')));
  });
  return kept.length === 0 ? '' : encodeBatch(kept);
}
