import { createHttpTransport } from './http-transport.ts';
import type { Endpoint, Transport, TransportLimits } from './transport.ts';
import { createWebSocketTransport } from './ws-transport.ts';

/** The transport that an endpoint's protocol asks for. */
export function createTransport(endpoint: Endpoint, limits: TransportLimits): Transport {
  const isWebSocket = endpoint.url.protocol === 'ws:' || endpoint.url.protocol === 'wss:';
  return isWebSocket ? createWebSocketTransport(endpoint, limits) : createHttpTransport(endpoint, limits);
}
