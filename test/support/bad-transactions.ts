/** Transactions that a node refuses for their form or content, and some that it accepts; signed, and damaged byte by byte. */

import {
  type Authorization,
  assembleTransaction,
  encodeSigningPayload,
  type TransactionBody,
} from '../../packages/ethereum/codecs/transaction.ts';
import { concatBytes } from '../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex, hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../packages/ethereum/primitives/keccak.ts';
import { decodeRlp, encodeRlp, type RlpInput, type RlpItem } from '../../packages/ethereum/primitives/rlp.ts';
import { sha256 } from '../../packages/ethereum/primitives/sha256.ts';
import { privateKeyToAddress, signHash } from '../../scripts/chains/secp256k1.ts';

export type BadTransaction = { readonly name: string; readonly bytes: Uint8Array };

export const CHAIN_ID = 1337;
const KEY = keccak256(Uint8Array.of(1));
export const SENDER: string = bytesToHex(privateKeyToAddress(KEY));
const TO = hexToBytes('0x00000000000000000000000000000000000000aa');
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

const BASE: TransactionBody = {
  type: 2,
  chainId: BigInt(CHAIN_ID),
  nonce: 0n,
  gasLimit: 100_000n,
  maxFeePerGas: 2_000_000_000n,
  maxPriorityFeePerGas: 1_000_000_000n,
  to: TO,
  value: 1n,
  data: Uint8Array.of(1, 0, 2),
  accessList: [{ address: TO, storageKeys: [new Uint8Array(32)] }],
  maxFeePerBlobGas: 0n,
  blobVersionedHashes: [],
  authorizationList: [],
};

/** Encodes a transaction signed by the funded account. */
export function makeTransaction(parts: Partial<TransactionBody> = {}): Uint8Array {
  const body = { ...BASE, ...parts };
  if (body.type < 2) Object.assign(body, { maxPriorityFeePerGas: body.maxFeePerGas });
  if (body.type === 0) Object.assign(body, { accessList: [] });
  return assembleTransaction(body, signHash(keccak256(encodeSigningPayload(body)), KEY)).encoded;
}

/** A transfer without data and access list. */
const ALONE: Partial<TransactionBody> = { data: new Uint8Array(), accessList: [] };

export const AUTHORIZATION: Authorization = {
  chainId: 0n,
  address: TO,
  nonce: 0n,
  signature: { yParity: 1, r: 5n, s: 6n },
};

/** Edits the RLP list behind the type byte; for type 0 the whole encoding. */
function change(bytes: Uint8Array, edit: (fields: RlpInput[]) => RlpInput): Uint8Array {
  const isLegacy = (bytes[0] as number) >= 0xc0;
  const fields = [...(decodeRlp(isLegacy ? bytes : bytes.subarray(1)) as readonly RlpItem[])] as RlpInput[];
  const payload = encodeRlp(edit(fields));
  return isLegacy ? payload : concatBytes(bytes.subarray(0, 1), payload);
}

const setField =
  (index: number, value: RlpInput) =>
  (fields: RlpInput[]): RlpInput =>
    fields.with(index < 0 ? fields.length + index : index, value);

const COMMITMENT = hexToBytes(`0xc0${'00'.repeat(47)}`);
const BLOB_HASH = Uint8Array.of(1, ...sha256(COMMITMENT).subarray(1));
const BLOB = new Uint8Array(131_072);

type Sidecar = { version?: number; blobs?: number; commitments?: number; proofs?: number };

/** Blob transaction with its sidecar: blobs of zeros, whose commitments and proofs are the point at infinity. */
export function makeBlobTransaction(parts: Partial<TransactionBody> = {}, sidecar: Sidecar = {}): Uint8Array {
  const { version, blobs = 1, commitments = blobs } = sidecar;
  const { proofs = version === undefined ? commitments : 128 * commitments } = sidecar;
  const bytes = makeTransaction({
    type: 3,
    maxFeePerBlobGas: 10n,
    blobVersionedHashes: Array.from({ length: commitments }, () => BLOB_HASH),
    ...parts,
  });
  const transaction = decodeRlp(bytes.subarray(1)) as RlpInput;
  const list = (length: number, item: Uint8Array): RlpInput => Array.from({ length }, () => item);
  const carried = [list(blobs, BLOB), list(commitments, COMMITMENT), list(proofs, COMMITMENT)];
  const all = version === undefined ? [transaction, ...carried] : [transaction, BigInt(version), ...carried];
  return concatBytes(Uint8Array.of(3), encodeRlp(all));
}

const VALID: readonly (readonly [string, Uint8Array])[] = [
  ['legacy', makeTransaction({ type: 0 })],
  ['access list', makeTransaction({ type: 1 })],
  ['two fees', makeTransaction()],
  [
    'blobs without sidecar',
    makeTransaction({ type: 3, maxFeePerBlobGas: 1n, blobVersionedHashes: [BLOB_HASH] }),
  ],
  ['set code', makeTransaction({ type: 4, authorizationList: [AUTHORIZATION] })],
];

/** Replaces each byte by several values, truncates at each length, and appends a byte. */
function* damage(name: string, bytes: Uint8Array): Generator<BadTransaction> {
  for (let at = 0; at < bytes.length; at++) {
    for (const value of [0x00, 0x01, 0x7f, 0x80, 0x81, 0xb8, 0xc0, 0xc1, 0xf8, 0xff]) {
      if (bytes[at] !== value)
        yield { name: `${name}: byte ${at} is ${value}`, bytes: bytes.with(at, value) };
    }
    yield { name: `${name}: first ${at} bytes`, bytes: bytes.subarray(0, at) };
  }
  yield { name: `${name}: one byte more`, bytes: concatBytes(bytes, Uint8Array.of(0)) };
}

/** Malformed values for each field. */
function* misshape(name: string, bytes: Uint8Array): Generator<BadTransaction> {
  const isLegacy = (bytes[0] as number) >= 0xc0;
  const { length } = decodeRlp(isLegacy ? bytes : bytes.subarray(1)) as readonly RlpItem[];
  const forms: readonly (readonly [string, RlpInput])[] = [
    ['nothing', new Uint8Array()],
    ['an empty list', []],
    ['a list', [Uint8Array.of(1)]],
    ['zero byte', Uint8Array.of(0)],
    ['padded', Uint8Array.of(0, 1, 2)],
    ['9 bytes', new Uint8Array(9).fill(7)],
    ['19 bytes', new Uint8Array(19).fill(7)],
    ['20 bytes', new Uint8Array(20).fill(7)],
    ['32 bytes', new Uint8Array(32).fill(7)],
    ['33 bytes', new Uint8Array(33).fill(7)],
    ['100 bytes', new Uint8Array(100).fill(7)],
    ['lists in a list', [[Uint8Array.of(1), []], [TO, [TO]], [TO]]],
  ];
  for (let i = 0; i < length; i++) {
    for (const [form, value] of forms)
      yield { name: `${name}: field ${i} is ${form}`, bytes: change(bytes, setField(i, value)) };
    yield { name: `${name}: without field ${i}`, bytes: change(bytes, (fields) => fields.toSpliced(i, 1)) };
  }
  yield { name: `${name}: a field more`, bytes: change(bytes, (fields) => [...fields, new Uint8Array()]) };
}

function* contradict(): Generator<BadTransaction> {
  for (const type of [0, 1, 2, 3, 4] as const) {
    const common: Partial<TransactionBody> = {
      type,
      ...(type === 3 && { maxFeePerBlobGas: 1n, blobVersionedHashes: [BLOB_HASH] }),
      ...(type === 4 && { authorizationList: [AUTHORIZATION] }),
    };
    const rows: Readonly<Record<string, Partial<TransactionBody>>> = {
      'other chain': { chainId: 1n },
      'chain 0': { chainId: 0n },
      'no gas': { gasLimit: 0n },
      '11,999 gas to oneself': { ...ALONE, to: hexToBytes(SENDER), gasLimit: 11_999n },
      '12,000 gas to oneself': { ...ALONE, to: hexToBytes(SENDER), gasLimit: 12_000n },
      '14,999 gas without value': { ...ALONE, value: 0n, gasLimit: 14_999n },
      '15,000 gas without value': { ...ALONE, value: 0n, gasLimit: 15_000n },
      'gas for the floor of an access list': { gasLimit: 24_520n },
      'gas of 2^32': { gasLimit: 2n ** 32n, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n },
      '20,999 gas': { gasLimit: 20_999n, data: new Uint8Array() },
      'floor gas': { gasLimit: 40_000n, data: new Uint8Array(600).fill(1) },
      'gas above EIP-7825': { gasLimit: 16_777_217n },
      'gas above the block': { gasLimit: 30_000_001n },
      'gas of 2^64-1': { gasLimit: 2n ** 64n - 1n, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n },
      'tip above fee': { maxPriorityFeePerGas: 3_000_000_000n },
      'highest nonce': { nonce: 2n ** 64n - 1n },
      'value of 256 bits': { value: 2n ** 256n - 1n },
      '128 KiB': { data: new Uint8Array(128 * 1024), gasLimit: 10_000_000n },
      'just below 128 KiB': { data: new Uint8Array(128 * 1024 - 400), gasLimit: 10_000_000n },
    };
    for (const [name, parts] of Object.entries(rows))
      yield { name: `type ${type}: ${name}`, bytes: makeTransaction({ ...common, ...parts }) };
    if (type < 3) {
      for (const size of [49_153, 131_072]) {
        const data = new Uint8Array(size);
        yield {
          name: `type ${type}: init code of ${size} bytes`,
          bytes: makeTransaction({ ...common, to: undefined, data, gasLimit: 5_000_000n }),
        };
      }
      yield {
        name: `type ${type}: creation`,
        bytes: makeTransaction({ ...common, to: undefined, gasLimit: 53_000n }),
      };
    }
    const bytes = makeTransaction(common);
    const signed: Readonly<Record<string, (fields: RlpInput[]) => RlpInput>> = {
      'high s': (fields) => {
        const flipped = ORDER - BigInt(bytesToHex(fields.at(-1) as Uint8Array));
        return fields.with(-1, flipped);
      },
      'r of 0': setField(-2, 0n),
      's of 0': setField(-1, 0n),
      'r of the order': setField(-2, ORDER),
      'r that is on no point': setField(-2, 5n),
      'r of 257 bits': setField(-2, 2n ** 256n),
      'v of 0': setField(-3, 0n),
      'v of 2': setField(-3, 2n),
      'v of 27': setField(-3, 27n),
      'v of 28': setField(-3, 28n),
      'v of 30': setField(-3, 30n),
      'v of 35': setField(-3, 35n),
      'v of 2^64': setField(-3, 2n ** 64n),
      'v of 2^300': setField(-3, 2n ** 300n),
    };
    for (const [name, edit] of Object.entries(signed))
      yield { name: `type ${type}: ${name}`, bytes: change(bytes, edit) };
  }
  yield { name: 'no protection', bytes: makeTransaction({ type: 0, chainId: undefined }) };
  yield { name: 'no authorization', bytes: makeTransaction({ type: 4, authorizationList: [] }) };
}

function* carry(): Generator<BadTransaction> {
  const wrong = Uint8Array.of(2, ...BLOB_HASH.subarray(1));
  const rows: readonly (readonly [string, Partial<TransactionBody>, Sidecar])[] = [
    ['version 1', {}, { version: 1 }],
    ['version 2', {}, { version: 2 }],
    ['no blob fee', { maxFeePerBlobGas: 0n }, { version: 1 }],
    ['no blobs', {}, { version: 1, blobs: 0 }],
    ['a commitment less', {}, { version: 1, blobs: 2, commitments: 1 }],
    ['a blob less', {}, { version: 1, blobs: 1, commitments: 2 }],
    ['a proof less', {}, { version: 1, proofs: 127 }],
    ['plain proofs in version 1', {}, { version: 1, proofs: 1 }],
    ['a hash more', { blobVersionedHashes: [BLOB_HASH, BLOB_HASH] }, { version: 1 }],
    ['a hash of another version', { blobVersionedHashes: [wrong] }, { version: 1 }],
    ['seven blobs', {}, { version: 1, blobs: 7 }],
    ['little gas', { gasLimit: 21_000n }, { version: 1 }],
    ['other chain', { chainId: 5n }, { version: 1 }],
  ];
  for (const [name, parts, sidecar] of rows)
    yield { name: `carries blobs: ${name}`, bytes: makeBlobTransaction(parts, sidecar) };
}

export const BAD_TRANSACTIONS: readonly BadTransaction[] = [
  { name: 'empty', bytes: new Uint8Array() },
  ...[0, 1, 2, 3, 4, 5, 0x7e, 0x7f, 0x80, 0xb8, 0xc0, 0xff].flatMap((first) => [
    { name: `only ${first}`, bytes: Uint8Array.of(first) },
    { name: `${first} and an empty list`, bytes: Uint8Array.of(first, 0xc0) },
    { name: `${first} and a list`, bytes: Uint8Array.of(first, 0xc1, 0x80) },
    { name: `${first} and a list in a list`, bytes: Uint8Array.of(first, 0xc1, 0xc0) },
    { name: `${first} and a long list`, bytes: Uint8Array.of(first, 0xf9, 0x01, 0x00) },
  ]),
  ...VALID.flatMap(([name, bytes]) => [...damage(name, bytes), ...misshape(name, bytes)]),
  ...contradict(),
  ...carry(),
];
