/** A network of nodes, two of which are replaced by nodes with a forged chain, and its clients over HTTP and WebSocket. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { FaultUpstream } from '../../../support/fault-upstream.ts';
import type { Fault } from '../../../support/faults/fault.ts';
import { type Branch, type ForgedBranch, TOPS } from '../../../support/forged-branch.ts';
import { type RunningService, startService } from '../../../support/service.ts';
import type { AskedQuestion } from './agreement-questions.ts';

/** Failure of an honest node. */
export type Silence = 'dead' | 'slow' | 'flooded';

export const SILENCES: Readonly<Record<Silence, Fault>> = {
  dead: { delivery: { kind: 'refuse' } },
  slow: {
    async answer(call, ask) {
      await sleep(SLOW_MS);
      return ask(call);
    },
  },
  flooded: { delivery: { kind: 'status', status: 429 } },
};
/** Longer than the network waits for an answer, ms. */
const SLOW_MS = 1_500;
const ANSWER_LIMIT = '400ms';

export type Reply = {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
  readonly trust?: string;
};

type Push = { readonly params?: { readonly subscription: string; readonly result: unknown } };

export type Transport = 'HTTP' | 'WebSocket';

export class AttackedNetwork {
  readonly nodes: readonly FaultUpstream[];
  readonly #state: { branch: Branch; top: number }[];
  readonly #service: RunningService;
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  /** Payloads of subscription notifications. */
  readonly pushed: unknown[] = [];
  #id = 0;

  private constructor(
    state: { branch: Branch; top: number }[],
    nodes: readonly FaultUpstream[],
    service: RunningService,
    socket: WebSocket,
  ) {
    this.#state = state;
    this.nodes = nodes;
    this.#service = service;
    this.#socket = socket;
    socket.on('message', (data) => this.#take(JSON.parse(String(data))));
    socket.on('error', () => {});
  }

  /**
   * @param count number of nodes, each of its own operator; every second one is behind a WebSocket
   * @param options network options other than its nodes
   * @param prepare changes nodes before the service starts
   */
  static async open(
    branches: ForgedBranch,
    count: number,
    options: Readonly<Record<string, unknown>>,
    prepare: (nodes: readonly FaultUpstream[], state: { branch: Branch; top: number }[]) => Promise<void>,
  ): Promise<AttackedNetwork> {
    const state = Array.from({ length: count }, () => ({ branch: 'honest' as Branch, top: 15 }));
    const nodes = await Promise.all(
      state.map((node) => FaultUpstream.start((call) => branches.requestAt(node.branch, node.top, call))),
    );
    await prepare(nodes, state);
    const service = await startService({
      networks: {
        net: {
          hosts: ['localhost'],
          upstreams: nodes.map(({ httpUrl, webSocketUrl }, i) => ({
            url: i % 2 === 0 ? httpUrl : webSocketUrl,
            name: `node${i}`,
          })),
          methods: { also: ['debug_getRawBlock', 'debug_getRawHeader', 'debug_getRawReceipts'] },
          callTimeout: '3s',
          ...options,
          pool: {
            chainId: 1337,
            pollInterval: '20ms',
            blockTime: '40ms',
            headAge: '1s',
            retries: 0,
            answerTimeout: ANSWER_LIMIT,
            ...Object(options['pool']),
          },
        },
      },
    });
    const socket = new WebSocket(`ws://${service.authority}/net/ws/v3/demo?trust=1`);
    await once(socket, 'open');
    return new AttackedNetwork(state, nodes, service, socket);
  }

  /** Sets the chain and the head of a node from now on. */
  set(node: number, branch: Branch, top: number = TOPS[branch]): void {
    Object.assign(this.#state[node] ?? {}, { branch, top });
  }

  async ask({ method, params }: AskedQuestion, transport: Transport): Promise<Reply> {
    const id = ++this.#id;
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
    if (transport === 'WebSocket') {
      return new Promise((resolve) => {
        this.#waiting.set(id, resolve);
        this.#socket.send(body);
      });
    }
    const response = await fetch(`http://${this.#service.authority}/net/v3/demo?trust=1`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    return (await response.json()) as Reply;
  }

  async close(): Promise<void> {
    this.#socket.terminate();
    await this.#service.close();
    await Promise.all(this.nodes.map((node) => node.close()));
  }

  #take(message: Reply & Push & { readonly id?: number }): void {
    if (message.params !== undefined) this.pushed.push(message.params.result);
    const waiting = this.#waiting.get(message.id ?? -1);
    if (waiting === undefined) return;
    this.#waiting.delete(message.id ?? -1);
    waiting(message);
  }
}
