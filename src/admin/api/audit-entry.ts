import type { ApiRole } from '../options.ts';

/** `begun`: the change begins after this line. `refused`: the change was refused with a 4xx status. `failed`: it failed with a 5xx status. */
export type AuditOutcome = 'begun' | 'done' | 'refused' | 'failed';

/**
 * One line of the audit log. A change has two lines with the same `change`. The line `begun` is on disk before the change is made, and the line with
 * the outcome before the change is acknowledged. A change without an outcome was interrupted by the end of the process: it may have been made or not.
 */
export type AuditEntry = {
  /** Identifier of the change. */
  readonly change: string;
  /** Time of the line, ISO 8601. */
  readonly time: string;
  /** Name of the credential. */
  readonly credential: string;
  readonly role: ApiRole;
  /** Address of the client's connection: behind a proxy, the address of the proxy. */
  readonly address: string;
  /** Method and path template of the route. */
  readonly route: string;
  /** Object of the change, such as `key 1a2b3c4d5e6f` or `node mainnet/a`. */
  readonly target: string;
  /** Names of the members of the body, such as `name` and `settings.rate`. Their values may be secret, and are not logged. */
  readonly members: readonly string[];
  readonly outcome: AuditOutcome;
  /** HTTP status of the answer; absent for `begun`. */
  readonly status?: number;
};

/** Entries of the audit log, newest first. */
export type AuditPage = {
  readonly entries: readonly AuditEntry[];
  /** Value of `before` for the next page; absent if there are no older entries. */
  readonly next?: string;
};
