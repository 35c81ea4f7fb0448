import type { Upstream } from '../../../pool/upstream.ts';
import type { BlockPosition, Send, UpstreamRequest } from '../../../pool/upstream-request.ts';
import type { RequestScope } from '../../../util/request-scope.ts';
import type { SentTransactions } from './sent-transactions.ts';

export type PendingAims = {
  readonly upstreams: readonly Upstream[];
  /** The served head. */
  readonly served: { readonly head: BlockPosition | undefined };
  readonly sent: Pick<SentTransactions, 'find' | 'findTakers'>;
};

/**
 * Routes requests about pending data. While a node with the served head is up, only nodes with this head receive requests about pending data, because
 * the pending block builds on the head. Nodes that have the caller's own transactions are preferred.
 */
export function aimPending(ask: Send, { upstreams, served, sent }: PendingAims): Send {
  const findHead = (): BlockPosition | undefined => {
    const block = served.head;
    const isAvailable =
      block !== undefined &&
      upstreams.some(({ isUp, tracker }) => isUp && tracker.holds(block.number, block.hash));
    return isAvailable ? block : undefined;
  };
  return (context) => {
    const { call, scope } = context;
    const isPending = call.isSticky === true && call.block === undefined;
    if (!isPending && call.transactionHash === undefined) return ask(context);
    const prefer = findPreferred(sent, call, scope);
    const block = isPending ? findHead() : undefined;
    if (block === undefined && prefer === undefined) return ask(context);
    return ask({
      ...context,
      ...(block !== undefined && { call: { ...call, block } }),
      ...(prefer !== undefined && { prefer }),
    });
  };
}

/** Returns nodes that have the caller's pending transactions. The request prefers these nodes. */
function findPreferred(
  sent: PendingAims['sent'],
  { transactionHash, isSticky }: UpstreamRequest,
  scope: RequestScope,
): ReadonlySet<Upstream> | undefined {
  if (transactionHash !== undefined) return sent.find(scope, transactionHash)?.takers;
  return isSticky === true ? sent.findTakers(scope) : undefined;
}
