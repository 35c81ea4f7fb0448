/** Transactions in network form, that is, as clients send them. */

import { decodeLenient, type Transaction } from '../../../packages/ethereum/codecs/transaction.ts';
import { concatBytes } from '../../../packages/ethereum/primitives/bytes.ts';
import { asList, decodeRlp, type RlpItem } from '../../../packages/ethereum/primitives/rlp.ts';
import { checkRlpForm, splitRlp } from './rlp-form.ts';
import { CARRYING_FORMS, SENT_TRANSACTION_FORMS } from './transaction-forms.ts';

/** Part of a blob transaction that blocks do not include. `blobs` and `proofs` are counts. */
export type BlobSidecar = {
  /** 0: one proof per blob (EIP-4844); 1: cell proofs (EIP-7594). */
  readonly version: 0 | 1;
  readonly blobs: number;
  /** Commitments, 48 bytes each. */
  readonly commitments: readonly Uint8Array[];
  readonly proofs: number;
};

export type SentTransaction = {
  /** Transaction whose `encoded` is the block form, which the transaction hash covers. */
  readonly transaction: Transaction;
  /** Sidecar of a type 3 transaction; undefined if it has none, and for all other types. */
  readonly sidecar: BlobSidecar | undefined;
  /** Length of the network form in bytes. */
  readonly size: number;
};

/** Lowest first byte of a legacy transaction, as in geth; lower bytes are transaction types. */
const FIRST_LEGACY_BYTE = 0x80;
const BLOB_TYPE = 3;
const LATEST_VERSION = 1;

/**
 * Decodes a transaction (EIP-2718); blob transactions may lack their sidecar. The values are not validated.
 * @throws RangeError with geth's error text
 */
export function decodeSentTransaction(bytes: Uint8Array): SentTransaction {
  const size = bytes.length;
  const first = bytes[0];
  if (first !== undefined && first >= FIRST_LEGACY_BYTE) {
    checkRlpForm(bytes, SENT_TRANSACTION_FORMS[0]);
    return { transaction: decodeLenient(decodeRlp(bytes)), sidecar: undefined, size };
  }
  if (size <= 1) throw new RangeError('typed transaction too short');
  if (first !== 1 && first !== 2 && first !== BLOB_TYPE && first !== 4)
    throw new RangeError('transaction type not supported');
  const payload = bytes.subarray(1);
  if (first === BLOB_TYPE && carriesBlobs(payload)) return decodeCarrying(bytes, payload);
  checkRlpForm(payload, SENT_TRANSACTION_FORMS[first]);
  return { transaction: decodeLenient(bytes), sidecar: undefined, size };
}

/**
 * Returns whether a blob transaction carries a sidecar. With a sidecar, the first element of the RLP list is itself a list: the transaction in block
 * form. As in geth, this check comes before the checks of fields.
 */
function carriesBlobs(payload: Uint8Array): boolean {
  const { isList, start, end } = splitRlp(payload, 0, payload.length);
  if (!isList) throw new RangeError('rlp: expected List');
  return splitRlp(payload, start, end).isList;
}

function decodeCarrying(bytes: Uint8Array, payload: Uint8Array): SentTransaction {
  const list = splitRlp(payload, 0, payload.length);
  const { end } = splitRlp(payload, list.start, list.end);
  const isVersioned = !splitRlp(payload, end, list.end).isList;
  checkRlpForm(payload, isVersioned ? CARRYING_FORMS.versioned : CARRYING_FORMS.plain);
  const items = asList(decodeRlp(payload), 'transaction');
  const version = isVersioned ? Number(readVersion(items[1])) : 0;
  if (isVersioned && version !== LATEST_VERSION)
    throw new RangeError(`unsupported blob tx version ${version}`);
  const [blobs, commitments, proofs] = items
    .slice(isVersioned ? 2 : 1)
    .map((item) => asList(item, 'sidecar'));
  const encoded = concatBytes(Uint8Array.of(BLOB_TYPE), payload.subarray(list.start, end));
  return {
    transaction: decodeLenient(encoded),
    sidecar: {
      version: version as 0 | 1,
      blobs: blobs?.length ?? 0,
      commitments: (commitments ?? []) as readonly Uint8Array[],
      proofs: proofs?.length ?? 0,
    },
    size: bytes.length,
  };
}

function readVersion(item: RlpItem | undefined): number {
  return item instanceof Uint8Array ? (item[0] ?? 0) : 0;
}
