import type { Notifier } from '../rpc/notifier.ts';
import type { RequestScope } from '../util/request-scope.ts';
import type { DevelopmentAccess } from './development-access.ts';
import type { Network } from './network.ts';

/** Execution context of a method. */
export type MethodContext = {
  readonly network: Network;
  /** Version text that `web3_clientVersion` returns. */
  readonly clientVersion: string;
  readonly scope: RequestScope;
  /** Interface through which methods start and end subscriptions. The interface is absent where the transport cannot send notifications. */
  readonly notifier?: Notifier;
  /** Whether the client may call methods of a development node; absent means no access. */
  readonly development?: DevelopmentAccess | undefined;
};
