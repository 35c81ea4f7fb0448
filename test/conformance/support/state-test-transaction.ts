/** The transaction of a state test: from its JSON, from its bytes, and the comparison of both. */

import {
  type AccessListItem,
  type Authorization,
  assembleTransaction,
  decodeTransaction,
  encodeSigningPayload,
  type Transaction,
  type TransactionBody,
  type TransactionType,
} from '../../../packages/ethereum/codecs/transaction.ts';
import { bytesEqual } from '../../../packages/ethereum/primitives/bytes.ts';
import { hexToBytes } from '../../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../../packages/ethereum/primitives/keccak.ts';
import { decodeRlp } from '../../../packages/ethereum/primitives/rlp.ts';
import { signHash } from '../../../scripts/chains/secp256k1.ts';
import type { AccessListJson, AuthorizationJson, Indexes, TransactionJson } from './state-test-json.ts';

function typeOf(json: TransactionJson, accessList: AccessListJson | null | undefined): TransactionType {
  if (json.authorizationList !== undefined) return 4;
  if (json.blobVersionedHashes !== undefined || json.maxFeePerBlobGas !== undefined) return 3;
  if (json.maxFeePerGas !== undefined) return 2;
  return accessList === undefined || accessList === null ? 0 : 1;
}

function choose<T>(alternatives: readonly T[], index: number): T {
  if (index >= alternatives.length) throw new RangeError(`no alternative ${index} of ${alternatives.length}`);
  return alternatives[index] as T;
}

function parseAccessList(json: AccessListJson): readonly AccessListItem[] {
  return json.map(({ address, storageKeys }) => ({
    address: hexToBytes(address),
    storageKeys: storageKeys.map(hexToBytes),
  }));
}

function parseAuthorization({ chainId, address, nonce, yParity, v, r, s }: AuthorizationJson): Authorization {
  return {
    chainId: BigInt(chainId),
    address: hexToBytes(address),
    nonce: BigInt(nonce),
    signature: { yParity: Number(yParity ?? v), r: BigInt(r), s: BigInt(s) },
  };
}

/** Parses the transaction that `indexes` choose. A legacy one has no chain id here: only its signature does. */
export function parseTransactionBody(
  json: TransactionJson,
  indexes: Indexes,
  chainId: bigint,
): TransactionBody {
  const accessList = json.accessLists === undefined ? undefined : choose(json.accessLists, indexes.data);
  const type = typeOf(json, accessList);
  const maxFeePerGas = BigInt(json.maxFeePerGas ?? json.gasPrice ?? '0x0');
  return {
    type,
    chainId: type === 0 ? undefined : chainId,
    nonce: BigInt(json.nonce),
    gasLimit: BigInt(choose(json.gasLimit, indexes.gas)),
    maxFeePerGas,
    maxPriorityFeePerGas: type < 2 ? maxFeePerGas : BigInt(json.maxPriorityFeePerGas ?? '0x0'),
    to: json.to === '' ? undefined : hexToBytes(json.to),
    value: BigInt(choose(json.value, indexes.value)),
    data: hexToBytes(choose(json.data, indexes.data)),
    accessList: parseAccessList(accessList ?? []),
    maxFeePerBlobGas: BigInt(json.maxFeePerBlobGas ?? '0x0'),
    blobVersionedHashes: (json.blobVersionedHashes ?? []).map(hexToBytes),
    authorizationList: (json.authorizationList ?? []).map(parseAuthorization),
  };
}

/**
 * Parses a transaction in the encoding outside of blocks: an RLP list, or a type byte and one.
 * @throws RangeError naming what is malformed.
 */
export function decodeTransactionBytes(encoded: Uint8Array): Transaction {
  const isList = (encoded[0] ?? 0) >= 0xc0;
  return decodeTransaction(isList ? decodeRlp(encoded) : encoded);
}

/** Signs with the test's key; a legacy transaction is signed without a chain id, as before EIP-155. */
export function signTransaction(body: TransactionBody, secretKey: string): Transaction {
  return assembleTransaction(body, signHash(keccak256(encodeSigningPayload(body)), hexToBytes(secretKey)));
}

/** Whether both bodies are equal, except for a legacy transaction's chain id. */
export function isSameBody(a: TransactionBody, b: TransactionBody): boolean {
  return bytesEqual(encodeComparably(a), encodeComparably(b));
}

function encodeComparably(tx: TransactionBody): Uint8Array {
  return encodeSigningPayload(tx.type === 0 ? { ...tx, chainId: undefined } : tx);
}
