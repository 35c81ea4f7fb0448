import { EMPTY_BYTES } from '../primitives/bytes.ts';
import { keccak256 } from '../primitives/keccak.ts';
import { asBytes, asInteger, encodeRlp, type RlpInput, type RlpItem } from '../primitives/rlp.ts';

/** Block header. Forks append optional fields: a header with one optional field also has all earlier ones. */
export type Header = {
  readonly parentHash: Uint8Array;
  readonly ommersHash: Uint8Array;
  readonly beneficiary: Uint8Array;
  readonly stateRoot: Uint8Array;
  readonly transactionsRoot: Uint8Array;
  readonly receiptsRoot: Uint8Array;
  readonly logsBloom: Uint8Array;
  readonly difficulty: bigint;
  readonly number: bigint;
  readonly gasLimit: bigint;
  readonly gasUsed: bigint;
  readonly timestamp: bigint;
  readonly extraData: Uint8Array;
  /** Proof-of-work mix hash; after the merge, `prevRandao`. */
  readonly mixHash: Uint8Array;
  readonly nonce: Uint8Array;
  /** Base fee in wei per gas, since London (EIP-1559). */
  readonly baseFeePerGas?: bigint;
  /** Root of the withdrawals trie, since Shanghai (EIP-4895). */
  readonly withdrawalsRoot?: Uint8Array;
  /** Blob and beacon root fields, since Cancun (EIP-4844, EIP-4788). */
  readonly blobGasUsed?: bigint;
  readonly excessBlobGas?: bigint;
  readonly parentBeaconBlockRoot?: Uint8Array;
  /** Hash of the execution requests, since Prague (EIP-7685). */
  readonly requestsHash?: Uint8Array;
  /** Block access list hash and slot number, since Amsterdam (EIP-7928, EIP-7843). */
  readonly blockAccessListHash?: Uint8Array;
  readonly slotNumber?: bigint;
};

/** Optional header fields, each introduced by a fork. */
export type ForkField =
  | 'baseFeePerGas'
  | 'withdrawalsRoot'
  | 'blobGasUsed'
  | 'excessBlobGas'
  | 'parentBeaconBlockRoot'
  | 'requestsHash'
  | 'blockAccessListHash'
  | 'slotNumber';

/** Optional fields in header order. */
export const OPTIONAL_FIELDS: readonly ForkField[] = [
  'baseFeePerGas',
  'withdrawalsRoot',
  'blobGasUsed',
  'excessBlobGas',
  'parentBeaconBlockRoot',
  'requestsHash',
  'blockAccessListHash',
  'slotNumber',
];
const REQUIRED_COUNT = 15;

/** Returns the header's RLP list. @throws RangeError if an optional field is set but an earlier one is not */
export function headerToRlp(header: Header): RlpInput[] {
  const fields: RlpInput[] = [
    header.parentHash,
    header.ommersHash,
    header.beneficiary,
    header.stateRoot,
    header.transactionsRoot,
    header.receiptsRoot,
    header.logsBloom,
    header.difficulty,
    header.number,
    header.gasLimit,
    header.gasUsed,
    header.timestamp,
    header.extraData,
    header.mixHash,
    header.nonce,
  ];
  const optional = OPTIONAL_FIELDS.map((name) => header[name]);
  const count = optional.findLastIndex((value) => value !== undefined) + 1;
  for (let i = 0; i < count; i++) {
    const value = optional[i];
    if (value === undefined) throw new RangeError(`header: ${OPTIONAL_FIELDS[i]} is missing`);
    fields.push(value);
  }
  return fields;
}

/** Encodes a header as RLP. @throws RangeError if an optional field is set but an earlier one is not */
export function encodeHeader(header: Header): Uint8Array {
  return encodeRlp(headerToRlp(header));
}

/** Returns the block hash, 32 bytes. @throws RangeError if an optional field is set but an earlier one is not */
export function hashHeader(header: Header): Uint8Array {
  return keccak256(encodeHeader(header));
}

/** Parses a header from its decoded RLP list. @throws RangeError that names the malformed field */
export function headerFromRlp(item: RlpItem): Header {
  if (item instanceof Uint8Array) throw new RangeError('rlp: header is not a list');
  if (item.length < REQUIRED_COUNT || item.length > REQUIRED_COUNT + OPTIONAL_FIELDS.length) {
    throw new RangeError(`rlp: header has ${item.length} fields`);
  }
  const required = {
    parentHash: asBytes(item[0], 'parentHash', 32),
    ommersHash: asBytes(item[1], 'sha3Uncles', 32),
    beneficiary: asBytes(item[2], 'miner', 20),
    stateRoot: asBytes(item[3], 'stateRoot', 32),
    transactionsRoot: asBytes(item[4], 'transactionsRoot', 32),
    receiptsRoot: asBytes(item[5], 'receiptsRoot', 32),
    logsBloom: asBytes(item[6], 'logsBloom', 256),
    difficulty: asInteger(item[7], 'difficulty'),
    number: asInteger(item[8], 'number', 8),
    gasLimit: asInteger(item[9], 'gasLimit', 8),
    gasUsed: asInteger(item[10], 'gasUsed', 8),
    timestamp: asInteger(item[11], 'timestamp', 8),
    extraData: asBytes(item[12], 'extraData'),
    mixHash: asBytes(item[13], 'mixHash', 32),
    nonce: asBytes(item[14], 'nonce', 8),
  };
  const has = (index: number): boolean => item.length > REQUIRED_COUNT + index;
  return {
    ...required,
    ...(has(0) && { baseFeePerGas: asInteger(item[15], 'baseFeePerGas') }),
    ...(has(1) && { withdrawalsRoot: asBytes(item[16], 'withdrawalsRoot', 32) }),
    ...(has(2) && { blobGasUsed: asInteger(item[17], 'blobGasUsed', 8) }),
    ...(has(3) && { excessBlobGas: asInteger(item[18], 'excessBlobGas', 8) }),
    ...(has(4) && { parentBeaconBlockRoot: asBytes(item[19], 'parentBeaconBlockRoot', 32) }),
    ...(has(5) && { requestsHash: asBytes(item[20], 'requestsHash', 32) }),
    ...(has(6) && { blockAccessListHash: asBytes(item[21], 'blockAccessListHash', 32) }),
    ...(has(7) && { slotNumber: asInteger(item[22], 'slotNumber', 8) }),
  };
}

/** Whether a header has exactly the optional fields of a revision. */
export function hasFieldsOf(
  { headerFields }: { readonly headerFields: ReadonlySet<ForkField> },
  header: Header,
): boolean {
  return OPTIONAL_FIELDS.every((field) => headerFields.has(field) === (header[field] !== undefined));
}

/** Size in bytes of a block that consists of this header only. In JSON-RPC, this is the member `size` of an uncle. */
export function headerOnlyBlockSize(header: Header): number {
  return encodeRlp([headerToRlp(header), [], []]).length;
}

/** Header of zeros and empty values, for building headers field by field. */
export const BLANK_HEADER: Header = {
  parentHash: new Uint8Array(32),
  ommersHash: new Uint8Array(32),
  beneficiary: new Uint8Array(20),
  stateRoot: new Uint8Array(32),
  transactionsRoot: new Uint8Array(32),
  receiptsRoot: new Uint8Array(32),
  logsBloom: new Uint8Array(256),
  difficulty: 0n,
  number: 0n,
  gasLimit: 0n,
  gasUsed: 0n,
  timestamp: 0n,
  extraData: EMPTY_BYTES,
  mixHash: new Uint8Array(32),
  nonce: new Uint8Array(8),
};
