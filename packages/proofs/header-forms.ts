/**
 * Header forms by chain. A form lists the members of a block object that are hashed, in order. The source of each form is the code of the client that
 * the form's `name` names.
 */

import { bytesToHex } from '../ethereum/primitives/hex.ts';
import { EMPTY_LIST_HASH } from '../ethereum/primitives/keccak.ts';

/** `sha3Uncles` of a block without uncles. */
export const NO_UNCLES: string = bytesToHex(EMPTY_LIST_HASH);

/**
 * Encoding of a member as an RLP item. `bytes`: bytes verbatim. `integer`: an integer in its shortest form, of at most `MAX_INTEGER_BYTES`. `seal`: a
 * list of the step and the signature of an authority, each of which is already RLP.
 */
export type Scalar = 'bytes' | 'integer' | 'seal';

export type HeaderField = {
  readonly member: string;
  readonly as: Scalar;
  /** Length in bytes, if the member has the same length in all headers. */
  readonly length?: number;
  /** Set if the field is absent before a fork. If a field is absent, all later fields of the header are absent too. */
  readonly isOptional?: true;
  /** Unit of the time that the header contains; responses always use seconds. */
  readonly unit?: 'seconds' | 'milliseconds';
  /** Value that is hashed if the response lacks the member. */
  readonly otherwise?: string;
};

export type HeaderForm = {
  readonly name: string;
  readonly fields: readonly HeaderField[];
  /** Member that occurs only in blocks of these chains. If `mark` is absent, the form may belong to any chain. */
  readonly mark?: string;
  /** Members that nodes return with these blocks although no header contains them. */
  readonly unhashed?: readonly string[];
  /** Members that no block of these chains has. */
  readonly without?: readonly string[];
  /** Members at the beginning of an outer list. Two nested lists follow them: `fields`, and the fields of `context`. */
  readonly outer?: readonly HeaderField[];
  readonly context?: { readonly member: string; readonly fields: readonly HeaderField[] };
};

/**
 * Maximum length of an integer in bytes: longer than any integer of a header, and shorter than a hash. No header item may be readable as bytes in one
 * form and as an integer in another form. If this were possible, a node could return an item under another member name, and the hash would cover the
 * wrong member.
 */
export const MAX_INTEGER_BYTES = 19;
/** Range of times in milliseconds, 1973 to 5138. No block time in seconds is in this range, so the value shows its unit. */
const MILLISECONDS = { first: 100_000_000_000n, end: 100_000_000_000_000n } as const;

/** Whether the hashed header time can be in this unit. */
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

/** Fields up to `extraData`, which are the same on all chains. `extraData` is the only member of variable length. */
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

/** Fields through London, Shanghai, Cancun, Prague and Amsterdam (EIP-7928, EIP-7843). */
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

/** All forms. Ethereum's own form is the first because most chains use it. */
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

/** Whether the block has the mark of a form that does not hash this member. */
export function mayBeUnhashed(block: Readonly<Record<string, unknown>>, member: string): boolean {
  return HEADER_FORMS.some(
    ({ mark, unhashed }) => mark !== undefined && block[mark] != null && unhashed?.includes(member) === true,
  );
}
