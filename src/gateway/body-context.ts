import type { RequestReport } from '../observe/request-report.ts';
import type { Notifier } from '../rpc/notifier.ts';
import type { RequestScope } from '../util/request-scope.ts';
import type { Session } from './admission.ts';
import type { Prepaid } from './call-guard.ts';
import type { HeldTurns } from './held-turns.ts';

/** The body that a call came in: its scope, and the report of what becomes of it. */
export type BodyContext = {
  readonly session: Session;
  readonly scope: RequestScope;
  readonly report: RequestReport | undefined;
  /** Where the body was charged before it was read. */
  readonly prepaid?: Prepaid;
  /** For the items of its batch. */
  readonly heldTurns?: HeldTurns;
  /** Where it came over a connection that can be notified. */
  readonly notifier?: Notifier;
};
