import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FromLoad, hasSeenAll, type Lane, type LaneReport, type ToLoad } from './plan.ts';

const CHILD = join(import.meta.dirname, 'load-child.js');
const LOOK_MS = 200;
const PATIENCE_MS = 60_000;

/** How long it goes on: in seconds alone where it is measured; in a test until all that it asks about was seen, too. */
export type Span = { readonly ms: number; readonly untilSeen?: boolean };

/** Clients of a service, in a process of their own. */
export class Load {
  readonly #child: ChildProcess;
  #lanes: readonly Lane[] = [];

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** @param isElsewhere its clients would be on other machines: they are not to take processors from those that are measured */
  static async open(isElsewhere: boolean = false): Promise<Load> {
    const child = fork(CHILD, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    await once(child, 'message');
    if (isElsewhere) setPriority(child.pid as number, constants.priority.PRIORITY_BELOW_NORMAL);
    return new Load(child);
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  /** Opens one that sends at once. */
  static async begin(lanes: readonly Lane[]): Promise<Load> {
    const load = await Load.open();
    await load.begin(lanes);
    return load;
  }

  /** Resolves when all WebSockets are open; from then on it sends, until the end. Then it may begin again. */
  async begin(lanes: readonly Lane[]): Promise<void> {
    this.#lanes = lanes;
    await this.#ask({ say: 'begin', lanes });
  }

  /** Lets it go on for a while. */
  async goOn({ ms, untilSeen = false }: Span): Promise<void> {
    await sleep(ms);
    const until = performance.now() + PATIENCE_MS;
    while (untilSeen && performance.now() < until) {
      if (hasSeenAll(this.#lanes, await this.#look())) return;
      await sleep(LOOK_MS);
    }
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

  async #look(): Promise<readonly LaneReport[]> {
    return (await this.#ask({ say: 'look' })) as readonly LaneReport[];
  }

  async #ask(message: ToLoad): Promise<FromLoad> {
    this.#child.send(message);
    const [answer] = (await once(this.#child, 'message')) as [FromLoad];
    return answer;
  }
}
