import { createHttpTransport } from './http-transport.ts';
import type { Endpoint, Transport, TransportLimits } from './transport.ts';
export function createWebSocketTransport(endpoint: Endpoint, limits: TransportLimits): Transport {
  return createHttpTransport(endpoint, limits);
}
