import type { Notifier } from '../rpc/notifier.ts';
import type { RequestScope } from '../util/request-scope.ts';
import type { DevelopmentAccess } from './development-access.ts';
import type { Network } from './network.ts';

/** Execution context of a method. */
export type MethodContext = {
  readonly network: Network;
  /** Result of `web3_clientVersion`. */
  readonly clientVersion: string;
  readonly scope: RequestScope;
  /** Interface for subscriptions. Absent where the transport cannot notify. */
  readonly notifier?: Notifier;
  /** Access to methods of a development node; absent means no access. */
  readonly development?: DevelopmentAccess | undefined;
};
