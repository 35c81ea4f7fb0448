/** How chains hash their headers: which members of a block object, in which order. Sources: the clients named at each form. */

import { bytesToHex } from '../primitives/hex.ts';
import { EMPTY_LIST_HASH } from '../primitives/keccak.ts';

/** `sha3Uncles` of a block without uncles. */
export const NO_UNCLES: string = bytesToHex(EMPTY_LIST_HASH);

/**
 * How a member becomes an RLP item: bytes as they are, or an integer in its shortest form, of at most `MAX_INTEGER_BYTES`. `seal`: a list of two items that are
 * RLP already, the step and the signature of an authority.
 */
export type Scalar = 'bytes' | 'integer' | 'seal';

export type HeaderField = {
  readonly member: string;
  readonly as: Scalar;
  /** Of bytes that have a fixed number in all headers. */
  readonly length?: number;
  /** Absent in blocks before its fork; no field follows where one is absent. */
  readonly isOptional?: true;
  /** Of a time: its unit in the header. In answers it is seconds. */
  readonly unit?: 'seconds' | 'milliseconds';
  /** What a header has where an answer lacks the member. */
  readonly otherwise?: string;
};

export type HeaderForm = {
  readonly name: string;
  readonly fields: readonly HeaderField[];
  /** A member that only blocks of such chains have; a form without one may be anyone's. */
  readonly mark?: string;
  /** Members that nodes give with such blocks although no header has them. */
  readonly unhashed?: readonly string[];
  /** Members that no block of such chains has. */
  readonly without?: readonly string[];
  /** Members around the list of `fields`, which is then the last item; those of `context` follow it as a list. */
  readonly outer?: readonly HeaderField[];
  readonly context?: { readonly member: string; readonly fields: readonly HeaderField[] };
};

/**
 * Longer than any integer of a header and shorter than a hash. An item of a header must not be read as bytes in one form and as an integer in another: what an
 * answer calls by the name of the one would be hashed, and what it calls by that of the other would not.
 */
export const MAX_INTEGER_BYTES = 19;
/** From 1973 to 5138 in milliseconds, which no chain has counted in seconds: which of both an integer counts follows from itself. */
const MILLISECONDS = { first: 100_000_000_000n, end: 100_000_000_000_000n } as const;

/** Whether the time of a header, as it is hashed, can be in this unit. */
export function isTimeIn(unit: 'seconds' | 'milliseconds', time: bigint): boolean {
  const isMilliseconds = time >= MILLISECONDS.first && time < MILLISECONDS.end;
  return time === 0n || isMilliseconds === (unit === 'milliseconds');
}

const bytes = (member: string, length?: number): HeaderField => ({
  member,
  as: 'bytes',
  ...(length !== undefined && { length }),
});
const hash = (member: string): HeaderField => bytes(member, 32);
const integer = (member: string): HeaderField => ({ member, as: 'integer' });
const optional = (field: HeaderField): HeaderField => ({ ...field, isOptional: true });

const ZERO_HASH = `0x${'0'.repeat(64)}`;

/** Up to `extraData`, the only member of any length: the same on all chains. */
const COMMON: readonly HeaderField[] = [
  hash('parentHash'),
  hash('sha3Uncles'),
  bytes('miner', 20),
  hash('stateRoot'),
  hash('transactionsRoot'),
  hash('receiptsRoot'),
  bytes('logsBloom', 256),
  integer('difficulty'),
  integer('number'),
  integer('gasLimit'),
  integer('gasUsed'),
  { ...integer('timestamp'), unit: 'seconds' },
  bytes('extraData'),
];
const SEALED: readonly HeaderField[] = [...COMMON, hash('mixHash'), bytes('nonce', 8)];
const BLOBS: readonly HeaderField[] = [
  optional(integer('blobGasUsed')),
  optional(integer('excessBlobGas')),
  optional(hash('parentBeaconBlockRoot')),
];

/** London, Shanghai, Cancun, Prague, Amsterdam (EIP-7928, EIP-7843). */
const ETHEREUM: readonly HeaderField[] = [
  ...SEALED,
  optional(integer('baseFeePerGas')),
  optional(hash('withdrawalsRoot')),
  ...BLOBS,
  optional(hash('requestsHash')),
  optional(hash('blockAccessListHash')),
  optional(integer('slotNumber')),
];

export const ETHEREUM_FORM: HeaderForm = { name: 'ethereum', fields: ETHEREUM };

/** Ethereum's own first: most chains have it. */
export const HEADER_FORMS: readonly HeaderForm[] = [
  ETHEREUM_FORM,
  {
    name: 'avalanche',
    mark: 'extDataHash',
    fields: [
      ...SEALED,
      hash('extDataHash'),
      optional(integer('baseFeePerGas')),
      optional(integer('extDataGasUsed')),
      optional(integer('blockGasCost')),
      ...BLOBS,
      optional(integer('timestampMilliseconds')),
      optional(integer('minDelayExcess')),
    ],
  },
  {
    name: 'subnet-evm',
    mark: 'blockGasCost',
    fields: [
      ...SEALED,
      optional(integer('baseFeePerGas')),
      optional(integer('blockGasCost')),
      ...BLOBS,
      optional(integer('timestampMilliseconds')),
      optional(integer('minDelayExcess')),
    ],
  },
  {
    name: 'aura (Erigon)',
    mark: 'auraSeal',
    fields: [
      ...COMMON,
      { ...integer('auraStep'), otherwise: '0x0' },
      bytes('auraSeal', 65),
      optional(integer('baseFeePerGas')),
    ],
  },
  {
    name: 'aura (OpenEthereum)',
    mark: 'sealFields',
    without: ['mixHash', 'nonce'],
    fields: [...COMMON, { member: 'sealFields', as: 'seal' }, optional(integer('baseFeePerGas'))],
  },
  {
    name: 'aura (Nethermind)',
    mark: 'step',
    fields: [...COMMON, integer('step'), bytes('signature', 65), optional(integer('baseFeePerGas'))],
  },
  {
    name: 'frontier',
    mark: 'author',
    unhashed: ['baseFeePerGas'],
    fields: [
      ...COMMON.map((field) =>
        field.unit === undefined ? field : { ...field, unit: 'milliseconds' as const },
      ),
      { ...hash('mixHash'), otherwise: ZERO_HASH },
      bytes('nonce', 8),
    ],
  },
  {
    name: 'tempo',
    mark: 'timestampMillisPart',
    outer: [integer('mainBlockGeneralGasLimit'), integer('sharedGasLimit'), integer('timestampMillisPart')],
    fields: ETHEREUM,
    context: {
      member: 'consensusContext',
      fields: [integer('epoch'), integer('view'), integer('parentView'), bytes('proposer')],
    },
  },
];

/** Whether the block has the mark of a header form that does not hash this member. */
export function mayBeUnhashed(block: Readonly<Record<string, unknown>>, member: string): boolean {
  return HEADER_FORMS.some(
    ({ mark, unhashed }) => mark !== undefined && block[mark] != null && unhashed?.includes(member) === true,
  );
}
