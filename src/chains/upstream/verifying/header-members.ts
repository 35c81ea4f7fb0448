import type { JsonText } from '../../../../packages/ethereum/primitives/json-result.ts';
import { encodeQuantity } from '../../../../packages/ethereum/primitives/quantity.ts';
import { isMembers } from '../../../../packages/proofs/members.ts';
import { parseText } from '../../../pool/parse-text.ts';
import type { Send } from '../../../pool/upstream-request.ts';
import type { RequestScope } from '../../../util/request-scope.ts';

/**
 * Maximum number of stored member names, far above that of any chain. The limit bounds the calibrations that a node can trigger with invented names.
 */
const MAX_NAMES = 256;

/** Names of all members that block objects of a network have had. A name that no block had before often indicates a fork. */
export class HeaderMembers {
  readonly #ask: Send;
  readonly #names = new Set<string>();

  constructor(ask: Send) {
    this.#ask = ask;
  }

  /**
   * Requests a block, and returns whether it has a member name that is not stored yet.
   * @throws UpstreamFault if no node answers
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
