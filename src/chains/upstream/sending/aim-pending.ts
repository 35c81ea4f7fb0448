import type { Upstream } from '../../../pool/upstream.ts';
import type { BlockPosition, Send, UpstreamRequest } from '../../../pool/upstream-request.ts';
import type { RequestScope } from '../../../util/request-scope.ts';

export type PendingAims = {
  readonly upstreams: readonly Upstream[];
  /** Served head. */
  readonly head: () => BlockPosition | undefined;
  readonly findPreferred: (call: UpstreamRequest, scope: RequestScope) => ReadonlySet<Upstream> | undefined;
};

/**
 * Routes requests about pending transactions. Such a request goes to nodes that have the served head, since the pending block builds on it, if one of
 * them is up. Nodes that have the caller's own transactions are preferred.
 */
export function aimPending(ask: Send, { upstreams, head, findPreferred }: PendingAims): Send {
  const findHead = (): BlockPosition | undefined => {
    const block = head();
    const isAvailable =
      block !== undefined &&
      upstreams.some(({ isUp, tracker }) => isUp && tracker.holds(block.number, block.hash));
    return isAvailable ? block : undefined;
  };
  return (context) => {
    const { call, scope } = context;
    const isPending = call.isSticky === true && call.block === undefined;
    if (!isPending && call.transactionHash === undefined) return ask(context);
    const prefer = findPreferred(call, scope);
    const block = isPending ? findHead() : undefined;
    if (block === undefined && prefer === undefined) return ask(context);
    return ask({
      ...context,
      ...(block !== undefined && { call: { ...call, block } }),
      ...(prefer !== undefined && { prefer }),
    });
  };
}
