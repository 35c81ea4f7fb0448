/** Extracts receipts of single transactions from the receipts of their block. */

import type { JsonText } from '../../../packages/ethereum/primitives/json-result.ts';
import type { Characters } from '../../../packages/ethereum/primitives/utf8-text.ts';
import { asText, isSameText } from '../../../packages/proofs/members.ts';
import { UpstreamFault } from '../../pool/fault.ts';
import { checkParsed } from '../../pool/parse-text.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import type { ReportedPlace } from './checks/check-parts.ts';
import { parseObject } from './checks/parse-object.ts';
import { cutItems } from './cut-items.ts';
import { keepUnique } from './keep-unique.ts';

/**
 * Returns the receipt at an index in a block's receipts. Other receipts are not parsed, because they may not have been compared with the block.
 * @throws UpstreamFault `wrong` if the receipt is of another transaction or another block. Another block at this height may have the transaction at
 * the same index.
 */
export async function cutReceipt(
  receipts: Characters,
  hash: string,
  { blockHash, index }: ReportedPlace,
  scope: RequestScope,
): Promise<JsonText> {
  let position = 0n;
  for await (const text of cutItems(receipts, scope)) {
    if (position++ !== index) continue;
    return checkParsed(() => {
      const receipt = parseObject(text);
      if (!isSameText(receipt['transactionHash'], hash) || !isSameText(receipt['blockHash'], blockHash))
        throw misplaced();
      return keepUnique(text);
    }, scope);
  }
  throw misplaced();
}

/** Yields all receipts of a block, each with its transaction hash in lower case. */
export async function* cutReceipts(
  receipts: Characters,
  scope: RequestScope,
): AsyncGenerator<readonly [hash: string, text: JsonText]> {
  for await (const text of cutItems(receipts, scope)) {
    const { transactionHash } = await checkParsed(() => parseObject(text), scope);
    yield [asText(transactionHash).toLowerCase(), text];
  }
}

export function misplaced(): UpstreamFault {
  return new UpstreamFault('wrong', 'the transaction is not at the position that the node reports');
}
