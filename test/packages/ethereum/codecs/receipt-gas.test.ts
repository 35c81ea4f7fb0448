import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeStoredReceipts, encodeStoredReceipts } from '../../../../packages/ethereum/codecs/receipt.ts';
import { readReceiptGas } from '../../../../packages/ethereum/codecs/receipt-gas.ts';
import type { TransactionType } from '../../../../packages/ethereum/codecs/transaction.ts';

const bytes = (length: number): fc.Arbitrary<Uint8Array> =>
  fc.uint8Array({ minLength: length, maxLength: length });
const log = fc.record({
  address: bytes(20),
  topics: fc.array(bytes(32), { maxLength: 4 }),
  data: fc.uint8Array(),
});
const receipt = fc.record({
  type: fc.constantFrom<TransactionType>(0, 1, 2, 3, 4),
  outcome: fc.oneof(bytes(32), fc.constantFrom(0n, 1n)),
  cumulativeGasUsed: fc.bigInt({ min: 0n, max: 2n ** 40n }),
  logsBloom: bytes(256),
  logs: fc.array(log, { maxLength: 3 }),
  sender: bytes(20),
  transactionHash: bytes(32),
});

test('readReceiptGas returns gas and senders as decoded from the receipts', () => {
  fc.assert(
    fc.property(fc.array(receipt, { maxLength: 5 }), (unordered) => {
      const receipts = unordered.sort((a, b) => Number(a.cumulativeGasUsed - b.cumulativeGasUsed));
      const encoded = encodeStoredReceipts(receipts);
      let before = 0n;
      const expected = decodeStoredReceipts(encoded).map(({ cumulativeGasUsed, sender }) => {
        const gasUsed = Number(cumulativeGasUsed - before);
        before = cumulativeGasUsed;
        return { gasUsed, sender };
      });
      assert.deepEqual(readReceiptGas(encoded), expected);
    }),
  );
  assert.throws(() => readReceiptGas(Uint8Array.of(0xc2, 0xc1, 0x01)), /receipt too short/);
});
