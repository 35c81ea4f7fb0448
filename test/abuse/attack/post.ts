/** Complete requests over HTTP, one at a time per connection. */
import { Agent, request } from 'node:http';
import { request as requestSecurely, Agent as SecureAgent } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attacker } from '../abuse.ts';

/** Length of the part of an answer that is inspected. */
const START_BYTES = 2_048;
/** Delay after a request without an answer. */
const RETRY_MS = 20;

export type PostPlan = {
  readonly connections: number;
  readonly host: string;
  readonly method?: string;
  /** Default: the path of the target's key. */
  readonly path?: string | (() => string);
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Uint8Array | (() => Uint8Array);
  /** Number of source addresses, assigned to the connections in turn; by default all use the target's. */
  readonly addresses?: number;
  /** Delay between an answer and the next request of a connection, milliseconds. */
  readonly pause?: number;
};

/** Sends one request after the other over each connection until the attacker's signal aborts. */
export function postForever(attacker: Attacker, plan: PostPlan): void {
  for (let index = 0; index < plan.connections; index++) void postLoop(attacker, plan, index);
}

async function postLoop(attacker: Attacker, plan: PostPlan, index: number): Promise<void> {
  const { signal, target, seen } = attacker;
  const options = { keepAlive: true, maxSockets: 1 };
  const agent = target.isSecure
    ? new SecureAgent({ ...options, rejectUnauthorized: false })
    : new Agent(options);
  signal.addEventListener('abort', () => agent.destroy(), { once: true });
  const localAddress = plan.addresses === undefined ? target.address : `127.7.${index % plan.addresses}.1`;
  while (!signal.aborted) {
    try {
      await postOnce(attacker, plan, agent, localAddress);
      if (plan.pause !== undefined) await sleep(plan.pause);
    } catch (error) {
      if (signal.aborted) return;
      seen.note((error as NodeJS.ErrnoException).code ?? (error as Error).message);
      await sleep(RETRY_MS);
    }
  }
}

function postOnce(
  { target, seen, signal }: Attacker,
  plan: PostPlan,
  agent: Agent,
  localAddress: string,
): Promise<void> {
  const body = typeof plan.body === 'function' ? plan.body() : plan.body;
  const path = typeof plan.path === 'function' ? plan.path() : (plan.path ?? `/v3/${target.key}`);
  return new Promise((resolve, reject) => {
    const options = {
      agent,
      host: '127.0.0.1',
      port: target.port,
      localAddress,
      method: plan.method ?? 'POST',
      path,
      headers: {
        host: plan.host,
        'content-type': 'application/json',
        'content-length': body.length,
        ...plan.headers,
      },
      signal,
    };
    const outgoing = (target.isSecure ? requestSecurely : request)(options, (response) => {
      let start = '';
      response.on('data', (chunk: Buffer) => {
        seen.bytes += chunk.length;
        if (start.length < START_BYTES) start += chunk.toString('latin1', 0, START_BYTES);
      });
      response.once('error', reject);
      response.once('end', () => {
        seen.noteAnswer(response.statusCode, start);
        resolve();
      });
    });
    outgoing.once('error', reject);
    seen.sent++;
    outgoing.end(body);
  });
}
