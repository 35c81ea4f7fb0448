import { WebSocket } from 'ws';
import type { Due, Sender } from './pacer.ts';
import { DEVNET_HOST, type Lane } from './plan.ts';
import type { Tally } from './tally.ts';

/** Close codes of a service that goes away and is, or will be, available elsewhere. */
const CLEAN: ReadonlySet<number> = new Set([1001, 1012]);
/**
 * A message sent this shortly before such a close was received may have crossed it and was then not accepted. Where processes stall,
 * answers take longer: twice the slowest answer is added.
 */
const CROSSING_MS = 500;
const RECONNECT_MS = { least: 20, spread: 80 };
const MAX_OWED = 16;

type Owed = Due & { readonly sentAt: number };

/** A WebSocket that reconnects when it is closed, like clients do. */
export class WebSocketSender implements Sender {
  readonly #lane: Lane;
  readonly #tally: Tally;
  readonly #onIdle: () => void;
  readonly #sendAgain: (due: Due) => void;
  readonly #owed = new Map<number, Owed>();
  #socket: WebSocket | undefined;
  #slowestMs = 0;
  #isOver = false;

  constructor(lane: Lane, tally: Tally, onIdle: () => void, sendAgain: (due: Due) => void) {
    this.#lane = lane;
    this.#tally = tally;
    this.#onIdle = onIdle;
    this.#sendAgain = sendAgain;
  }

  get canSend(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN && this.#owed.size < MAX_OWED;
  }

  get owed(): number {
    return this.#owed.size;
  }

  open(): Promise<void> {
    return new Promise((resolve) => this.#connect(resolve));
  }

  send(due: Due): void {
    this.#owed.set(due.request.id, { ...due, sentAt: performance.now() });
    this.#socket?.send(due.request.text, () => {});
  }

  close(): void {
    this.#isOver = true;
    this.#socket?.terminate();
  }

  #connect(onOpen: () => void): void {
    const { port, key, host = DEVNET_HOST, isSecure } = this.#lane;
    const socket = new WebSocket(`${isSecure === true ? 'wss' : 'ws'}://127.0.0.1:${port}/ws/v3/${key}`, {
      headers: { host },
      rejectUnauthorized: false,
      perMessageDeflate: false,
      skipUTF8Validation: true,
    });
    let wasOpen = false;
    socket.on('open', () => {
      wasOpen = true;
      onOpen();
      this.#onIdle();
    });
    socket.on('error', (error) => {
      if (!wasOpen && !this.#isOver) this.#tally.fail(`WebSocket not opened: ${error.message}`);
    });
    socket.on('message', (data) => this.#receive(String(data)));
    socket.on('close', (code) => {
      if (this.#isOver) return;
      if (wasOpen) this.#complete(code);
      const again = RECONNECT_MS.least + Math.random() * RECONNECT_MS.spread;
      setTimeout(() => this.#connect(onOpen), again);
    });
    this.#socket = socket;
  }

  #receive(text: string): void {
    const id = Number(/"id":(\d+)/.exec(text)?.[1]);
    const owed = this.#owed.get(id);
    if (owed === undefined) {
      this.#tally.fail('an answer to nothing');
      return;
    }
    this.#owed.delete(id);
    this.#slowestMs = Math.max(this.#slowestMs, performance.now() - owed.sentAt);
    this.#tally.check(owed.request, owed.at, { status: 200, text, retryAfter: undefined });
    this.#onIdle();
  }

  #complete(code: number): void {
    this.#tally.countClose(code);
    const since = performance.now() - CROSSING_MS - 2 * this.#slowestMs;
    if (this.#owed.size > 0) this.#tally.countBroken();
    for (const due of this.#owed.values()) {
      if (CLEAN.has(code) && due.sentAt >= since) {
        this.#tally.countCrossed();
        this.#sendAgain(due);
      } else this.#tally.fail(`unanswered at close ${code}`);
    }
    this.#owed.clear();
  }
}
