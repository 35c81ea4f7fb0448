/** A node behind proxies in their own process that delay each request and count it: one port for each program. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { serveBareProxy } from '../proxy/bare-proxy.ts';

/** Requests received over HTTP, and the JSON-RPC calls in them. */
export type NodeCounts = { requests: number; calls: number };

const ROLE = 'serve-delayed';
const METHOD = Buffer.from('"method"');

export class DelayedNode {
  readonly #child: ChildProcess;
  readonly ports: readonly number[];

  private constructor(child: ChildProcess, ports: readonly number[]) {
    this.#child = child;
    this.ports = ports;
  }

  static async start(url: string, ports: number): Promise<DelayedNode> {
    const child = fork(fileURLToPath(import.meta.url), [ROLE, url, String(ports)]);
    const [listening] = (await once(child, 'message')) as [readonly number[]];
    return new DelayedNode(child, listening);
  }

  /** @param delay delay of each request, milliseconds */
  async setDelay(delay: number): Promise<void> {
    await this.#ask(delay);
  }

  /** Reads the counts of a port so far. */
  async readCounts(port: number): Promise<Readonly<NodeCounts>> {
    return (await this.#ask('counts'))[this.ports.indexOf(port)] as NodeCounts;
  }

  stop(): void {
    this.#child.kill();
  }

  async #ask(request: number | 'counts'): Promise<readonly NodeCounts[]> {
    this.#child.send(request);
    const [counts] = (await once(this.#child, 'message')) as [readonly NodeCounts[]];
    return counts;
  }
}

async function runChild(url: string, ports: number): Promise<void> {
  let delay = 0;
  const counts: NodeCounts[] = [];
  const serve = (): Promise<number> => {
    const own: NodeCounts = { requests: 0, calls: 0 };
    counts.push(own);
    return serveBareProxy(url, (body, pass) => {
      own.requests++;
      for (let at = body.indexOf(METHOD); at >= 0; at = body.indexOf(METHOD, at + 1)) own.calls++;
      if (delay === 0) pass();
      else setTimeout(pass, delay);
    });
  };
  process.on('message', (request: number | 'counts') => {
    if (request !== 'counts') delay = request;
    process.send?.(counts);
  });
  process.on('disconnect', () => process.exit());
  process.send?.(await Promise.all(Array.from({ length: ports }, serve)));
}

if (process.argv[2] === ROLE) await runChild(String(process.argv[3]), Number(process.argv[4]));
