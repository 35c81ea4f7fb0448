/**
 * A filter over HTTP, where each poll uses its own connection, to one replica after another and any worker. It is polled again after any response or failure.
 * The expectation is that of docs/subscriptions.md: each change comes once, except in a response that a killed process had sent.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import type { ForkBlock } from '../chain/fork-chain.ts';
import { FaultCount, type Follower } from './follower.ts';
import { HeadsFollower } from './heads-follower.ts';
import { type Criteria, LogsFollower } from './logs-follower.ts';

const POLL_MS = 250;
const ANSWER_MS = 60_000;
/** Number of recent events reported in a complaint. */
const KEPT_EVENTS = 12;
/** Hashes and numbers, which vary between errors of one kind. */
const VARIABLE = /0x[0-9a-f]+|\b\d+\b/g;

/** The polled service, and the disturbances that affect filters. */
export type PolledService = {
  readonly programs: readonly { readonly port: number }[];
  readonly path: string;
  readonly killedAt: number;
  /** The server that stores the filters shared by replicas. */
  readonly store: { readonly emptiedAt: number } | undefined;
};

/** Finds a block on any branch. */
export type FindBlock = (hash: string) => ForkBlock | undefined;
type Answer = {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
};
type LogResult = { readonly blockHash: string; readonly removed: boolean };

export class FilterPoller {
  readonly name: string;
  /** Number of filters made. */
  made = 0;
  /** Number of responses sent again after the end of a process. */
  repeated = 0;
  /** Errors after which the same filter was polled again, by kind. */
  readonly refusals: Map<string, number> = new Map();
  readonly #count = new FaultCount();
  readonly #criteria: Criteria | undefined;
  readonly #find: FindBlock;
  readonly #service: PolledService;
  /** Follower of the polled filter. */
  #follower: Follower | undefined;
  #received = 0;
  #polls = 0;
  #requested = 0;
  /** Non-empty responses of the filter, and the time of the last request that got one. */
  #answers: (readonly unknown[])[] = [];
  #lastAskedAt = -Infinity;
  #madeAt = 0;
  /** The last added or removed blocks, with the polls that reported them. */
  readonly #events: string[] = [];
  #isStopped = false;
  #done: Promise<void> | undefined;

  /** @param criteria criteria of a log filter; undefined makes a block filter */
  constructor(name: string, criteria: Criteria | undefined, service: PolledService, find: FindBlock) {
    this.name = name;
    this.#criteria = criteria;
    this.#service = service;
    this.#find = find;
  }

  start(): void {
    this.#done = this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#done;
  }

  get received(): number {
    return this.#received;
  }

  /** Whether the current filter has returned all changes up to the head; one that has returned nothing counts as complete. */
  isAt(head: ForkBlock): boolean {
    return this.#follower === undefined ? this.made > 0 : this.#follower.isAt(head);
  }

  check(head: ForkBlock): FaultCount {
    if (this.made === 0) this.#count.add('lost', `${this.name}: there was no filter`);
    this.#follower?.check(head);
    if (this.#follower !== undefined) this.#keep(this.#follower);
    return this.#count;
  }

  async #run(): Promise<void> {
    let id: unknown;
    while (!this.#isStopped) {
      try {
        id = id === undefined ? await this.#make() : await this.#poll(id);
      } catch {
        // The next poll returns the changes that this one lost.
      }
      await sleep(POLL_MS);
    }
  }

  /** @returns the id of the new filter; undefined when none was made */
  async #make(): Promise<unknown> {
    const criteria = this.#criteria;
    const madeAt = performance.now();
    const { result } = await (criteria === undefined
      ? this.#ask('eth_newBlockFilter')
      : this.#ask('eth_newFilter', criteria));
    if (result === undefined) return undefined;
    if (this.#follower !== undefined) this.#keep(this.#follower);
    this.#follower = undefined;
    this.#madeAt = madeAt;
    this.#answers = [];
    this.made++;
    this.#note('new filter');
    return result;
  }

  /** @returns the id of the filter to poll next; undefined when it is gone */
  async #poll(id: unknown): Promise<unknown> {
    const requestedAt = performance.now();
    const { result, error } = await this.#ask('eth_getFilterChanges', id);
    this.#polls++;
    if (error === undefined) {
      this.#acceptAll((result ?? []) as readonly unknown[], requestedAt);
      return id;
    }
    if (error.message.startsWith('filter not found')) {
      const { store } = this.#service;
      if (store === undefined || store.emptiedAt < this.#madeAt)
        this.#count.add('refused', `${this.name}: ${error.message}`);
      return undefined;
    }
    // A failed read consumes no changes, and the next poll continues.
    const kind = error.message.replace(VARIABLE, 'N');
    this.refusals.set(kind, (this.refusals.get(kind) ?? 0) + 1);
    return id;
  }

  #acceptAll(items: readonly unknown[], requestedAt: number): void {
    if (items.length === 0) return;
    const wasKilled = this.#service.killedAt >= this.#lastAskedAt && this.#answers.length > 0;
    this.#lastAskedAt = requestedAt;
    // A process that ended may have sent the last response without recording it; then this response begins where that one began.
    if (wasKilled && this.#countFaults([...this.#answers, items]) > this.#countFaults(this.#answers)) {
      const earlier = this.#answers.slice(0, -1);
      if (this.#countFaults([...earlier, items]) <= this.#countFaults(earlier)) {
        this.repeated++;
        this.#answers.pop();
        this.#follower = this.#follow(this.#answers);
      }
    }
    this.#answers.push(items);
    for (const item of items) this.#accept(item);
  }

  #countFaults(answers: readonly (readonly unknown[])[]): number {
    return this.#follow(answers)?.complaints.length ?? 0;
  }

  /** Replays responses, and returns their follower. */
  #follow(answers: readonly (readonly unknown[])[]): Follower | undefined {
    let follower: Follower | undefined;
    for (const item of answers.flat()) follower = this.#take(item, follower);
    return follower;
  }

  #accept(item: unknown): void {
    this.#received++;
    const before = this.#follower?.complaints.length ?? 0;
    const block = this.#findBlock(item);
    if (block?.parent === undefined) {
      this.#count.add('disordered', `${this.name}: ${JSON.stringify(item)} is of no block that was made`);
      return;
    }
    this.#note(
      `poll ${this.#polls}: ${this.#isRemoved(item) ? '-' : '+'}${block.number} ${block.hash.slice(0, 10)}`,
    );
    this.#follower = this.#take(item, this.#follower);
    const after = this.#follower?.complaints ?? [];
    if (before === 0 && after.length > 0)
      this.#count.complaints.push(`${this.name}: ${after[0]} in ${this.#events.join(', ')}`);
  }

  #note(event: string): void {
    if (this.#events.at(-1) === event) return;
    this.#events.push(event);
    if (this.#events.length > KEPT_EVENTS) this.#events.shift();
  }

  #findBlock(item: unknown): ForkBlock | undefined {
    return this.#find(this.#criteria === undefined ? String(item) : (item as LogResult).blockHash);
  }

  #isRemoved(item: unknown): boolean {
    return this.#criteria !== undefined && (item as LogResult).removed;
  }

  /** Applies one item. @returns the follower afterwards */
  #take(item: unknown, follower: Follower | undefined): Follower | undefined {
    const block = this.#findBlock(item);
    if (block?.parent === undefined) return follower;
    const isRemoved = this.#isRemoved(item);
    // A reorg right after the creation of the filter removes blocks from before it.
    if (isRemoved && follower === undefined) return undefined;
    const { hash, number, parent } = block;
    const isLog = this.#criteria !== undefined;
    const next =
      follower ??
      (isLog
        ? new LogsFollower(this.name, this.#criteria ?? {}, parent)
        : new HeadsFollower(this.name, 'none', parent));
    if (!isRemoved && next instanceof LogsFollower) next.goTo(block);
    next.accept(isLog ? item : { hash, number: `0x${number.toString(16)}`, parentHash: parent.hash });
    return next;
  }

  #keep({ faults, complaints }: Follower): void {
    for (const kind of Object.keys(faults) as (keyof typeof faults)[]) {
      if (faults[kind] > 0) this.#count.add(kind, `${this.name}: ${complaints[0]}`, faults[kind]);
    }
  }

  async #ask(method: string, ...params: readonly unknown[]): Promise<Answer> {
    const { programs, path } = this.#service;
    const { port } = programs[this.#requested++ % programs.length] as { readonly port: number };
    const { body } = await request(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      reset: true,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    return (await body.json()) as Answer;
  }
}
