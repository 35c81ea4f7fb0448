import { bytesToBigInt } from '../primitives/bytes.ts';
import { readListSpans } from '../primitives/rlp.ts';

/** Gas used by a transaction, and its sender. */
export type ReceiptGas = { readonly gasUsed: number; readonly sender: Uint8Array };

/** Positions among the fields of a stored receipt (`encodeStoredReceipts`). */
const CUMULATIVE_GAS_FIELD = 2;
const SENDER_FIELD = 5;

/**
 * Gas and sender of every receipt of a block as the store has them. Logs, which may be tens of megabytes, are not looked into.
 * @throws RangeError naming what is malformed
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
