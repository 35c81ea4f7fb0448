import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { readJsonBody } from '../admin/read-body.ts';
import { AdminRefusal } from '../admin/refusal.ts';
import { describeBoundRefusal, limitOf } from '../util/bounds.ts';
import { SharedBudget } from '../util/shared-budget.ts';
import { AcceptedKeys } from './accepted-keys.ts';
import { checkHttpAccess } from './http-access.ts';
import { refusesInventedKey } from './invented-key.ts';
import { createMcpServer, type McpParts } from './mcp-server.ts';

/** Path of the server. */
export const MCP_PATH = '/mcp';
/** Maximum size of a request, bytes: a tool call with 50 simulated calls is far smaller. */
const MAX_BODY_BYTES = 1024 * 1024;
/** Time limits of reading a request, ms. */
const HEAD_MS = 10_000;
const REQUEST_MS = 30_000;
/** Part of the requests that one owner may have in progress. */
const OWNER_SHARE = 0.25;

export type HttpParts = Omit<McpParts, 'key' | 'onAccepted' | 'isLocal'>;

/** Server for Streamable HTTP without sessions: every request carries its key, and the server keeps no state after the response. */
export class HttpMcpServer {
  readonly #server: Server;
  readonly #requests = new SharedBudget(limitOf('mcp.requests'), OWNER_SHARE);
  readonly #accepted: AcceptedKeys;
  readonly #closed = new AbortController();
  readonly #parts: HttpParts;
  readonly #answerMs: number;

  /**
   * @param answerMs time limit of an answer, ms
   * @param accepted keys that the gateway has accepted; none by default
   */
  constructor(parts: HttpParts, answerMs: number = limitOf('mcp.answerTime'), accepted?: AcceptedKeys) {
    this.#parts = parts;
    this.#answerMs = answerMs;
    this.#accepted =
      accepted ?? new AcceptedKeys(() => refusesInventedKey(parts.gateway, this.#closed.signal));
    this.#server = createServer(
      { headersTimeout: HEAD_MS, requestTimeout: REQUEST_MS },
      (request, response) => void this.#serve(request, response),
    );
    this.#server.maxConnections = limitOf('mcp.connections');
  }

  /** @throws (by rejection) node's error if the address cannot be bound */
  async listen(host: string, port: number): Promise<AddressInfo> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host, port }, resolve);
    });
    return this.#server.address() as AddressInfo;
  }

  async close(): Promise<void> {
    this.#closed.abort();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '', headers } = request;
    const access = checkHttpAccess(headers);
    if (!('key' in access)) return refuse(response, access.status, access.message, access.headers);
    if (url.split('?')[0] !== MCP_PATH) return refuse(response, 404, `the server is at ${MCP_PATH}`);
    // Without sessions, there is no stream to open and no session to end.
    if (method !== 'POST') return refuse(response, 405, 'send requests by POST', { Allow: 'POST' });
    const { key } = access;
    const owner = this.#accepted.ownerOf(key, request.socket.remoteAddress ?? '');
    if (!this.#requests.tryTake(owner, 1))
      return refuse(response, 503, describeBoundRefusal('mcp.requests'), { 'Retry-After': '1' });
    // The SDK never answers some requests, such as those that their own connection cancels.
    const deadline = setTimeout(() => response.destroy(), this.#answerMs);
    try {
      await this.#answer(request, response, key);
    } catch (error) {
      if (error instanceof AdminRefusal) refuse(response, error.status, error.message);
      else refuse(response, 500, 'the request failed');
    } finally {
      clearTimeout(deadline);
      this.#requests.giveBack(owner, 1);
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse, key: string): Promise<void> {
    const closed = new Promise<void>((resolve) => response.once('close', resolve));
    const body = await readJsonBody(request, MAX_BODY_BYTES);
    // Since revision 2025-06-18, the protocol has no batches. A batch could cancel its own requests, which then have no answer.
    if (Array.isArray(body)) throw new AdminRefusal(400, 'send one message in each request, not a batch');
    const server = createMcpServer({ ...this.#parts, key, onAccepted: () => this.#accepted.accept(key) });
    // A transport without sessions serves one request. A response in JSON needs no stream of events.
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    // Where the client has left, closing the server ends its requests to the gateway.
    const ended = closed.then(() => server.close());
    // The types of the SDK do not expect `exactOptionalPropertyTypes`.
    await server.connect(transport as Parameters<typeof server.connect>[0]);
    await Promise.race([transport.handleRequest(request, response, body), ended]);
    await ended;
  }
}

/** Sends an error in the form of JSON-RPC, which clients of the protocol show. */
function refuse(
  response: ServerResponse,
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message }, id: null });
  // The rest of the request is not read.
  response.writeHead(status, { ...headers, 'Content-Type': 'application/json', Connection: 'close' });
  response.end(body);
}
