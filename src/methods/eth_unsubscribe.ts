import * as z from 'zod';
import { RpcError } from '../rpc/errors.ts';
import { defineMethod, type Method } from '../rpc/method.ts';
import { text } from '../rpc/schemas.ts';
import { scopeOfNothing } from './contract-scope.ts';
import type { MethodContext } from './method-context.ts';
import { SUBSCRIPTION_ID } from './result-examples.ts';

export const ethUnsubscribe: Method<MethodContext> = defineMethod({
  name: 'eth_unsubscribe',
  summary: 'Ends a subscription of this connection.',
  params: [{ name: 'subscription', description: 'Id of the subscription.', required: true, codec: text }],
  result: { name: 'isEnded', schema: z.literal(true) },
  contractScope: scopeOfNothing,
  cost: 10,
  isLocal: true,
  errors: ['serverError'],
  example: { params: [SUBSCRIPTION_ID], result: true },
  handle([id], { notifier }) {
    if (notifier?.end(id) !== true) throw new RpcError('serverError', 'subscription not found');
    return 'true';
  },
});
