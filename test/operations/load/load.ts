import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FromLoad, hasSeenAll, type Lane, type LaneReport, type ToLoad } from './plan.ts';

const CHILD = join(import.meta.dirname, 'load-child.js');
const LOOK_MS = 200;
const PATIENCE_MS = 60_000;

/** Duration of a load: in benchmarks a time alone; in a test also until every expected outcome was seen. */
export type Span = { readonly ms: number; readonly untilSeen?: boolean };

/** Clients of a service, in a separate process. */
export class Load {
  readonly #child: ChildProcess;
  #lanes: readonly Lane[] = [];

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** @param isElsewhere whether its clients would be on other machines: they must not take processor time from the measured processes */
  static async open(isElsewhere: boolean = false): Promise<Load> {
    const child = fork(CHILD, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    await once(child, 'message');
    if (isElsewhere) setPriority(child.pid as number, constants.priority.PRIORITY_BELOW_NORMAL);
    return new Load(child);
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  /** Opens a load that sends at once. */
  static async begin(lanes: readonly Lane[]): Promise<Load> {
    const load = await Load.open();
    await load.begin(lanes);
    return load;
  }

  /** Resolves when all WebSockets are open; then it sends until the end, after which it may begin again. */
  async begin(lanes: readonly Lane[]): Promise<void> {
    this.#lanes = lanes;
    await this.#ask({ say: 'begin', lanes });
  }

  /** Lets it run for a while. */
  async goOn({ ms, untilSeen = false }: Span): Promise<void> {
    await sleep(ms);
    const until = performance.now() + PATIENCE_MS;
    while (untilSeen && performance.now() < until) {
      if (hasSeenAll(this.#lanes, await this.#look())) return;
      await sleep(LOOK_MS);
    }
  }

  /** Returns reports per lane since the last cut. */
  async cut(): Promise<readonly LaneReport[]> {
    return (await this.#ask({ say: 'cut' })) as readonly LaneReport[];
  }

  /** Stops sending, and waits for requests in flight. */
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
