import type { JsonResult } from '../primitives/json-result.ts';
import type { PromiseOrValue } from '../primitives/promise-or-value.ts';
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
import { HeldTurns } from './held-turns.ts';

/**
 * On networks of nodes so many times as many items of a batch are in work at the same time as elsewhere, while its key has room for
 * them: they travel to nodes in few requests.
 */
const SENT_FACTOR = 8;
/** How long a batch waits for that room, milliseconds. */
const GROUP_WAIT_MS = 250;

export type BatchRunnerParts = {
  readonly runner: CallRunner;
  readonly watch: CallWatch | undefined;
  /** Memory for answers. */
  readonly heldAnswers: SharedBudget;
  /** Where nodes are not asked. */
  readonly limits: Pick<BatchLimits, 'concurrency' | 'answerBytes'>;
};

/**
 * Runs batches. On a network of nodes many items are in work at the same time, as soon as the key has room for them; where it does not
 * have it in time, as few as elsewhere, together as far as there is room for these: a key with many batches would else fill its room, and
 * its calls be refused.
 */
export class BatchRunner {
  readonly #parts: BatchRunnerParts;
  readonly #limits: BatchLimits;
  /** On networks of nodes. */
  readonly #sentLimits: BatchLimits;
  readonly #readEnd: (() => number) | undefined;

  constructor(parts: BatchRunnerParts) {
    const { limits, watch } = parts;
    this.#parts = parts;
    this.#limits = limits;
    this.#sentLimits = { ...limits, concurrency: SENT_FACTOR * limits.concurrency };
    this.#readEnd = watch === undefined ? undefined : (): number => watch.endedAt;
  }

  /** The responses to the items of a body, in their order. */
  run(items: readonly BatchItem[], context: BodyContext): PromiseOrValue<JsonResult> {
    const { network, principal } = context.session;
    if (network.hasNodes !== true) {
      const { runner } = this.#parts;
      return this.#runWith(items, context, this.#limits, (item, at) => runner.runItem(item, context, at));
    }
    const { turns } = network;
    if (turns === undefined) return this.#runTogether(items, context, this.#sentLimits);
    const owner = principal.id;
    const places = Math.min(items.length, this.#sentLimits.concurrency);
    if (turns.hasRoom(owner, places)) {
      turns.take(owner, places);
      return this.#runHeld(items, context, this.#sentLimits, turns, places);
    }
    const room =
      places > this.#limits.concurrency && turns.waitForGroup(owner, places, GROUP_WAIT_MS, context.scope);
    if (room === false) return this.#runHeld(items, context, this.#limits, turns, 0);
    return room.then((hasRoom) =>
      hasRoom
        ? this.#runHeld(items, context, this.#sentLimits, turns, places)
        : this.#runHeld(items, context, this.#limits, turns, 0),
    );
  }

  /** @param taken turns that the key has taken for it */
  #runHeld(
    items: readonly BatchItem[],
    context: BodyContext,
    limits: BatchLimits,
    turns: FairQueue,
    taken: number,
  ): PromiseOrValue<JsonResult> {
    const heldTurns = new HeldTurns(turns, context.session.principal.id, taken);
    return heldTurns.during(() =>
      this.#runTogether(items, { ...context, heldTurns }, limits, () => heldTurns.release()),
    );
  }

  /** @param onBegun called when the last item was begun */
  #runTogether(
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
    return this.#runWith(items, context, limits, run, (...range) => prepared.prepare(...range));
  }

  #runWith(
    items: readonly BatchItem[],
    context: BodyContext,
    limits: BatchLimits,
    run: RunItem,
    prepare?: PrepareItems,
  ): PromiseOrValue<JsonResult> {
    const { watch, heldAnswers } = this.#parts;
    const { scope } = context;
    const onRefused = (error: RpcError): void => watch?.noteWithheld(context, error);
    const memory = new AnswerMemory(heldAnswers, scope.owner ?? '');
    return runBatch(items, run, { ...limits, onRefused }, scope, memory, this.#readEnd, prepare);
  }
}
