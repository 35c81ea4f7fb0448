/** A node of the network under test, and its disturbances. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ForkBlock } from '../chain/fork-chain.ts';

const RETRY_MS = 50;
/** Longest time without a delivered block on a busy machine. */
const DELIVERY_MS = 240_000;

/** Operations of one kind of node. Each rejects when the process is not up; the caller tries again. */
export interface NodeProcess {
  /** URL in the service's configuration. */
  readonly url: string;
  readonly httpUrl: string;
  /** Delivers the blocks that the node lacks, and makes this one its head. */
  deliver(block: ForkBlock): Promise<void>;
  /** Number of blocks delivered to it. */
  readonly provided: number;
  /** Description of how its process ended; undefined while it runs. */
  readonly end: string | undefined;
  /** Suspends the process: connections stay, nothing is answered. */
  pause(): void;
  goOn(): void;
  /** Kills the process without a warning. */
  kill(): Promise<void>;
  /** Restarts the process at its address. @param isNew discards all its data */
  restart(isNew: boolean): Promise<void>;
  dispose(): Promise<void>;
}

/** Follows the chain by delivered blocks, unless it is disturbed. */
export class Peer {
  readonly name: string;
  readonly process: NodeProcess;
  /** Whether a disturbance is in progress. */
  isDisturbed = false;
  #wanted: ForkBlock;
  /** Block that it follows instead of the chain's head. */
  #pinned: ForkBlock | undefined;
  /** Last delivered block; undefined from a restart to the first delivery. */
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

  /** Makes this block its head, after a while. */
  follow(head: ForkBlock): void {
    this.#wanted = head;
    void this.#deliver();
  }

  /** Keeps the node at a block, whatever the chain's head is, until `unpin`. */
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
   * Resolves when it has received, since its start, the target of some moment: on a busy machine the head has moved by then.
   * @throws Error when it makes no progress, with the last error of the node
   */
  whenDelivered(): Promise<void> {
    return this.#until(() => this.#delivered !== undefined);
  }

  /** Resolves when it has its current target. @throws Error when it makes no progress, with the last error of the node */
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

  /** Restarts a process that ended without being killed here, as a supervisor does; a machine may lack room for it. */
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
