/** The built-in devnet, served as a node. */
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { askNode } from './faults/ask-node.ts';
import { type RunningService, startService } from './service.ts';

export type DevnetNode = {
  /** Known once tests run. */
  readonly url: string;
  /** @returns the result; an error fails the test */
  ask(method: string, ...params: readonly unknown[]): Promise<unknown>;
};

let starting: Promise<RunningService> | undefined;
let url = '';

const NODE: DevnetNode = {
  get url() {
    return url;
  },
  async ask(method, ...params) {
    // Hooks at the top of files run at the same time, and one of them may ask.
    await starting;
    const answer = await askNode(url, { method, params });
    assert.ok('result' in answer, JSON.stringify(answer));
    return answer.result;
  },
};

async function start(): Promise<RunningService> {
  const service = await startService({ networks: { devnet: { hosts: ['localhost'], builtin: 'devnet' } } });
  url = `http://${service.authority}/devnet/v3/demo`;
  return service;
}

/** To be called at the top of a file. All files of a process have the same node, which runs from before their tests until after them. */
export function useDevnetNode(): DevnetNode {
  if (starting !== undefined) return NODE;
  starting = start();
  before(() => starting);
  after(async () => (await starting)?.close());
  return NODE;
}
