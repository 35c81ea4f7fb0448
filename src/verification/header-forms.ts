/** How chains hash their headers: which members of a block object, in which order. Sources: the clients named at each form. */

import { bytesToHex } from '../primitives/hex.ts';
import { EMPTY_LIST_HASH } from '../primitives/keccak.ts';

/** `sha3Uncles` of a block without uncles. */
export const NO_UNCLES: string = bytesToHex(EMPTY_LIST_HASH);

/** How a member becomes an RLP item: bytes as they are, or an integer in its shortest form. `encoded`: a list of items that are RLP already. */
export type Scalar = 'bytes' | 'integer' | 'encoded';

export type HeaderField = {
  readonly member: string;
  readonly as: Scalar;
  /** Absent in blocks before its fork; no field follows where one is absent. */
  readonly isOptional?: true;
  /** Milliseconds in the header, seconds in answers. */
  readonly isMilliseconds?: true;
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

const bytes = (member: string): HeaderField => ({ member, as: 'bytes' });
const integer = (member: string): HeaderField => ({ member, as: 'integer' });
const optional = (field: HeaderField): HeaderField => ({ ...field, isOptional: true });

const ZERO_HASH = `0x${'0'.repeat(64)}`;

/** Up to `extraData`: the same on all chains. */
const COMMON: readonly HeaderField[] = [
  bytes('parentHash'),
  bytes('sha3Uncles'),
  bytes('miner'),
  bytes('stateRoot'),
  bytes('transactionsRoot'),
  bytes('receiptsRoot'),
  bytes('logsBloom'),
  integer('difficulty'),
  integer('number'),
  integer('gasLimit'),
  integer('gasUsed'),
  integer('timestamp'),
  bytes('extraData'),
];
const SEALED: readonly HeaderField[] = [...COMMON, bytes('mixHash'), bytes('nonce')];
const BLOBS: readonly HeaderField[] = [
  optional(integer('blobGasUsed')),
  optional(integer('excessBlobGas')),
  optional(bytes('parentBeaconBlockRoot')),
];

/** London, Shanghai, Cancun, Prague, Amsterdam (EIP-7928, EIP-7843). */
const ETHEREUM: readonly HeaderField[] = [
  ...SEALED,
  optional(integer('baseFeePerGas')),
  optional(bytes('withdrawalsRoot')),
  ...BLOBS,
  optional(bytes('requestsHash')),
  optional(bytes('blockAccessListHash')),
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
      bytes('extDataHash'),
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
      bytes('auraSeal'),
      optional(integer('baseFeePerGas')),
    ],
  },
  {
    name: 'aura (OpenEthereum)',
    mark: 'sealFields',
    without: ['mixHash', 'nonce'],
    fields: [...COMMON, { member: 'sealFields', as: 'encoded' }, optional(integer('baseFeePerGas'))],
  },
  {
    name: 'aura (Nethermind)',
    mark: 'step',
    fields: [...COMMON, integer('step'), bytes('signature'), optional(integer('baseFeePerGas'))],
  },
  {
    name: 'frontier',
    mark: 'author',
    unhashed: ['baseFeePerGas'],
    fields: [
      ...COMMON.map((field) =>
        field.member === 'timestamp' ? { ...field, isMilliseconds: true as const } : field,
      ),
      { ...bytes('mixHash'), otherwise: ZERO_HASH },
      bytes('nonce'),
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
