import type { Socket } from 'node:net';
import type { ServiceStatus } from '../observe/status.ts';
import type { ServiceAddress } from './page/console/wire.ts';

/** Text for programs that gather metrics. */
export type MetricsText = { readonly contentType: string; readonly text: string };

/**
 * What the admin server shows, and where it asks. Callbacks only, so that it can run in another process than those that
 * serve.
 */
export interface AdminSources {
  status(): ServiceStatus | Promise<ServiceStatus>;
  /** Absent: there is no `/metrics`. */
  readonly metrics?: () => Promise<MetricsText>;
  /** The service's OpenRPC document, as JSON text. */
  openRpc(): string;
  /** Where the service takes requests: what the console sends goes there. */
  readonly service: ServiceAddress & {
    /** Ready for HTTP: over TLS the handshake is done, and the other side is the service. */
    connect(signal: AbortSignal): Promise<Socket>;
  };
}
