/** A node of the network under test, and what can happen to it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ForkBlock } from '../chain/fork-chain.ts';

const RETRY_MS = 50;
/** Without a block that was delivered, on a busy machine. */
const DELIVERY_MS = 240_000;

/** What a kind of node does by itself. Each rejects where the process is not up; the caller tries again. */
export interface NodeProcess {
  /** As the service is configured with it. */
  readonly url: string;
  readonly httpUrl: string;
  /** Gives it the blocks that it lacks, and makes this one its head. */
  deliver(block: ForkBlock): Promise<void>;
  /** Blocks that it was given. */
  readonly provided: number;
  /** How its process ended; undefined while it runs. */
  readonly end: string | undefined;
  /** Stops it where it stands: connections stay, nothing is answered. */
  pause(): void;
  goOn(): void;
  /** Ends it without a warning. */
  kill(): Promise<void>;
  /** Starts it again at its address. @param isNew with nothing of what it had */
  restart(isNew: boolean): Promise<void>;
  dispose(): Promise<void>;
}

/** Follows the chain as it is given to it, unless it is disturbed. */
export class Peer {
  readonly name: string;
  readonly process: NodeProcess;
  /** Whether something happens to it. */
  isDisturbed = false;
  #wanted: ForkBlock;
  /** What it follows instead. */
  #pinned: ForkBlock | undefined;
  /** Undefined from its start to the first. */
  #delivered: ForkBlock | undefined;
  #failure = '';
  #isUp = true;
  #isDelivering = false;
  #isClosed = false;

  constructor(name: string, process: NodeProcess, head: ForkBlock) {
    this.name = name;
    this.process = process;
    this.#wanted = head;
    this.#delivered = head;
  }

  /** Has its head become this block, after a while. */
  follow(head: ForkBlock): void {
    this.#wanted = head;
    void this.#deliver();
  }

  /** Has it stay at a block, or go to it, whatever it is given; until `unpin`. */
  pin(block: ForkBlock): void {
    this.#pinned = block;
    void this.#deliver();
  }

  unpin(): void {
    this.#pinned = undefined;
    void this.#deliver();
  }

  async stop(): Promise<void> {
    this.#isUp = false;
    await this.process.kill();
  }

  async start(isNew: boolean): Promise<void> {
    await this.process.restart(isNew);
    this.#delivered = undefined;
    this.#isUp = true;
    void this.#deliver();
  }

  /**
   * Resolves once it has had, since its start, what it was to follow at some moment: on a busy machine the head is another one by then.
   * @throws Error when it does not go on, with what the node said last
   */
  whenDelivered(): Promise<void> {
    return this.#until(() => this.#delivered !== undefined);
  }

  /** Resolves once it has what it is to follow now. @throws as `whenDelivered` */
  whenThere(): Promise<void> {
    return this.#until(() => this.#delivered === (this.#pinned ?? this.#wanted));
  }

  async #until(isReached: () => boolean): Promise<void> {
    let provided = 0;
    let until = 0;
    while (!this.#isClosed && !isReached()) {
      if (until === 0 || provided !== this.process.provided) until = performance.now() + DELIVERY_MS;
      provided = this.process.provided;
      if (performance.now() > until) throw new Error(`${this.name} does not follow: ${this.#failure}`);
      await sleep(RETRY_MS);
    }
  }

  async dispose(): Promise<void> {
    this.#isClosed = true;
    await this.process.dispose();
  }

  /** What ended without being killed here, on a machine without room for it, is started again as by a supervisor. */
  async #restartEnded(): Promise<void> {
    const { end } = this.process;
    if (end === undefined || !this.#isUp || this.#isClosed) return;
    console.warn(`${this.name}: ${end}`);
    await this.process.restart(false);
  }

  async #deliver(): Promise<void> {
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    for (;;) {
      const target = this.#pinned ?? this.#wanted;
      if (this.#isClosed || !this.#isUp || target === this.#delivered) break;
      try {
        await this.process.deliver(target);
        this.#delivered = target;
      } catch (error) {
        const { message, cause } = error as Error;
        this.#failure = cause === undefined ? message : `${message}: ${cause}`;
        await sleep(RETRY_MS);
        await this.#restartEnded();
      }
    }
    this.#isDelivering = false;
  }
}
