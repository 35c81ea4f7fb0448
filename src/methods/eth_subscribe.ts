import { RpcError } from '../rpc/errors.ts';
import type { Method } from '../rpc/method.ts';
import { truncateText } from '../rpc/param-problem.ts';
import { scopeOfSubscription } from './contract-scope.ts';
import type { MethodContext } from './method-context.ts';
import { EXAMPLE_LOG, SUBSCRIPTION_ID } from './result-examples.ts';
import { subscriptionId } from './result-schemas.ts';
import { KINDS } from './subscriptions/kinds.ts';
import { SUBSCRIBE_PARAMS } from './subscriptions/params.ts';

/** The parameters depend on the subscription kind. The kind is checked before the other parameters, as in geth. */
export const ethSubscribe: Method<MethodContext> = {
  name: 'eth_subscribe',
  summary: 'Notifications of blocks, logs, waiting transactions or the state of the network, over WebSocket.',
  description:
    'Each comes as `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":ID,"result":...}}`. `newHeads` sends the header of each block of the served chain, ' +
    '`logs` each log that the filter means; each once and in order, and for what a reorg takes back the logs again with `removed: true`, newest first. ' +
    'With `afterHash` they go on behind a block that the client has seen, with `fromBlock` from a number on (for `logs` as a third parameter: in the filter it only leaves out lower blocks, as in geth); ' +
    '`newHeads` then sends removed headers too, with `removed: true`. `transactionReceipts` sends a list of the receipts of each block that has transactions, or of those that the filter names, once and in order; for what a reorg takes back it sends nothing, as geth. `newPendingTransactions` sends hashes (with `true`: transactions) as far as nodes announce them. ' +
    '`syncing` sends `false` as long as a head is served. A client that reads too slowly is closed with 1008, never sent less; 1012 asks it to connect again. Each event costs credits: see docs/operations.md.',
  params: SUBSCRIBE_PARAMS,
  result: { name: 'subscription', schema: subscriptionId },
  contractScope: scopeOfSubscription,
  cost: 5,
  errors: [
    'notificationsUnsupported',
    'unknownSubscription',
    'tooManySubscriptions',
    'unknownStart',
    'startTooFar',
    'serverError',
  ],
  example: {
    params: ['logs', { address: EXAMPLE_LOG.address, topics: [EXAMPLE_LOG.topics[0]] }],
    result: SUBSCRIPTION_ID,
  },
  async invoke(rawParams, context) {
    const { notifier, network } = context;
    if (notifier === undefined) throw new RpcError('notificationsUnsupported');
    const [name] = rawParams;
    if (typeof name !== 'string')
      throw new RpcError('invalidParams', 'expected subscription name as first argument');
    const kind = KINDS.get(name);
    if (kind === undefined) throw new RpcError('unknownSubscription', JSON.stringify(truncateText(name)));
    const { feed } = network;
    if (feed === undefined) throw new RpcError('serverError', 'this network has no subscriptions');
    const { id } = await notifier.open(name, kind({ rawParams, context, feed }));
    return `"${id}"`;
  },
};
