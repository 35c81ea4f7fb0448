import type { JsonText } from '../../../../packages/ethereum/primitives/json-result.ts';
import { encodeQuantity } from '../../../../packages/ethereum/primitives/quantity.ts';
import { isMembers } from '../../../../packages/proofs/members.ts';
import { parseText } from '../../../pool/parse-text.ts';
import type { Send } from '../../../pool/upstream-request.ts';
import type { RequestScope } from '../../../util/request-scope.ts';

/** Cap on remembered names, above what blocks of any chain have: invented names cannot trigger more calibrations than this. */
const MAX_NAMES = 256;

/** Member names seen in block objects of a network: a fork often shows as a new one. */
export class HeaderMembers {
  readonly #ask: Send;
  readonly #names = new Set<string>();

  constructor(ask: Send) {
    this.#ask = ask;
  }

  /**
   * Requests a block and returns whether it has members that no block before it had.
   * @throws UpstreamFault where no node answers
   */
  async hasNew(number: bigint, scope: RequestScope): Promise<boolean> {
    const params = `["${encodeQuantity(number)}",false]`;
    const text = (await this.#ask({
      call: {
        method: 'eth_getBlockByNumber',
        params,
        block: { number, hash: undefined },
        nulls: 'fault',
        isText: true,
      },
      scope,
    })) as JsonText;
    const block: unknown = await parseText(text, scope);
    if (!isMembers(block)) return false;
    const before = this.#names.size;
    for (const [name, value] of Object.entries(block))
      if (value != null && this.#names.size < MAX_NAMES) this.#names.add(name);
    return this.#names.size > before;
  }
}
