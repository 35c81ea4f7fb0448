import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { describeBoundRefusal, limitOf } from '../util/bounds.ts';
import { SharedBudget } from '../util/shared-budget.ts';
import { checkHttpAccess } from './http-access.ts';
import { createMcpServer, type McpParts } from './mcp-server.ts';

/** Path of the server. */
export const MCP_PATH = '/mcp';
/** Maximum size of a request, bytes: a tool call with 50 simulated calls is far smaller. */
const MAX_BODY_BYTES = 1024 * 1024;
/** Time limits of reading a request, ms. */
const HEAD_MS = 10_000;
const REQUEST_MS = 30_000;
/** Fraction of the bound `mcp.requests` that one key may use. */
const KEY_SHARE = 0.25;

export type HttpParts = Omit<McpParts, 'key'>;

/** Server for Streamable HTTP without sessions: every request carries its key, and the server keeps no state after the response. */
export class HttpMcpServer {
  readonly #server: Server;
  readonly #requests = new SharedBudget(limitOf('mcp.requests'), KEY_SHARE);
  readonly #parts: HttpParts;

  constructor(parts: HttpParts) {
    this.#parts = parts;
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
    if (!this.#requests.tryTake(key, 1))
      return refuse(response, 503, describeBoundRefusal('mcp.requests'), { 'Retry-After': '1' });
    try {
      await this.#answer(request, response, key);
    } catch {
      refuse(response, 500, 'the request failed');
    } finally {
      this.#requests.giveBack(key, 1);
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse, key: string): Promise<void> {
    const server = createMcpServer({ ...this.#parts, key });
    // A transport without sessions serves one request. A response in JSON needs no stream of events.
    const transport = new StreamableHTTPServerTransport({
      enableJsonResponse: true,
      maxRequestBodySize: MAX_BODY_BYTES,
    });
    // If the client disconnects, closing the protocol server cancels the requests to the gateway.
    const ended = new Promise<void>((resolve) => response.once('close', resolve)).then(() => server.close());
    // The types of the SDK do not expect `exactOptionalPropertyTypes`.
    await server.connect(transport as Parameters<typeof server.connect>[0]);
    await Promise.race([transport.handleRequest(request, response), ended]);
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
