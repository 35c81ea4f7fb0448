import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { giveIdlePriority, lowerPriority } from '../../support/idle-priority.ts';
import type { Target } from '../abuse.ts';
import type { FromAttack, ToAttack } from './plan.ts';
import type { AttackReport } from './seen.ts';

const CHILD = join(import.meta.dirname, 'attack-child.js');

/** Processor share of the attackers: `idle` gets only what all others leave, `low` always gets a small part. */
export type AttackPriority = 'idle' | 'low' | 'normal';

/** Handle of the attackers, which run in a separate process because real ones would be on other machines. */
export class Attack {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async open(priority: AttackPriority): Promise<Attack> {
    const child = fork(CHILD, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    await once(child, 'message');
    const pid = child.pid as number;
    if (priority === 'low') lowerPriority(pid);
    if (priority === 'idle') giveIdlePriority(pid);
    return new Attack(child);
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  /** Resolves when the attackers have begun. @throws Error when the abuse cannot be made */
  async begin(abuse: string, target: Target): Promise<void> {
    const answer = await this.#ask({ say: 'begin', abuse, target });
    if (typeof answer === 'object' && 'failed' in answer) throw new Error(answer.failed);
  }

  /** Makes the attackers compute for this share of a processor, and send nothing, until `end`. */
  async compute(share: number): Promise<void> {
    await this.#ask({ say: 'compute', share });
  }

  /** Ends the abuse and closes all its connections. */
  async end(): Promise<AttackReport> {
    return (await this.#ask({ say: 'end' })) as AttackReport;
  }

  close(): void {
    if (this.#child.connected) this.#child.disconnect();
  }

  async #ask(message: ToAttack): Promise<FromAttack> {
    this.#child.send(message);
    const [answer] = (await once(this.#child, 'message')) as [FromAttack];
    return answer;
  }
}
