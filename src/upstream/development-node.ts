import { setTimeout as wait } from 'node:timers/promises';
import { ChainError, UNSUPPORTED } from '../chain/errors.ts';
import type { JsonResult } from '../primitives/json-result.ts';
import type { RequestScope } from '../util/request-scope.ts';
import { toChainError } from './chain-errors.ts';
import { UpstreamFault } from './fault.ts';
import { explainOutage } from './node-state.ts';
import { Route } from './route.ts';
import type { Directed, Handler, RoutedCall } from './routed-call.ts';
import type { Upstream } from './upstream.ts';

/** Methods after which nothing reads otherwise. */
const ONLY_READS = /^(?:anvil|hardhat)_(?:get|metadata$|nodeInfo$)|^anvil_dumpState$|^eth_(?:accounts$|sign)/;
/** Methods that send: a node that mines at once answers them before the block is there. */
const SENDS = /^eth_send/;
const RAW_SEND = 'eth_sendRawTransaction';
/** How long such a block is waited for. Milliseconds. */
const MINED_MS = 20;

export type DevelopmentNodeParts = {
  /** The one of a development network. */
  readonly upstreams: readonly Upstream[];
  /** Asks one node, once. */
  readonly askNode: Handler<Directed>;
  /** Called when a method that sends nothing may have changed the chain. */
  readonly onChanged: () => void;
};

/** The node of a development network, for methods that change its chain by request. */
export class DevelopmentNode {
  readonly #parts: DevelopmentNodeParts;

  constructor(parts: DevelopmentNodeParts) {
    this.#parts = parts;
  }

  /**
   * What the node answers; it is asked once, whatever becomes of it. What is read after the answer is of the chain that the call has made.
   * @throws ChainError, its `NodeRefusal` among them
   */
  async ask(
    method: string,
    params: readonly unknown[],
    scope: RequestScope,
  ): Promise<JsonResult | typeof UNSUPPORTED> {
    const { upstreams, askNode } = this.#parts;
    const [upstream] = upstreams;
    await upstream?.checking;
    if (upstream?.standing !== 'verified') throw new ChainError('unavailable', explainOutage(upstreams));
    const call: RoutedCall = {
      method,
      params: JSON.stringify(params),
      nulls: 'truth',
      isPassed: true,
      mayBeRefused: true,
      isOnce: true,
    };
    scope.hasAskedNode = true;
    try {
      return await askNode({ call, scope, upstream, route: new Route([]), askedAt: performance.now() });
    } catch (error) {
      if (error instanceof UpstreamFault && error.kind === 'unsupported') return UNSUPPORTED;
      throw toChainError(error);
    } finally {
      // A call that failed may have changed something, too.
      if (!ONLY_READS.test(method)) await this.#follow(upstream, method);
    }
  }

  /** After a transaction that was signed by its sender: a node that mines at once has a block of it. Never rejects. */
  async followSend(): Promise<void> {
    const [upstream] = this.#parts.upstreams;
    if (upstream?.standing === 'verified') await this.#follow(upstream, RAW_SEND);
  }

  /** Waits until the network is where the node is. Never rejects. */
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
    // A node whose head is another, or lower, is identified before it counts.
    await upstream.checking;
  }
}
