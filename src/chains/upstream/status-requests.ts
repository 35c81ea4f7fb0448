import type { JsonResult, JsonText } from '../../../packages/ethereum/primitives/json-result.ts';
import { encodeQuantity } from '../../../packages/ethereum/primitives/quantity.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import type { BlockResolver } from './block-resolver.ts';
import { parseObject } from './checks/parse-object.ts';
import type { HeadRequests } from './head-requests.ts';

/** Answers requests for sync state, fork configuration and capabilities of a network of nodes. */
export class StatusRequests {
  readonly #resolver: BlockResolver;
  readonly #heads: HeadRequests;

  constructor(resolver: BlockResolver, heads: HeadRequests) {
    this.#resolver = resolver;
    this.#heads = heads;
  }

  /**
   * Returns `false`: a network with a served head is not syncing, because nodes that are far behind have no vote on the head and receive no requests.
   */
  async getSyncing(scope: RequestScope): Promise<JsonText> {
    await this.#resolver.getHead(scope);
    return 'false';
  }

  getConfig(scope: RequestScope): Promise<JsonText | null> {
    return this.#heads.ask({ method: 'eth_config', check: checkObject, nulls: 'fault' }, scope);
  }

  /**
   * Returns one node's capabilities with the served head in place of the node's head. Other nodes may have more capabilities, and receive the
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
