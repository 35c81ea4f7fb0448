import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { startNode } from './served-node.ts';

const DATA = '0xcafe';
/** The call that the node answers with `0x`, but only after `release`. */
export const HELD_CALL: { readonly method: string; readonly params: readonly [object, string] } = {
  method: 'eth_call',
  params: [{ to: `0x${'11'.repeat(20)}`, data: DATA }, 'latest'],
};

export type HeldNode = {
  readonly url: string;
  /** Calls received and not answered. */
  readonly reserved: () => number;
  /** Answers the waiting calls and all later ones. */
  release(): void;
};

/** Starts a healthy node that withholds the answer to `HELD_CALL`. */
export async function startHeldNode(t: TestContext): Promise<HeldNode> {
  const node = await startNode(t, { chainId: 99 });
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let reserved = 0;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    if (body.includes(DATA)) {
      reserved++;
      await released;
      reserved--;
    }
    const answer = await fetch(node.url, { method: 'POST', body });
    response.setHeader('content-type', 'application/json');
    response.end(await answer.text());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    release();
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, reserved: () => reserved, release: () => release() };
}
