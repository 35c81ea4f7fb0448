/** The built-in devnet, served as a node. */
import { after, before } from 'node:test';
import { askResult, rememberNode, type Truth } from '../verified/truth.ts';
import type { AskNode } from './faults/fault.ts';
import { startService } from './service.ts';

export type DevnetNode = {
  /** Available once tests run. */
  readonly url: string;
  /** Answers of the node, requested once per call, because its chain does not grow. */
  readonly answer: AskNode;
  /** Returns the result; an error fails the test. */
  ask(method: string, ...params: readonly unknown[]): Promise<unknown>;
};

let starting: Promise<Truth> | undefined;
let url = '';
let truth: Truth;

const NODE: DevnetNode = {
  get url() {
    return url;
  },
  answer: (call) => truth.ask(call),
  async ask(method, ...params) {
    // Top-level hooks of files run at the same time, and one of them may send a request.
    await starting;
    return askResult(truth, method, ...params);
  },
};

async function start(): Promise<Truth> {
  const service = await startService({ networks: { devnet: { hosts: ['localhost'], builtin: 'devnet' } } });
  url = `http://${service.authority}/devnet/v3/demo`;
  truth = rememberNode('devnet', url, () => service.close());
  return truth;
}

/** Call at the top of a file. All files of a process share one node, which runs from before their tests until after them. */
export function useDevnetNode(): DevnetNode {
  if (starting !== undefined) return NODE;
  starting = start();
  before(() => starting);
  after(async () => (await starting)?.close());
  return NODE;
}
