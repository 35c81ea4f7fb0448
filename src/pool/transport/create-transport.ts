import { createHttpTransport } from './http-transport.ts';
import type { Endpoint, Transport, TransportLimits } from './transport.ts';
import { createWebSocketTransport } from './ws-transport.ts';

/** Creates the transport for the protocol of an endpoint. */
export function createTransport(endpoint: Endpoint, limits: TransportLimits): Transport {
  const isWebSocket = endpoint.url.protocol === 'ws:' || endpoint.url.protocol === 'wss:';
  return isWebSocket ? createWebSocketTransport(endpoint, limits) : createHttpTransport(endpoint, limits);
}
