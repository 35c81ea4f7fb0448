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
  summary:
    'Subscribes to notifications of blocks, logs, pending transactions or the state of the network, over WebSocket.',
  description:
    'Each notification has the form `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":ID,"result":...}}`. `newHeads` sends the header of each block of the served chain. `logs` sends each log that matches the filter. `newHeads` and `logs` send each event once and in order. When a reorg removes blocks, `logs` sends their logs again with `removed: true`, newest first. With `afterHash`, `newHeads` and `logs` continue after the block with this hash. With `fromBlock`, `newHeads` and `logs` begin at the block with this number. For `logs`, put `fromBlock` into the third parameter: `fromBlock` in the filter only leaves out logs of lower blocks, as in geth. With `afterHash` or `fromBlock`, `newHeads` also sends removed headers, with `removed: true`. `transactionReceipts` sends a list of receipts for each block that has transactions, once and in order. With the option `transactionHashes`, the list has only receipts of the named transactions. For removed blocks `transactionReceipts` sends nothing, as in geth. `newPendingTransactions` sends the hashes of the transactions that nodes announce, or with the option `true` the transactions. `syncing` sends `false` as long as a head is served. The WebSocket of a client that reads too slowly is closed with 1008; the service never drops notifications. The close code 1012 asks the client to connect again. Each event costs credits: see docs/operations.md.',
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
