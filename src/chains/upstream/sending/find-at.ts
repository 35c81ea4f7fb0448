import { ChainError } from '../../../chain/errors.ts';
import { UpstreamFault } from '../../../pool/fault.ts';
import { Route } from '../../../pool/route.ts';
import type { Upstream } from '../../../pool/upstream.ts';
import type { Directed, Handler, UpstreamRequest } from '../../../pool/upstream-request.ts';
import type { RequestScope } from '../../../util/request-scope.ts';
import { checkMember } from '../checks/check-parts.ts';

/**
 * Requests a transaction from one node. Returns whether the node has the transaction, pending or in a block; undefined if the node returns an error
 * or fails.
 */
export async function findAt(
  upstream: Upstream,
  hash: string,
  sendToNode: Handler<Directed>,
  scope: RequestScope,
): Promise<boolean | undefined> {
  const call: UpstreamRequest = {
    method: 'eth_getTransactionByHash',
    params: `["${hash}"]`,
    isText: true,
    nulls: 'truth',
    check: checkMember('hash', hash),
  };
  try {
    return (
      (await sendToNode({ call, scope, upstream, route: new Route([]), requestedAt: performance.now() })) !==
      'null'
    );
  } catch (error) {
    if (error instanceof ChainError || error instanceof UpstreamFault) return undefined;
    throw error;
  }
}
