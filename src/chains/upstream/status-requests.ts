import type { JsonResult, JsonText } from '../../../packages/ethereum/primitives/json-result.ts';
import { encodeQuantity } from '../../../packages/ethereum/primitives/quantity.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import type { BlockResolver } from './block-resolver.ts';
import { parseObject } from './checks/parse-object.ts';
import type { HeadRequests } from './head-requests.ts';

/** Answers requests for sync state, fork configuration and capabilities of a network that upstream nodes serve. */
export class StatusRequests {
  readonly #resolver: BlockResolver;
  readonly #heads: HeadRequests;

  constructor(resolver: BlockResolver, heads: HeadRequests) {
    this.#resolver = resolver;
    this.#heads = heads;
  }

  /** Returns `false` if the network has a served head. Nodes that are far behind do not count in the choice of the head and receive no requests. */
  async getSyncing(scope: RequestScope): Promise<JsonText> {
    await this.#resolver.getHead(scope);
    return 'false';
  }

  getConfig(scope: RequestScope): Promise<JsonText | null> {
    return this.#heads.ask({ method: 'eth_config', check: checkObject, nulls: 'fault' }, scope);
  }

  /**
   * Returns the capabilities of one node. `head` is the served head instead of the node's own head. Other nodes may support more, and receive the
   * requests that this node cannot answer.
   */
  async getCapabilities(scope: RequestScope): Promise<JsonText | null> {
    const { number, hash } = await this.#resolver.getHead(scope);
    const answer = await this.#heads.ask(
      { method: 'eth_capabilities', check: checkObject, nulls: 'fault' },
      scope,
    );
    if (answer === null) return null;
    return JSON.stringify({ ...parseObject(answer), head: { number: encodeQuantity(number), hash } });
  }
}

function checkObject(result: JsonResult): JsonResult {
  parseObject(result);
  return result;
}
