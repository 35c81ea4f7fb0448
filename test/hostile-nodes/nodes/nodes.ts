import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { giveIdlePriority } from '../../support/idle-priority.ts';
import type { HostileCase } from '../cases.ts';
import type { CaseReport, FromHostile, HonestNodes, ToHonest, ToHostile } from './plan.ts';

/** Two honest nodes and the hostile ones, each kind in a separate process. */
export class Nodes {
  readonly honest: HonestNodes;
  readonly #honestChild: ChildProcess;
  readonly #hostileChild: ChildProcess;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(honestChild: ChildProcess, hostileChild: ChildProcess, honest: HonestNodes) {
    this.#honestChild = honestChild;
    this.#hostileChild = hostileChild;
    this.honest = honest;
  }

  /** @param isIdle whether they only get processor time that others leave, as if they were on other machines */
  static async open(isIdle: boolean): Promise<Nodes> {
    const honest = forkChild('honest-child.js', isIdle);
    const hostile = forkChild('hostile-child.js', isIdle);
    const [[pairs]] = (await Promise.all([once(honest, 'message'), once(hostile, 'message')])) as [
      [HonestNodes],
      unknown,
    ];
    return new Nodes(honest, hostile, pairs);
  }

  get pids(): readonly number[] {
    return [this.#honestChild.pid as number, this.#hostileChild.pid as number];
  }

  /** Opens a hostile node per case and closes the previous ones; they are honest until armed. @returns their URLs */
  async openHostile(cases: readonly HostileCase[]): Promise<readonly string[]> {
    const answer = (await this.#ask({ say: 'open', cases, source: this.honest.source })) as {
      readonly urls: readonly string[];
    };
    return answer.urls;
  }

  /** @param cases indexes in the list of cases */
  async arm(cases: readonly number[]): Promise<void> {
    await this.#ask({ say: 'arm', cases });
  }

  /** Opens or closes the late pair of honest nodes. */
  async setLate(isOpen: boolean): Promise<void> {
    this.#honestChild.send({ isOpen } satisfies ToHonest);
    await once(this.#honestChild, 'message');
  }

  /** Reads a report of each case. */
  async report(): Promise<readonly CaseReport[]> {
    return ((await this.#ask({ say: 'report' })) as { readonly reports: readonly CaseReport[] }).reports;
  }

  close(): void {
    for (const child of [this.#honestChild, this.#hostileChild]) if (child.connected) child.disconnect();
  }

  /** Sends messages one after another: answers come in the order of requests. */
  async #ask(message: ToHostile): Promise<FromHostile> {
    const answer = this.#last.then(async () => {
      this.#hostileChild.send(message);
      return ((await once(this.#hostileChild, 'message')) as [FromHostile])[0];
    });
    this.#last = answer.catch(() => undefined);
    return answer;
  }
}

function forkChild(name: string, isIdle: boolean): ChildProcess {
  const child = fork(join(import.meta.dirname, name), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  if (isIdle) giveIdlePriority(child.pid as number);
  return child;
}
