/** Transactions as clients send them: in the form in which networks pass them on. */
import { concatBytes } from '../../primitives/bytes.ts';
import { asList, decodeRlp, type RlpItem } from '../../primitives/rlp.ts';
import { decodeUnjudged, type Transaction } from '../transaction.ts';
import { checkRlpForm, splitRlp } from './rlp-form.ts';
import { CARRYING_FORMS, TRANSACTION_FORMS } from './transaction-forms.ts';

/** What a blob transaction carries beside what stands in a block. */
export type BlobSidecar = {
  /** 0: a proof for each blob (EIP-4844); 1: proofs of cells (EIP-7594). */
  readonly version: 0 | 1;
  readonly blobs: number;
  /** 48 bytes each. */
  readonly commitments: readonly Uint8Array[];
  readonly proofs: number;
};

export type SentTransaction = {
  /** Its `encoded` is what stands in a block, and what its hash is of. */
  readonly transaction: Transaction;
  /** Of type 3 only; undefined where it carries nothing. */
  readonly sidecar: BlobSidecar | undefined;
  /** Bytes as sent. */
  readonly size: number;
};

/** First byte of a list's header; below it a transaction begins with its type. */
const FIRST_LEGACY_BYTE = 0x80;
const BLOB_TYPE = 3;
const LATEST_VERSION = 1;

/**
 * Reads a transaction (EIP-2718), with or without what a blob transaction carries. That its values make sense is another question.
 * @throws RangeError in geth's words
 */
export function decodeSentTransaction(bytes: Uint8Array): SentTransaction {
  const size = bytes.length;
  const first = bytes[0];
  if (first !== undefined && first >= FIRST_LEGACY_BYTE) {
    checkRlpForm(bytes, TRANSACTION_FORMS[0]);
    return { transaction: decodeUnjudged(decodeRlp(bytes)), sidecar: undefined, size };
  }
  if (size <= 1) throw new RangeError('typed transaction too short');
  if (first !== 1 && first !== 2 && first !== BLOB_TYPE && first !== 4)
    throw new RangeError('transaction type not supported');
  const payload = bytes.subarray(1);
  if (first === BLOB_TYPE && carriesBlobs(payload)) return decodeCarrying(bytes, payload);
  checkRlpForm(payload, TRANSACTION_FORMS[first]);
  return { transaction: decodeUnjudged(bytes), sidecar: undefined, size };
}

/** Whether the list begins with a list: the transaction as it stands in a block. Looked at before the fields, as in geth. */
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
    transaction: decodeUnjudged(encoded),
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
