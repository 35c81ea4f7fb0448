import type { Credentials } from './authorization.ts';

/** Where the service itself takes requests. */
export type ServiceAddress = {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly port: number;
};

/** What the console sends to its server: one request, for the service itself. */
export type ConsoleRequest = Credentials & {
  /** The name of the network that is meant, as the status has it. */
  readonly network: string;
  readonly key: string;
  readonly request: Readonly<Record<string, unknown>>;
};

/** A line of what comes while a console watches: a message of the service, or the end of its connection. */
export type WatchLine =
  | { readonly message: string }
  | { readonly closed: { readonly code: number; readonly reason: string } };

/** What the service answered. */
export type ConsoleAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly milliseconds: number;
};
