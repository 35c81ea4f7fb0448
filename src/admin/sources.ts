import type { Socket } from 'node:net';
import type { ServiceStatus } from '../observe/status.ts';
import type { ServiceAddress } from './page/console/wire.ts';

/** Content type and body of `/metrics`. */
export type MetricsText = { readonly contentType: string; readonly text: string };

/**
 * Data sources of the admin server. The sources are callbacks, so that the admin server can run in another process than
 * the service.
 */
export interface AdminSources {
  status(): ServiceStatus | Promise<ServiceStatus>;
  /** If absent, there is no `/metrics`. */
  readonly metrics?: () => Promise<MetricsText>;
  /** The service's OpenRPC document, as JSON text. */
  openRpc(): string;
  /** Address of the service, to which the console's requests are sent. */
  readonly service: ServiceAddress & {
    /** Resolves to a socket ready for HTTP. With TLS, it resolves after the handshake and after the service's certificate was checked. */
    connect(signal: AbortSignal): Promise<Socket>;
  };
}
