import { setTimeout as wait } from 'node:timers/promises';
import type { JsonResult } from '../../../packages/ethereum/primitives/json-result.ts';
import { ChainError, UNSUPPORTED } from '../../chain/errors.ts';
import { toChainError } from '../../pool/chain-errors.ts';
import { UpstreamFault } from '../../pool/fault.ts';
import { explainOutage } from '../../pool/node-state.ts';
import { Route } from '../../pool/route.ts';
import type { Upstream } from '../../pool/upstream.ts';
import type { Directed, Handler, UpstreamRequest } from '../../pool/upstream-request.ts';
import type { RequestScope } from '../../util/request-scope.ts';

/** Methods that change neither the chain nor its state. */
const ONLY_READS = /^(?:anvil|hardhat)_(?:get|metadata$|nodeInfo$)|^anvil_dumpState$|^eth_(?:accounts$|sign)/;
/** Methods that send transactions. A node that mines immediately may reply before the transaction's block exists. */
const SENDS = /^eth_send/;
const RAW_SEND = 'eth_sendRawTransaction';
/** Maximum wait for the block of a sent transaction, ms. */
const MINED_MS = 20;

export type DevelopmentNodeParts = {
  /** The only node of a development network. */
  readonly upstreams: readonly Upstream[];
  /** Sends a request to one node, once. */
  readonly sendToNode: Handler<Directed>;
  /** Called after a method other than `eth_send…` that may have changed the chain. */
  readonly onChanged: () => void;
};

/** The node of a development network, for methods that change its chain on request. */
export class DevelopmentNode {
  readonly #parts: DevelopmentNodeParts;

  constructor(parts: DevelopmentNodeParts) {
    this.#parts = parts;
  }

  /**
   * Sends a request once, even if it fails, and returns the node's answer. Before this method resolves, the network adopts the node's new head, so
   * that later reads see the changes of the request.
   * @throws ChainError, including `NodeRefusal` from the node
   */
  async ask(
    method: string,
    params: readonly unknown[],
    scope: RequestScope,
  ): Promise<JsonResult | typeof UNSUPPORTED> {
    const { upstreams, sendToNode } = this.#parts;
    const [upstream] = upstreams;
    await upstream?.checking;
    if (upstream?.standing !== 'verified' || upstream.isCordoned)
      throw new ChainError('unavailable', explainOutage(upstreams));
    const call: UpstreamRequest = {
      method,
      params: JSON.stringify(params),
      nulls: 'truth',
      isPassed: true,
      mayBeRefused: true,
      isOnce: true,
    };
    scope.hasCalledNode = true;
    try {
      return await sendToNode({
        call,
        scope,
        upstream,
        route: new Route([]),
        requestedAt: performance.now(),
      });
    } catch (error) {
      if (error instanceof UpstreamFault && error.kind === 'unsupported') return UNSUPPORTED;
      throw toChainError(error);
    } finally {
      // A request that failed may also have changed the chain.
      if (!ONLY_READS.test(method)) await this.#follow(upstream, method);
    }
  }

  /**
   * Adopts the node's head after a raw transaction was sent, because a node that mines immediately already has a block with the transaction. Never
   * rejects.
   */
  async followSend(): Promise<void> {
    const [upstream] = this.#parts.upstreams;
    if (upstream?.standing === 'verified') await this.#follow(upstream, RAW_SEND);
  }

  /** Waits until the served head is the node's head. Never rejects. */
  async #follow(upstream: Upstream, method: string): Promise<void> {
    const { tracker } = upstream;
    const isSend = SENDS.test(method);
    if (!isSend) this.#parts.onChanged();
    const before = tracker.latest?.hash;
    await tracker.refreshAnew();
    if (isSend && tracker.latest?.hash === before) {
      await wait(MINED_MS);
      await tracker.refreshAnew();
    }
    // A node whose head is lower, or has another hash at its height, is identified again before its head is adopted.
    await upstream.checking;
  }
}
