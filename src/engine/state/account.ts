import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT } from '../../primitives/keccak.ts';
import { asBytes, asInteger, asList, decodeRlp, encodeRlp } from '../../primitives/rlp.ts';

/** An account as the state trie holds it. */
export type Account = {
  readonly nonce: bigint;
  readonly balance: bigint;
  readonly storageRoot: Uint8Array;
  readonly codeHash: Uint8Array;
};

export const EMPTY_ACCOUNT: Account = {
  nonce: 0n,
  balance: 0n,
  storageRoot: EMPTY_TRIE_ROOT,
  codeHash: EMPTY_CODE_HASH,
};

export function encodeAccount({ nonce, balance, storageRoot, codeHash }: Account): Uint8Array {
  return encodeRlp([nonce, balance, storageRoot, codeHash]);
}

export function decodeAccount(encoded: Uint8Array): Account {
  const fields = asList(decodeRlp(encoded), 'account');
  return {
    nonce: asInteger(fields[0], 'nonce', 8),
    balance: asInteger(fields[1], 'balance'),
    storageRoot: asBytes(fields[2], 'storageRoot', 32),
    codeHash: asBytes(fields[3], 'codeHash', 32),
  };
}
