import type { JsonResult } from '../../packages/ethereum/primitives/json-result.ts';
import { continueWith, type PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type { BatchItem } from '../rpc/envelope.ts';
import type { RpcError } from '../rpc/errors.ts';
import { AnswerMemory } from '../util/answer-memory.ts';
import type { FairQueue } from '../util/fair-queue.ts';
import type { SharedBudget } from '../util/shared-budget.ts';
import { type BatchLimits, type PrepareItems, type RunItem, runBatch } from './batch.ts';
import { BatchItems } from './batch-items.ts';
import type { BodyContext } from './body-context.ts';
import type { CallRunner } from './call-runner.ts';
import type { CallWatch } from './call-watch.ts';
import { ReservedSlots } from './reserved-slots.ts';

/**
 * Factor by which the concurrency of a batch grows on networks served by upstream nodes, if the key gets enough network slots. Many items of a batch
 * fit into few node requests.
 */
const SENT_FACTOR = 8;
/** Maximum wait for the network slots of a batch, ms. */
const GROUP_WAIT_MS = 250;

export type BatchRunnerParts = {
  readonly runner: CallRunner;
  readonly watch: CallWatch | undefined;
  /** Budget for buffered responses. */
  readonly reservedAnswers: SharedBudget;
  /** Limits of batches on embedded chains. */
  readonly limits: Pick<BatchLimits, 'concurrency' | 'answerBytes'>;
};

/**
 * Runs batches. On a network served by upstream nodes, a batch runs many items concurrently as soon as its key has enough network slots. If too few
 * slots become free in time, the batch runs with the lower concurrency of embedded chains. A batch that got too few slots runs calls as groups only
 * while slots are free. Without the lower concurrency, a key with many batches would occupy all its slots, and its single calls would be refused.
 */
export class BatchRunner {
  readonly #parts: BatchRunnerParts;
  readonly #limits: BatchLimits;
  /** Limits of batches on networks that upstream nodes serve. */
  readonly #sentLimits: BatchLimits;
  readonly #readEnd: (() => number) | undefined;

  constructor(parts: BatchRunnerParts) {
    const { limits, watch } = parts;
    this.#parts = parts;
    this.#limits = limits;
    this.#sentLimits = { ...limits, concurrency: SENT_FACTOR * limits.concurrency };
    this.#readEnd = watch === undefined ? undefined : (): number => watch.endedAt;
  }

  /** Returns the responses to the items of a batch, in the order of the items. */
  run(items: readonly BatchItem[], context: BodyContext): PromiseOrValue<JsonResult> {
    const { network, principal } = context.session;
    if (network.hasNodes !== true) {
      const { runner } = this.#parts;
      return this.#runWith(items, context, this.#limits, (item, at) => runner.runItem(item, context, at));
    }
    const { slots } = network;
    if (slots === undefined) return this.#runCoalesced(items, context, this.#sentLimits);
    const owner = principal.id;
    const places = Math.min(items.length, this.#sentLimits.concurrency);
    if (slots.hasRoom(owner, places)) {
      slots.take(owner, places);
      return this.#runReserved(items, context, this.#sentLimits, slots, places);
    }
    const room =
      places > this.#limits.concurrency && slots.waitForGroup(owner, places, GROUP_WAIT_MS, context.scope);
    if (room === false) return this.#runReserved(items, context, this.#limits, slots, 0);
    return room.then((hasRoom) =>
      hasRoom
        ? this.#runReserved(items, context, this.#sentLimits, slots, places)
        : this.#runReserved(items, context, this.#limits, slots, 0),
    );
  }

  /** @param taken number of network slots that the key has taken for the batch */
  #runReserved(
    items: readonly BatchItem[],
    context: BodyContext,
    limits: BatchLimits,
    slots: FairQueue,
    taken: number,
  ): PromiseOrValue<JsonResult> {
    const reservedSlots = new ReservedSlots(slots, context.session.principal.id, taken);
    return reservedSlots.during(() =>
      this.#runCoalesced(items, { ...context, reservedSlots }, limits, () => reservedSlots.release()),
    );
  }

  /** @param onBegun called when the last item has begun */
  #runCoalesced(
    items: readonly BatchItem[],
    context: BodyContext,
    limits: BatchLimits,
    onBegun?: () => void,
  ): PromiseOrValue<JsonResult> {
    const prepared = new BatchItems(items, context, this.#parts.runner);
    let begun = 0;
    const run: RunItem = (_item, at, position) => {
      const outcome = prepared.run(position, at);
      if (++begun === items.length) onBegun?.();
      return outcome;
    };
    const answer = this.#runWith(items, context, limits, run, (...range) => prepared.prepare(...range));
    return continueWith(answer, (completed) => {
      prepared.abandon();
      return completed;
    });
  }

  #runWith(
    items: readonly BatchItem[],
    context: BodyContext,
    limits: BatchLimits,
    run: RunItem,
    prepare?: PrepareItems,
  ): PromiseOrValue<JsonResult> {
    const { watch, reservedAnswers } = this.#parts;
    const { scope } = context;
    const onRefused = (error: RpcError): void => watch?.noteWithheld(context, error);
    const memory = new AnswerMemory(reservedAnswers, scope.owner ?? '');
    return runBatch(items, run, { ...limits, onRefused }, scope, memory, this.#readEnd, prepare);
  }
}
