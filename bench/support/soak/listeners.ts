/** Clients that wait for events: subscriptions over WebSocket and polled filters, on both networks. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { encodeRequest, post, type Target } from '../ask.ts';
import type { Program } from '../proxy/program.ts';

const SOCKETS = 10;
const FILTERS = 5;
const POLL_MS = 1_000;
/** Polls after which a filter is removed and created again. */
const POLLS = 30;
const SUBSCRIPTIONS = [['newHeads'], ['logs', {}]] as const;
/** Offset between the polls of the filters. */
const SPREAD_MS = POLL_MS / FILTERS;

export class Listeners {
  readonly failures: Map<string, number> = new Map();
  notifications = 0;
  polls = 0;
  readonly #sockets: WebSocket[] = [];
  readonly #polling: Promise<void>[] = [];
  readonly #end = new AbortController();

  /** Opens listeners on the network of three nodes and on `network`. */
  static async open(program: Program, network: string): Promise<Listeners> {
    const listeners = new Listeners();
    const shared = { name: 'events', upstreams: 3, connections: 1, body: '' } as const;
    for (const place of [{}, { network }]) {
      const targetOf = (isWebSocket: boolean): Target =>
        program.targetOf({ ...shared, ...place, isWebSocket }) as Target;
      await listeners.#listen(targetOf(false), targetOf(true));
    }
    return listeners;
  }

  async #listen(http: Target, webSocket: Target): Promise<void> {
    const url = `ws://127.0.0.1:${webSocket.port}${webSocket.path}`;
    for (let index = 0; index < SOCKETS; index++) {
      const socket = new WebSocket(url);
      await once(socket, 'open');
      socket.on('message', (data: Buffer) => this.#hear(String(data)));
      socket.on('error', ({ message }) => this.#fail(`subscription: ${message}`));
      socket.on('close', (code) => {
        if (!this.#end.signal.aborted) this.#fail(`a subscription's connection was closed: ${code}`);
      });
      for (const [id, params] of SUBSCRIPTIONS.entries()) {
        socket.send(encodeRequest('eth_subscribe', params, id));
      }
      this.#sockets.push(socket);
    }
    for (let index = 0; index < FILTERS; index++) this.#polling.push(this.#keepFilter(http, index));
  }

  async close(): Promise<void> {
    this.#end.abort();
    await Promise.all(this.#polling);
    for (const socket of this.#sockets) socket.terminate();
  }

  #hear(text: string): void {
    if (text.includes('"eth_subscription"')) this.notifications++;
    else if (text.includes('"error"')) this.#fail(`eth_subscribe: ${text}`);
  }

  async #keepFilter(target: Target, index: number): Promise<void> {
    const { signal } = this.#end;
    const pause = (ms: number): Promise<void> => sleep(ms, undefined, { signal }).catch(() => undefined);
    const [method, params] = index % 2 === 0 ? ['eth_newFilter', [{}]] : ['eth_newBlockFilter', []];
    await pause(index * SPREAD_MS);
    while (!signal.aborted) {
      const id = await this.#ask(target, method as string, params as readonly unknown[]);
      for (let poll = 0; id !== undefined && poll < POLLS && !signal.aborted; poll++) {
        await pause(POLL_MS);
        if ((await this.#ask(target, 'eth_getFilterChanges', [id])) !== undefined) this.polls++;
      }
      if (id === undefined) await pause(POLL_MS);
      else await this.#ask(target, 'eth_uninstallFilter', [id]);
    }
  }

  async #ask(target: Target, method: string, params: readonly unknown[]): Promise<unknown> {
    try {
      const { result, error } = JSON.parse(await post(target, encodeRequest(method, params)));
      if (error === undefined) return result;
      this.#fail(`${method}: ${error.code} ${error.message}`);
    } catch (error) {
      this.#fail(`${method}: ${(error as Error).message}`);
    }
    return undefined;
  }

  #fail(kind: string): void {
    this.failures.set(kind, (this.failures.get(kind) ?? 0) + 1);
  }
}
