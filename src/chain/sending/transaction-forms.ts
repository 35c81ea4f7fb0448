/** Structures of geth's transactions, by transaction type. */
import type { TransactionType } from '../../../packages/ethereum/codecs/transaction.ts';
import type { RlpForm } from './rlp-form.ts';

type Field = readonly [name: string, form: RlpForm];
type Struct = Extract<RlpForm, { kind: 'struct' }>;

const BIG: RlpForm = { kind: 'bigInt' };
const U256: RlpForm = { kind: 'uint256' };
const UINT64: RlpForm = { kind: 'uint', name: 'uint64', maxBytes: 8 };
const UINT8: RlpForm = { kind: 'uint', name: 'uint8', maxBytes: 1 };
const BYTES: RlpForm = { kind: 'bytes' };
const HASH: RlpForm = { kind: 'array', name: 'common.Hash', length: 32 };
const ADDRESS: RlpForm = { kind: 'array', name: 'common.Address', length: 20 };
const ADDRESS_OR_NONE: RlpForm = { kind: 'array', name: 'common.Address', length: 20, mayBeEmpty: true };

const struct = (name: string, fields: readonly Field[]): Struct => ({ kind: 'struct', name, fields });
const listOf = (name: string, of: RlpForm): RlpForm => ({ kind: 'list', name, of });

const HASHES = listOf('[]common.Hash', HASH);
const ACCESS_LIST: Field = [
  'AccessList',
  listOf(
    'types.AccessList',
    struct('types.AccessTuple', [
      ['Address', ADDRESS],
      ['StorageKeys', HASHES],
    ]),
  ),
];

const signed = (integer: RlpForm): readonly Field[] => [
  ['V', integer],
  ['R', integer],
  ['S', integer],
];

/** Fields of transaction types 2 to 4 (with a dynamic fee), from the chain id to the access list. */
const pricedFields = (integer: RlpForm, to: RlpForm): readonly Field[] => [
  ['ChainID', integer],
  ['Nonce', UINT64],
  ['GasTipCap', integer],
  ['GasFeeCap', integer],
  ['Gas', UINT64],
  ['To', to],
  ['Value', integer],
  ['Data', BYTES],
  ACCESS_LIST,
];

const AUTHORIZATION = struct('types.SetCodeAuthorization', [
  ['ChainID', U256],
  ['Address', ADDRESS],
  ['Nonce', UINT64],
  ['V', UINT8],
  ['R', U256],
  ['S', U256],
]);

const BLOB_TRANSACTION = struct('types.BlobTx', [
  ...pricedFields(U256, ADDRESS),
  ['BlobFeeCap', U256],
  ['BlobHashes', HASHES],
  ...signed(U256),
]);

/** Forms by transaction type; the form for blob transactions is without the sidecar. */
export const SENT_TRANSACTION_FORMS: Readonly<Record<TransactionType, RlpForm>> = {
  0: struct('types.LegacyTx', [
    ['Nonce', UINT64],
    ['GasPrice', BIG],
    ['Gas', UINT64],
    ['To', ADDRESS_OR_NONE],
    ['Value', BIG],
    ['Data', BYTES],
    ...signed(BIG),
  ]),
  1: struct('types.AccessListTx', [
    ['ChainID', BIG],
    ['Nonce', UINT64],
    ['GasPrice', BIG],
    ['Gas', UINT64],
    ['To', ADDRESS_OR_NONE],
    ['Value', BIG],
    ['Data', BYTES],
    ACCESS_LIST,
    ...signed(BIG),
  ]),
  2: struct('types.DynamicFeeTx', [...pricedFields(BIG, ADDRESS_OR_NONE), ...signed(BIG)]),
  3: BLOB_TRANSACTION,
  4: struct('types.SetCodeTx', [
    ...pricedFields(U256, ADDRESS),
    ['AuthList', listOf('[]types.SetCodeAuthorization', AUTHORIZATION)],
    ...signed(U256),
  ]),
};

const sidecarFields = (name: string, length: number): Field => [
  `${name}s`,
  listOf(`[]kzg4844.${name}`, { kind: 'array', name: `kzg4844.${name}`, length }),
];
const SIDECAR: readonly Field[] = [
  sidecarFields('Blob', 131_072),
  sidecarFields('Commitment', 48),
  sidecarFields('Proof', 48),
];

/** Network forms of blob transactions: with one proof per blob (EIP-4844), or with a version and cell proofs (EIP-7594). */
export const CARRYING_FORMS: { readonly plain: RlpForm; readonly versioned: RlpForm } = {
  plain: struct('types.blobTxWithBlobsV0', [['BlobTx', BLOB_TRANSACTION], ...SIDECAR]),
  versioned: struct('types.blobTxWithBlobsV1', [
    ['BlobTx', BLOB_TRANSACTION],
    ['Version', UINT8],
    ...SIDECAR,
  ]),
};
