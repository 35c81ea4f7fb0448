import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import type { FromLoad, Lane, LaneReport, ToLoad } from './plan.ts';

const CHILD = join(import.meta.dirname, 'load-child.js');

/** Clients of a service, in a process of their own. */
export class Load {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** @param isElsewhere its clients would be on other machines: they are not to take processors from those that are measured */
  static async open(isElsewhere: boolean = false): Promise<Load> {
    const child = fork(CHILD, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    await once(child, 'message');
    if (isElsewhere) setPriority(child.pid as number, constants.priority.PRIORITY_LOW);
    return new Load(child);
  }

  /** Opens one that sends at once. */
  static async begin(lanes: readonly Lane[]): Promise<Load> {
    const load = await Load.open();
    await load.begin(lanes);
    return load;
  }

  /** Resolves when all WebSockets are open; from then on it sends, until the end. Then it may begin again. */
  async begin(lanes: readonly Lane[]): Promise<void> {
    await this.#ask({ say: 'begin', lanes });
  }

  /** What happened since the last time, lane by lane. */
  async cut(): Promise<readonly LaneReport[]> {
    return (await this.#ask({ say: 'cut' })) as readonly LaneReport[];
  }

  /** Sends nothing more, and waits for what is under way. */
  async end(): Promise<readonly LaneReport[]> {
    return (await this.#ask({ say: 'end' })) as readonly LaneReport[];
  }

  close(): void {
    if (this.#child.connected) this.#child.disconnect();
  }

  async #ask(message: ToLoad): Promise<FromLoad> {
    this.#child.send(message);
    const [answer] = (await once(this.#child, 'message')) as [FromLoad];
    return answer;
  }
}
