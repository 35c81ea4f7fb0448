import { continueWith, recoverWith } from '../../packages/ethereum/primitives/promise-or-value.ts';
import { findMethod } from '../methods/table.ts';
import type { Logger } from '../observe/logger.ts';
import type { Call, Notification } from '../rpc/envelope.ts';
import { RpcError } from '../rpc/errors.ts';
import type { BodyContext } from './body-context.ts';
import { logFault } from './call-errors.ts';
import type { CallStep } from './call-steps.ts';
import type { InterceptedCall, Interceptor, InterceptorRefusal } from './intercepted-call.ts';

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
