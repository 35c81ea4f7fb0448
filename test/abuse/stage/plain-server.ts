import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Lane } from '../../operations/load/plan.ts';

const CHILD = join(import.meta.dirname, 'plain-child.js');

/** `request` is `[method, params]` as JSON. */
export type FixedAnswer = { readonly request: string; readonly result: string };
export type FromPlain = { readonly port: number };

/** Handle of the server in the place of the service, which runs in a separate process. */
export class PlainServer {
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  static async open(isSecure: boolean): Promise<PlainServer> {
    const child = fork(CHILD, isSecure ? ['secure'] : [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const [{ port }] = (await once(child, 'message')) as [FromPlain];
    return new PlainServer(child, port);
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  /** Sends the expected answers of the lanes to the server. */
  async learn(lanes: readonly Lane[]): Promise<void> {
    const answers: FixedAnswer[] = lanes
      .flatMap(({ requests }) => requests ?? [])
      .map(({ method, params, result }) => ({ request: JSON.stringify([method, params]), result }));
    this.#child.send(answers);
    await once(this.#child, 'message');
  }

  close(): void {
    if (this.#child.connected) this.#child.disconnect();
  }
}
