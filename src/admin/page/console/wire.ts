import type { Credentials } from './authorization.ts';

/** Address on which the service accepts requests. */
export type ServiceAddress = {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly port: number;
};

/** Console message to the admin server: one request for the service. */
export type ConsoleRequest = Credentials & {
  /** Name of the network in the configuration. */
  readonly network: string;
  readonly key: string;
  readonly request: Readonly<Record<string, unknown>>;
};

/** A line of the watch stream: a message of the service, or the end of its connection. */
export type WatchLine =
  | { readonly message: string }
  | { readonly closed: { readonly code: number; readonly reason: string } };

/** Response of the service to a console request. */
export type ConsoleAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly milliseconds: number;
};
