/** A client: one connection with its subscribers. It reconnects after a break, and each subscriber resumes where it stopped. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Connect, type Connection, RefusedError } from './connection.ts';
import type { CutProxy } from './cut-proxy.ts';
import type { Follower } from './follower.ts';

const CONNECT_PAUSE_MS = 100;
const CALL_PAUSE_MS = 200;
/** Errors unknownStart and startTooFar of docs/errors.md. */
const CANNOT_GO_ON = -32001;

type State = 'connecting' | 'connected' | 'away';

export class Session {
  readonly name: string;
  readonly followers: readonly Follower[];
  readonly proxy: CutProxy;
  /** Number of connections opened. */
  opened = 0;
  /** Milliseconds between the end of a connection and the next one. */
  awayMs = 0;
  /** Failed connection attempts by error text. */
  readonly failures: Map<string, number> = new Map();
  /** Temporarily refused subscriptions by error text. */
  readonly refusals: Map<string, number> = new Map();
  readonly #connect: Connect;
  readonly #path: string;
  readonly #explain: (refusal: string) => Promise<string>;
  #connection: Connection | undefined;
  #state: State = 'away';
  #stateSince = performance.now();
  #isStopped = false;
  #done: Promise<void> | undefined;

  /** @param explain returns known reasons why a subscription cannot resume */
  constructor(
    name: string,
    connect: Connect,
    proxy: CutProxy,
    path: string,
    followers: readonly Follower[],
    explain: (refusal: string) => Promise<string>,
  ) {
    this.name = name;
    this.followers = followers;
    this.proxy = proxy;
    this.#connect = connect;
    this.#path = path;
    this.#explain = explain;
  }

  /** Current state, and its duration. */
  get state(): string {
    return `${this.#state} for ${((performance.now() - this.#stateSince) / 1_000).toFixed(1)} s`;
  }

  start(): void {
    this.#done = this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#connection?.close();
    await this.#done;
    await this.proxy.close();
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      try {
        const url = `ws://127.0.0.1:${this.proxy.port}${this.#path}`;
        this.#enter('connecting');
        const connection = await this.#connect(url);
        this.#enter('connected');
        this.#connection = connection;
        if (this.#isStopped) connection.close();
        this.opened++;
        let isOpen = true;
        const closed = connection.closed.then(() => {
          isOpen = false;
        });
        for (const follower of this.followers) void this.#subscribe(connection, follower, () => isOpen);
        await closed;
        this.#connection = undefined;
        this.#enter('away');
        if (!this.#isStopped) for (const follower of this.followers) follower.interrupt();
        await sleep(this.#isStopped ? 0 : this.awayMs);
      } catch (error) {
        const { message } = error as Error;
        this.failures.set(message, (this.failures.get(message) ?? 0) + 1);
        await sleep(CONNECT_PAUSE_MS);
      }
    }
  }

  #enter(state: State): void {
    this.#state = state;
    this.#stateSince = performance.now();
  }

  async #subscribe(connection: Connection, follower: Follower, isOpen: () => boolean): Promise<void> {
    while (isOpen()) {
      try {
        await connection.subscribe(follower.params, (result) => {
          if (isOpen()) follower.accept(result);
        });
        return;
      } catch (error) {
        // Any other error means that the connection ended.
        if (!(error instanceof RefusedError)) return;
        this.refusals.set(error.message, (this.refusals.get(error.message) ?? 0) + 1);
        if (error.code === CANNOT_GO_ON) follower.refuse(await this.#explain(error.message));
        else await sleep(CALL_PAUSE_MS);
      }
    }
  }
}
