import type { Notifier } from '../rpc/notifier.ts';
import type { RequestScope } from '../util/request-scope.ts';
import type { DevelopmentAccess } from './development-access.ts';
import type { Network } from './network.ts';

/** What a method gets besides its parameters. */
export type MethodContext = {
  readonly network: Network;
  /** Answer of `web3_clientVersion`. */
  readonly clientVersion: string;
  readonly scope: RequestScope;
  /** Absent where the transport cannot notify. */
  readonly notifier?: Notifier;
  /** Whether the client may call methods of a development node; absent: it may not. */
  readonly development?: DevelopmentAccess | undefined;
};
