import type { JsonResult, JsonText } from '../primitives/json-result.ts';
import { encodeQuantity } from '../primitives/quantity.ts';
import type { RequestScope } from '../util/request-scope.ts';
import type { BlockResolver } from './block-resolver.ts';
import { parseObject } from './checks/parse-object.ts';
import type { HeadQuestions } from './head-questions.ts';

/** What a network of nodes says about itself. */
export class StatusQuestions {
  readonly #resolver: BlockResolver;
  readonly #heads: HeadQuestions;

  constructor(resolver: BlockResolver, heads: HeadQuestions) {
    this.#resolver = resolver;
    this.#heads = heads;
  }

  /** A head that is served is as new as the network: nodes that are still far behind it have no part in it, and are not asked. */
  async getSyncing(scope: RequestScope): Promise<JsonText> {
    await this.#resolver.getHead(scope);
    return 'false';
  }

  getConfig(scope: RequestScope): Promise<JsonText | null> {
    return this.#heads.ask({ method: 'eth_config', check: checkObject, nulls: 'fault' }, scope);
  }

  /** Of one node, with the served head in the place of its own: what this node does not have, others are asked for. */
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
