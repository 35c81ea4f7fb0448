import { limitOf } from '../util/bounds.ts';
import { SCHEDULER } from '../util/slot-scheduler.ts';

/** Maximum number of messages that begin per scheduler slot. */
const MESSAGES_A_STEP = 8;
/** Maximum number of waiting messages. More messages arrive only in one read, and only if they are too short to be calls. */
const MAX_MESSAGES = limitOf('webSocket.messages');

export type WebSocketBacklogParts = {
  readonly owner: string;
  /** Returns whether the limit of running messages or of the send backlog is reached. */
  readonly isAtBound: () => boolean;
  readonly begin: (body: Buffer) => void;
  /** Called at the end of each scheduler slot. */
  readonly onStep: () => void;
};

/** Messages of one WebSocket that wait: for a scheduler slot of their owner, or because they were read before a pause of reading took effect. */
export class WebSocketBacklog {
  readonly #parts: WebSocketBacklogParts;
  readonly #messages: Buffer[] = [];
  #awaitsSlot = false;

  constructor(parts: WebSocketBacklogParts) {
    this.#parts = parts;
  }

  get isEmpty(): boolean {
    return this.#messages.length === 0;
  }

  get isFull(): boolean {
    return this.#messages.length >= MAX_MESSAGES;
  }

  add(body: Buffer): void {
    this.#messages.push(body);
    this.advance();
  }

  /** Requests a scheduler slot if messages wait. Does nothing while a limit is reached; must be called again when the limit is no longer reached. */
  advance(): void {
    if (this.#awaitsSlot || this.isEmpty || this.#parts.isAtBound()) return;
    this.#awaitsSlot = true;
    SCHEDULER.enter(this.#parts.owner, this.#takeSlot);
  }

  clear(): void {
    this.#messages.length = 0;
  }

  readonly #takeSlot = (): void => {
    const { isAtBound, begin, onStep } = this.#parts;
    this.#awaitsSlot = false;
    for (let count = 0; count < MESSAGES_A_STEP && !isAtBound(); count++) {
      const body = this.#messages.shift();
      if (body === undefined) break;
      begin(body);
    }
    this.advance();
    onStep();
  };
}
