import {
  continueWith,
  type PromiseOrValue,
  recoverWith,
} from '../../packages/ethereum/primitives/promise-or-value.ts';
import { findMethod } from '../methods/table.ts';
import type { Logger } from '../observe/logger.ts';
import type { Call, Notification } from '../rpc/envelope.ts';
import { RpcError } from '../rpc/errors.ts';
import type { BodyContext } from './body-context.ts';
import { logFault } from './call-errors.ts';
import type { CallStep } from './call-steps.ts';

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
 * Functions of a program that embeds the service, which run before and after each call: single calls, items of batches, and calls that run as a
 * group. Interceptors run after permissions and limits were checked, so they get only calls that are permitted and charged.
 */
export type Interceptor = {
  /** Returns an error to refuse the call, which then costs no credits, or undefined to allow it. If `before` throws, the call fails with -32603. */
  readonly before?: (call: InterceptedCall) => PromiseOrValue<InterceptorRefusal | undefined>;
  /** Runs once for each call that `before` allowed: when its response is ready, or when the call is dropped. */
  readonly after?: (call: InterceptedCall) => void;
};

/** Converts an interceptor to a call step. Errors of the interceptor are logged, and do not affect other calls. */
export function createInterceptorStep({ before, after }: Interceptor, log: Logger): CallStep {
  const fail = (error: unknown, { method: name }: Call | Notification, { session }: BodyContext): void => {
    const method = findMethod(name, session.network)?.name;
    logFault(log, error, { network: session.network.name, ...(method !== undefined && { method }) });
  };
  return {
    ...(before !== undefined && {
      begin: (call, context) =>
        recoverWith(
          () => continueWith(before(describeCall(call, context)), createRefusalError),
          (error) => {
            fail(error, call, context);
            return new RpcError('internal');
          },
        ),
    }),
    ...(after !== undefined && {
      end(call, context) {
        try {
          after(describeCall(call, context));
        } catch (error) {
          fail(error, call, context);
        }
      },
    }),
  };
}

function createRefusalError(refusal: InterceptorRefusal | undefined): RpcError | undefined {
  if (refusal === undefined) return undefined;
  const error = new RpcError('intercepted', String(refusal.message));
  if (Number.isSafeInteger(refusal.code)) error.code = refusal.code as number;
  return error;
}

function describeCall(
  { kind, method, params }: Call | Notification,
  { session }: BodyContext,
): InterceptedCall {
  return {
    method,
    params: params ?? [],
    network: session.network.name,
    keyId: session.principal.id,
    isNotification: kind === 'notification',
  };
}
