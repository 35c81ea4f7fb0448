import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod';
import type { ServiceStatus } from '../observe/status.ts';
import { limitOf } from '../util/bounds.ts';
import { JSON_TYPE, sendText } from './answers.ts';
import { formatAuthorization } from './page/console/authorization.ts';
import { findHost } from './page/console/find-host.ts';
import type { ConsoleRequest } from './page/console/wire.ts';
import { readJsonBody } from './read-body.ts';
import { AdminRefusal, BoundRefusal } from './refusal.ts';
import { type AdminCall, type Connect, ServiceClient } from './service-client.ts';

const MAX_BODY_BYTES = 1024 * 1024;

/** Maximum concurrent console requests. */
const MAX_IN_FLIGHT = limitOf('admin.calls');
/** Maximum concurrent console subscriptions. */
const MAX_WATCHING = limitOf('admin.subscriptions');

const requestSchema: z.ZodType<ConsoleRequest> = z.strictObject({
  network: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  key: z.string().regex(/^[A-Za-z0-9_-]{1,128}$/),
  secret: z
    .string()
    .regex(/^[!-~]{1,256}$/)
    .exactOptional(),
  token: z
    .string()
    .max(7_500)
    .regex(/^[A-Za-z0-9._~+/-]+=*$/)
    .exactOptional(),
  request: z.record(z.string(), z.unknown()),
});

/**
 * Forwards requests of the page's console to the service. Console requests arrive on the service's port, need an API key and count against limits,
 * like any client's requests.
 */
export class Console {
  readonly #client: ServiceClient;
  readonly #connect: Connect;
  readonly #status: () => Promise<ServiceStatus>;
  #inFlight = 0;
  #watching = 0;

  /** @param connect opens connections to the service */
  constructor(connect: Connect, status: () => Promise<ServiceStatus>) {
    this.#client = new ServiceClient(connect);
    this.#connect = connect;
    this.#status = status;
  }

  /** @throws AdminRefusal */
  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.#inFlight >= MAX_IN_FLIGHT) throw new BoundRefusal(503, 'admin.calls');
    this.#inFlight++;
    try {
      const call = await this.#readCall(request);
      const left = new AbortController();
      response.once('close', () => left.abort());
      const answer = await this.#client.send(call, left.signal);
      sendText(response, 200, JSON_TYPE, JSON.stringify(answer));
    } finally {
      this.#inFlight--;
    }
  }

  /**
   * Sends the request over a WebSocket, and forwards messages until the page disconnects.
   * @throws AdminRefusal
   */
  async watch(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { passOnMessages } = await import('./service-watch.ts');
    if (this.#watching >= MAX_WATCHING) throw new BoundRefusal(503, 'admin.subscriptions');
    this.#watching++;
    try {
      await passOnMessages(this.#connect, await this.#readCall(request), response);
    } finally {
      this.#watching--;
    }
  }

  /** @throws AdminRefusal */
  async #readCall(request: IncomingMessage): Promise<AdminCall> {
    const value = await readJsonBody(request, MAX_BODY_BYTES);
    const { network, key, request: call, ...credentials } = parseRequest(value);
    const { networks } = await this.#status();
    // Only hosts of configured networks are used, so the console cannot reach other servers.
    const host = findHost(networks.find(({ name }) => name === network)?.hosts);
    if (host === undefined) throw new AdminRefusal(400, 'no network of this service has this name');
    return {
      network,
      host,
      key,
      authorization: formatAuthorization(credentials),
      body: JSON.stringify(call),
    };
  }
}

function parseRequest(value: unknown): ConsoleRequest {
  const parsed = requestSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new AdminRefusal(
    400,
    'expected {network, key, request}: the name of a network, a key, a JSON-RPC object; and secret and token, where the key asks for them',
  );
}
