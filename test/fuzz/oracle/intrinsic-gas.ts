/** Intrinsic gas of a transaction, implemented separately from the engine so that a fault of either shows. */
import type { TransactionBody } from '../../../packages/ethereum/codecs/transaction.ts';
import type { Revision } from '../../../packages/evm/interpreter/revisions/revisions.ts';
import { isAtLeast } from '../../support/is-at-least.ts';

/** Intrinsic gas by EIP-2, 2028, 2930, 3860, 7702. */
export function intrinsicGasOf(tx: TransactionBody, revision: Revision): bigint {
  const perByte = isAtLeast(revision, 'istanbul') ? 16 : 68;
  let gas = 21_000 + 25_000 * tx.authorizationList.length;
  for (const byte of tx.data) gas += byte === 0 ? 4 : perByte;
  if (tx.to === undefined) {
    if (isAtLeast(revision, 'homestead')) gas += 32_000;
    if (isAtLeast(revision, 'shanghai')) gas += 2 * Math.ceil(tx.data.length / 32);
  }
  for (const { storageKeys } of tx.accessList) gas += 2400 + 1900 * storageKeys.length;
  return BigInt(gas);
}

/** Floor gas by EIP-7623. */
export function floorGasOf(tx: TransactionBody, revision: Revision): bigint {
  if (!isAtLeast(revision, 'prague')) return 0n;
  return BigInt(tx.data.reduce((gas, byte) => gas + (byte === 0 ? 10 : 40), 21_000));
}
