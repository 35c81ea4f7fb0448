import type { PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';

/** Description of a call for an interceptor. `before` and `after` get separate objects. */
export type InterceptedCall = {
  readonly method: string;
  /** Parameters as the client sent them; the method checks them later. */
  readonly params: readonly unknown[];
  /** Name of the network in the configuration. */
  readonly network: string;
  /** Id of the key, as logs and metrics show it. */
  readonly keyId: string;
  /** Whether the client expects no response. */
  readonly isNotification: boolean;
};

/** Error of a refused call. */
export type InterceptorRefusal = {
  readonly message: string;
  /** JSON-RPC error code; -32000 by default. */
  readonly code?: number;
};

/**
 * Functions of a program that embeds the service. They run before and after each call, whether it is a single call, an item of a batch, or part of a
 * group. They run after the checks of permissions and limits, so they get only calls that are permitted and charged.
 */
export type Interceptor = {
  /** Returns an error to refuse the call, which then costs no credits, or undefined to allow it. If `before` throws, the call fails with -32603. */
  readonly before?: (call: InterceptedCall) => PromiseOrValue<InterceptorRefusal | undefined>;
  /** Runs once for each call that `before` allowed: when its response is ready, or when the call is dropped. */
  readonly after?: (call: InterceptedCall) => void;
};
