import { describeBoundRefusal, limitOf } from '../util/bounds.ts';
import { FairQueue } from '../util/fair-queue.ts';
import { SharedBudget } from '../util/shared-budget.ts';
import { ToolError } from './tool-error.ts';

/** Maximum time that a request to the gateway waits for its slot, ms. */
const WAIT_MS = 60_000;
/** Maximum number of waiting requests of all tool calls. */
const WAITING = 4_096;
/** Part of the slots that one tool call may use: 8 of 64. */
const SLOT_SHARE = 1 / 8;
/** Part of the bytes that the responses of one tool call may have. */
const BYTE_SHARE = 0.5;

/** Slots of requests to the gateway, of all tool calls of the process. */
const SLOTS = new FairQueue({
  running: limitOf('mcp.gatewayRequests'),
  ownerShare: SLOT_SHARE,
  waiting: WAITING,
  waitMs: WAIT_MS,
});
/** Bytes of the gateway's responses that tool calls hold. */
const BYTES = new SharedBudget(limitOf('mcp.answerBytes'), BYTE_SHARE);

let calls = 0;

/** Share of one tool call in what the process has: slots of requests to the gateway, and bytes of their responses. */
export class GatewayWork {
  readonly #owner = String(calls++);
  #hasEnded = false;

  /**
   * Sends a request when a slot is free.
   * @throws ToolError if no slot becomes free in time
   */
  async run<T>(signal: AbortSignal, send: () => Promise<T>): Promise<T> {
    if (SLOTS.hasRoom(this.#owner)) SLOTS.take(this.#owner);
    else if (!(await SLOTS.wait(this.#owner, signal)))
      throw new ToolError(describeBoundRefusal('mcp.gatewayRequests'));
    try {
      this.#checkEnd();
      return await send();
    } finally {
      SLOTS.leave(this.#owner);
    }
  }

  /**
   * Counts bytes of a response that has arrived.
   * @throws ToolError if there is no room for them
   */
  takeBytes(bytes: number): void {
    this.#checkEnd();
    if (!BYTES.tryTake(this.#owner, bytes)) throw new ToolError(describeBoundRefusal('mcp.answerBytes'));
  }

  /** Gives back the bytes, when the tool call has its result. Requests that are still in progress, such as those beside one that failed, fail. */
  end(): void {
    this.#hasEnded = true;
    BYTES.giveBack(this.#owner, BYTES.usedBy(this.#owner));
  }

  #checkEnd(): void {
    if (this.#hasEnded) throw new ToolError('the tool call has ended');
  }
}
