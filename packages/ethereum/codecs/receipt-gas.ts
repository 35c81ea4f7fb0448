import { bytesToBigInt } from '../primitives/bytes.ts';
import { readListSpans } from '../primitives/rlp.ts';

/** Gas used by a transaction, and the transaction's sender (20 bytes). */
export type ReceiptGas = { readonly gasUsed: number; readonly sender: Uint8Array };

/** Field positions in a stored receipt (`encodeStoredReceipts`). */
const CUMULATIVE_GAS_FIELD = 2;
const SENDER_FIELD = 5;

/**
 * Reads gas and sender of every stored receipt of a block, without scanning the logs, which may be tens of megabytes.
 * @throws RangeError that names the malformed part
 */
export function readReceiptGas(encoded: Uint8Array): ReceiptGas[] {
  let before = 0;
  return readListSpans(encoded).map(({ at, end }) => {
    const fields = readListSpans(encoded, at, end);
    const gas = fields[CUMULATIVE_GAS_FIELD];
    const sender = fields[SENDER_FIELD];
    if (gas === undefined || sender === undefined) throw new RangeError('rlp: stored receipt too short');
    const cumulative = Number(bytesToBigInt(encoded.subarray(gas.start, gas.end)));
    const gasUsed = cumulative - before;
    before = cumulative;
    return { gasUsed, sender: encoded.subarray(sender.start, sender.end) };
  });
}
