import type { RequestReport } from '../observe/request-report.ts';
import type { Notifier } from '../rpc/notifier.ts';
import type { RequestScope } from '../util/request-scope.ts';
import type { Session } from './admission.ts';
import type { Prepaid } from './call-guard.ts';
import type { ReservedSlots } from './reserved-slots.ts';

/** Context of a request body, shared by all its calls. */
export type BodyContext = {
  readonly session: Session;
  readonly scope: RequestScope;
  readonly report: RequestReport | undefined;
  /** Calls and credits that the key paid before the body was read. */
  readonly prepaid?: Prepaid;
  /** Network slots reserved for the items of the batch. */
  readonly reservedSlots?: ReservedSlots;
  /** Present if the connection supports notifications. */
  readonly notifier?: Notifier;
};
