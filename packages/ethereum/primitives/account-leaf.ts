import { asBytes, asInteger, asList, decodeRlp } from './rlp.ts';

const FIELDS = 4;
const NONCE_BYTES = 8;
const HASH_BYTES = 32;

/** Account in a leaf of the state trie (yellow paper 4.1). */
export type AccountLeaf = {
  readonly nonce: bigint;
  /** Wei. */
  readonly balance: bigint;
  readonly storageRoot: Uint8Array;
  readonly codeHash: Uint8Array;
};

/** @throws RangeError if the bytes are not the RLP of an account */
export function decodeAccountLeaf(leaf: Uint8Array): AccountLeaf {
  const fields = asList(decodeRlp(leaf), 'account');
  if (fields.length !== FIELDS) throw new RangeError(`rlp: account has ${fields.length} fields`);
  const [nonce, balance, storageRoot, codeHash] = fields;
  return {
    nonce: asInteger(nonce, 'nonce', NONCE_BYTES),
    balance: asInteger(balance, 'balance'),
    storageRoot: asBytes(storageRoot, 'storageRoot', HASH_BYTES),
    codeHash: asBytes(codeHash, 'codeHash', HASH_BYTES),
  };
}
