/** Transactions of types 0 to 4: decoding, hashing, signing hashes, senders. */
import { minBigInt } from '../primitives/bigint.ts';
import { concatBytes, EMPTY_BYTES } from '../primitives/bytes.ts';
import { keccak256 } from '../primitives/keccak.ts';
import {
  asBytes,
  asInteger,
  asList,
  decodeRlp,
  encodeRlp,
  type RlpInput,
  type RlpItem,
} from '../primitives/rlp.ts';
import { type RecoverPublicKey, recoverAddress, type Signature } from '../primitives/signature.ts';

export type AccessListItem = { readonly address: Uint8Array; readonly storageKeys: readonly Uint8Array[] };

/** Authorization to run the code of `address` in the signer's account (EIP-7702). */
export type Authorization = {
  readonly chainId: bigint;
  readonly address: Uint8Array;
  readonly nonce: bigint;
  readonly signature: Signature;
};

export type TransactionType = 0 | 1 | 2 | 3 | 4;

/** Transaction without its signature. Types 0 and 1 have their gas price in both fee fields. */
export type TransactionBody = {
  readonly type: TransactionType;
  /** Chain id; absent for legacy transactions without replay protection (EIP-155). */
  readonly chainId: bigint | undefined;
  readonly nonce: bigint;
  readonly gasLimit: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  /** Recipient; absent for a contract creation. */
  readonly to: Uint8Array | undefined;
  readonly value: bigint;
  readonly data: Uint8Array;
  readonly accessList: readonly AccessListItem[];
  readonly maxFeePerBlobGas: bigint;
  readonly blobVersionedHashes: readonly Uint8Array[];
  readonly authorizationList: readonly Authorization[];
};

export type Transaction = TransactionBody & {
  readonly signature: Signature;
  /** Signature value `v`: for type 0, 27 or 28, or the EIP-155 value with the chain id; for other types, the parity. */
  readonly v: bigint;
  /** Canonical bytes (EIP-2718): an RLP list for type 0, type byte and RLP list for other types. */
  readonly encoded: Uint8Array;
};

function accessListToRlp(list: readonly AccessListItem[]): RlpInput {
  return list.map(({ address, storageKeys }) => [address, storageKeys]);
}

function accessListFromRlp(item: RlpItem | undefined): AccessListItem[] {
  return asList(item, 'accessList').map((entry) => {
    const [address, keys, ...rest] = asList(entry, 'accessList entry');
    if (rest.length > 0) throw new RangeError('rlp: accessList entry has more than 2 fields');
    return {
      address: asBytes(address, 'accessList address', 20),
      storageKeys: asList(keys, 'accessList keys').map((key) => asBytes(key, 'accessList key', 32)),
    };
  });
}

function authorizationToRlp({ chainId, address, nonce, signature }: Authorization): RlpInput {
  return [chainId, address, nonce, BigInt(signature.yParity), signature.r, signature.s];
}

function authorizationFromRlp(item: RlpItem): Authorization {
  const fields = asList(item, 'authorization');
  if (fields.length !== 6) throw new RangeError(`rlp: authorization has ${fields.length} fields`);
  return {
    chainId: asInteger(fields[0], 'authorization chainId'),
    address: asBytes(fields[1], 'authorization address', 20),
    nonce: asInteger(fields[2], 'authorization nonce', 8),
    signature: {
      yParity: Number(asInteger(fields[3], 'authorization yParity', 1)),
      r: asInteger(fields[4], 'authorization r'),
      s: asInteger(fields[5], 'authorization s'),
    },
  };
}

/** Returns the payload fields that precede the signature, in wire order. */
function bodyToRlp(tx: TransactionBody): RlpInput[] {
  const to = tx.to ?? EMPTY_BYTES;
  if (tx.type === 0) return [tx.nonce, tx.maxFeePerGas, tx.gasLimit, to, tx.value, tx.data];
  const chainId = tx.chainId ?? 0n;
  const accessList = accessListToRlp(tx.accessList);
  if (tx.type === 1) {
    return [chainId, tx.nonce, tx.maxFeePerGas, tx.gasLimit, to, tx.value, tx.data, accessList];
  }
  const fields: RlpInput[] = [
    chainId,
    tx.nonce,
    tx.maxPriorityFeePerGas,
    tx.maxFeePerGas,
    tx.gasLimit,
    to,
    tx.value,
    tx.data,
    accessList,
  ];
  if (tx.type === 3) fields.push(tx.maxFeePerBlobGas, tx.blobVersionedHashes);
  if (tx.type === 4) fields.push(tx.authorizationList.map(authorizationToRlp));
  return fields;
}

function withTypeByte(type: TransactionType, payload: Uint8Array): Uint8Array {
  return type === 0 ? payload : concatBytes(Uint8Array.of(type), payload);
}

/** Encodes the payload to be signed. For a legacy transaction with a chain id, the payload includes the three fields of EIP-155. */
export function encodeSigningPayload(tx: TransactionBody): Uint8Array {
  const fields = bodyToRlp(tx);
  if (tx.type === 0 && tx.chainId !== undefined) fields.push(tx.chainId, 0n, 0n);
  return withTypeByte(tx.type, encodeRlp(fields));
}

function legacyV(tx: TransactionBody, yParity: number): bigint {
  return BigInt(yParity) + (tx.chainId === undefined ? 27n : tx.chainId * 2n + 35n);
}

/** Builds a signed transaction from a body and its signature. */
export function assembleTransaction(body: TransactionBody, signature: Signature): Transaction {
  const v = body.type === 0 ? legacyV(body, signature.yParity) : BigInt(signature.yParity);
  const encoded = encodeRlp([...bodyToRlp(body), v, signature.r, signature.s]);
  return { ...body, signature, v, encoded: withTypeByte(body.type, encoded) };
}

/** Creates a transaction with zero `v`, `r` and `s`, the form in which nodes report transactions of simulated blocks. */
export function assembleUnsigned(body: TransactionBody): Transaction {
  const encoded = encodeRlp([...bodyToRlp(body), 0n, 0n, 0n]);
  return {
    ...body,
    signature: { yParity: 0, r: 0n, s: 0n },
    v: 0n,
    encoded: withTypeByte(body.type, encoded),
  };
}

/** Returns the transaction hash, 32 bytes. */
export function hashTransaction(tx: Transaction): Uint8Array {
  return keccak256(tx.encoded);
}

/**
 * Recovers the sender of a transaction.
 * @throws RangeError if no public key fits the signature
 */
export function recoverSender(tx: Transaction, recoverPublicKey: RecoverPublicKey): Uint8Array {
  return recoverAddress(keccak256(encodeSigningPayload(tx)), tx.signature, recoverPublicKey);
}

/** Recovers the signer of an authorization (EIP-7702). @throws RangeError if no public key fits the signature */
export function recoverAuthority(
  { chainId, address, nonce, signature }: Authorization,
  recoverPublicKey: RecoverPublicKey,
): Uint8Array {
  const payload = concatBytes(Uint8Array.of(5), encodeRlp([chainId, address, nonce]));
  return recoverAddress(keccak256(payload), signature, recoverPublicKey);
}

function readTo(item: RlpItem | undefined): Uint8Array | undefined {
  const to = asBytes(item, 'to');
  if (to.length === 0) return undefined;
  return asBytes(to, 'to', 20);
}

type ReadParity = (v: bigint, type: TransactionType) => { yParity: number; chainId: bigint | undefined };

/** Marks a `v` that fits no signature; valid parities are 0 and 1. */
const NO_PARITY = 2;

function readParity(v: bigint, type: TransactionType): ReturnType<ReadParity> {
  if (type !== 0) {
    if (v > 1n) throw new RangeError('transaction: yParity is neither 0 nor 1');
    return { yParity: Number(v), chainId: undefined };
  }
  if (v === 27n || v === 28n) return { yParity: Number(v - 27n), chainId: undefined };
  if (v < 35n) throw new RangeError(`transaction: invalid v ${v}`);
  return { yParity: Number((v - 35n) & 1n), chainId: (v - 35n) >> 1n };
}

/** Reads `v` like geth, for unchecked transactions. Any value is accepted: a `v` that fits no signature yields `NO_PARITY`. */
function readAnyParity(v: bigint, type: TransactionType): ReturnType<ReadParity> {
  if (type !== 0) return { yParity: v > 1n ? NO_PARITY : Number(v), chainId: undefined };
  if (v === 27n || v === 28n) return { yParity: Number(v - 27n), chainId: undefined };
  if (v === 0n || v === 1n) return { yParity: NO_PARITY, chainId: undefined };
  const rest = v < 35n ? BigInt.asUintN(64, v - 35n) : v - 35n;
  return { yParity: Number(rest & 1n), chainId: rest >> 1n };
}

const FIELD_COUNTS: readonly number[] = [9, 11, 12, 14, 13];

/** Rules for the `v` and the integer lengths that the decoder accepts. Blocks contain only valid values, while clients may send any integers. */
type Leniency = { readonly readParity: ReadParity; readonly integerBytes: number };
const STRICT: Leniency = { readParity, integerBytes: 32 };
const LENIENT: Leniency = { readParity: readAnyParity, integerBytes: Number.POSITIVE_INFINITY };

/**
 * Decodes a transaction from a block: an RLP list (type 0), or a byte string that contains type byte and list.
 * @throws RangeError that names the malformed part
 */
export function decodeTransaction(item: RlpItem): Transaction {
  return decodeBy(item, STRICT);
}

/**
 * Decodes a transaction from a client: integers of any length and any `v` are accepted, so that later checks can report them.
 * @throws RangeError that names the malformed part
 */
export function decodeLenient(item: RlpItem): Transaction {
  return decodeBy(item, LENIENT);
}

function decodeBy(item: RlpItem, leniency: Leniency): Transaction {
  if (!(item instanceof Uint8Array)) return decodeFields(0, item, encodeRlp(item), leniency);
  const type = item[0];
  if (type === undefined || type < 1 || type > 4) {
    throw new RangeError(`transaction: type ${type ?? 'missing'} is not supported`);
  }
  const fields = asList(decodeRlp(item.subarray(1)), 'transaction');
  return decodeFields(type as TransactionType, fields, item, leniency);
}

function decodeFields(
  type: TransactionType,
  fields: readonly RlpItem[],
  encoded: Uint8Array,
  leniency: Leniency,
): Transaction {
  if (fields.length !== FIELD_COUNTS[type]) {
    throw new RangeError(`transaction: type ${type} has ${fields.length} fields`);
  }
  let at = 0;
  const integer = (name: string, maxBytes: number = leniency.integerBytes): bigint =>
    asInteger(fields[at++], name, maxBytes);
  const typedChainId = type === 0 ? undefined : integer('chainId');
  const nonce = integer('nonce', 8);
  const maxPriorityFeePerGas = integer(type < 2 ? 'gasPrice' : 'maxPriorityFeePerGas');
  const maxFeePerGas = type < 2 ? maxPriorityFeePerGas : integer('maxFeePerGas');
  const gasLimit = integer('gasLimit', 8);
  const to = readTo(fields[at++]);
  const value = integer('value');
  const data = asBytes(fields[at++], 'data');
  const accessList = type === 0 ? [] : accessListFromRlp(fields[at++]);
  const maxFeePerBlobGas = type === 3 ? integer('maxFeePerBlobGas') : 0n;
  const blobVersionedHashes =
    type === 3
      ? asList(fields[at++], 'blobVersionedHashes').map((hash) => asBytes(hash, 'versioned hash', 32))
      : [];
  const authorizationList =
    type === 4 ? asList(fields[at++], 'authorizationList').map(authorizationFromRlp) : [];
  const v = integer('v');
  const { yParity, chainId } = leniency.readParity(v, type);
  const signature = { yParity, r: integer('r'), s: integer('s') };
  return {
    type,
    chainId: typedChainId ?? chainId,
    nonce,
    gasLimit,
    maxFeePerGas,
    maxPriorityFeePerGas,
    to,
    value,
    data,
    accessList,
    maxFeePerBlobGas,
    blobVersionedHashes,
    authorizationList,
    v,
    signature,
    encoded,
  };
}

/** Effective gas price in wei (EIP-1559). A transaction of type 0 or 1 has its gas price in both fee fields. */
export function effectiveGasPrice(tx: TransactionBody, baseFeePerGas: bigint | undefined): bigint {
  return minBigInt((baseFeePerGas ?? 0n) + tx.maxPriorityFeePerGas, tx.maxFeePerGas);
}

/**
 * Fee per gas that the beneficiary receives, in wei; before London, the whole gas price. The fee is negative only if the gas price is below the base
 * fee.
 */
export function effectiveTip(tx: TransactionBody, baseFeePerGas: bigint | undefined): bigint {
  return effectiveGasPrice(tx, baseFeePerGas) - (baseFeePerGas ?? 0n);
}

/** Gas per blob (EIP-4844). */
export const GAS_PER_BLOB: bigint = 131072n;

/** Returns the blob gas of a transaction; 0n without blobs. */
export function blobGasOf(tx: TransactionBody): bigint {
  return GAS_PER_BLOB * BigInt(tx.blobVersionedHashes.length);
}
