/** The nodes of the proxy bench: all of them on one chain, in one process, which is not the measuring one. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { FullChain } from './full-chain.ts';
import { MadeChain } from './made-chain.ts';
import { type Counts, NodeAnswers } from './node-answers.ts';
import { serveNode } from './node-server.ts';

const ROLE = 'serve-nodes';

export class Nodes {
  readonly #child: ChildProcess;
  readonly ports: readonly number[];

  private constructor(child: ChildProcess, ports: readonly number[]) {
    this.#child = child;
    this.ports = ports;
  }

  /** @param hasWhole whether their blocks have full transactions, which take some seconds to generate */
  static async start(count: number, hasWhole = false): Promise<Nodes> {
    const child = fork(fileURLToPath(import.meta.url), [ROLE, String(count), hasWhole ? 'whole' : '']);
    const [ports] = (await once(child, 'message')) as [readonly number[]];
    return new Nodes(child, ports);
  }

  get urls(): readonly string[] {
    return this.ports.map((port) => `http://127.0.0.1:${port}`);
  }

  get areUp(): boolean {
    return this.#child.connected;
  }

  /** Reads the counts of all requests to all nodes so far. */
  async readCounts(): Promise<Readonly<Counts>> {
    this.#child.send('counts');
    const [counts] = (await once(this.#child, 'message')) as [Counts];
    return counts;
  }

  stop(): void {
    this.#child.kill();
  }
}

async function runChild(count: number, hasWhole: boolean): Promise<void> {
  const chain = hasWhole ? new FullChain() : new MadeChain();
  const answers = new NodeAnswers(chain);
  process.on('message', () => process.send?.(answers.counts));
  process.on('disconnect', () => process.exit());
  process.send?.(await Promise.all(Array.from({ length: count }, () => serveNode(answers, chain))));
}

if (process.argv[2] === ROLE) await runChild(Number(process.argv[3]), process.argv[4] === 'whole');
