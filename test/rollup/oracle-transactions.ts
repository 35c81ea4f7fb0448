/** Transactions of every kind that rollups have, encoded by ethers, for pricing by real oracles. */
import { Signature, Transaction, type TransactionLike } from 'ethers';

const FROM = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
const TO = `0x${'b0'.repeat(20)}`;
/** Priority fee that anvil suggests, wei. */
export const TIP = 1_000_000_000n;
/** Largest initialisation code (EIP-3860), bytes. */
const MAX_INIT_CODE = 49_152;

export const padWord = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`;
export const toQuantity = (value: bigint | number): string => `0x${value.toString(16)}`;

type Kind = 'legacy' | 'accessList' | 'dynamicFee' | 'setCode' | 'creation';
export const TRANSACTION_KINDS: readonly Kind[] = [
  'legacy',
  'accessList',
  'dynamicFee',
  'setCode',
  'creation',
];
const TYPES: Readonly<Record<Kind, number>> = {
  legacy: 0,
  accessList: 1,
  dynamicFee: 2,
  setCode: 4,
  creation: 2,
};
const LENGTHS: readonly number[] = [0, 1, 31, 68, 196, 500, 1_500, 5_000, 20_000, 40_000, 128_000];

/** Data that compresses well, that does not compress, and that compresses as calldata does. */
const DATA: readonly ((length: number) => string)[] = [
  (length) => '00'.repeat(length),
  (length) =>
    Array.from({ length }, (_, i) => (((i * 7_919) ^ (i >> 3)) & 0xff).toString(16).padStart(2, '0')).join(
      '',
    ),
  (length) =>
    `${'00'.repeat(12)}${'c0ffee11'.repeat(5)}${'00'.repeat(28)}01020304`
      .repeat(length / 64 + 1)
      .slice(0, 2 * length),
];

const ACCESS_LIST = [{ address: TO, storageKeys: [padWord(1n), padWord(2n)] }];
/** Hashes (SHA-256 of nothing and of `0`): none of their bytes is zero, and `s` is in the lower half. */
const SIGNATURE = Signature.from({
  r: '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  s: '0x5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9',
  yParity: 1,
});

export type OracleCall = Readonly<Record<string, unknown>>;

/** A call of the kind with this data. */
function makeCall(kind: Kind, data: string, chainId: number): OracleCall {
  const call = { from: FROM, value: '0x0', data, nonce: '0x7' };
  switch (kind) {
    case 'legacy':
      return { ...call, to: TO, gasPrice: '0x77359400' };
    case 'accessList':
      return { ...call, to: TO, gasPrice: '0x77359400', accessList: ACCESS_LIST };
    case 'setCode': {
      const authorization = { address: TO, nonce: '0x0', yParity: '0x1', r: toQuantity(12_345) };
      const signed = { ...authorization, chainId: toQuantity(chainId), s: toQuantity(54_321) };
      return { ...call, to: TO, authorizationList: [signed] };
    }
    case 'creation':
      return call;
    default:
      return { ...call, to: TO };
  }
}

/** Calls of the kind with up to `maxLength` (at most 128,000) bytes of data; initialisation code begins with STOP and stays within MAX_INIT_CODE. */
export function listCalls(
  kind: Kind,
  chainId: number,
  maxLength: number = Number.POSITIVE_INFINITY,
): readonly { readonly length: number; readonly call: OracleCall }[] {
  const most = Math.min(maxLength, kind === 'creation' ? MAX_INIT_CODE - 1 : maxLength);
  return LENGTHS.filter((length) => length <= most).map((length, at) => {
    const data = (DATA[at % DATA.length] as (length: number) => string)(length);
    return { length, call: makeCall(kind, `0x${kind === 'creation' ? '00' : ''}${data}`, chainId) };
  });
}

/** A call with a blob, which no rollup accepts. */
export function makeBlobCall(chainId: number): OracleCall {
  return {
    ...makeCall('dynamicFee', '0x', chainId),
    blobVersionedHashes: [padWord(1n)],
    maxFeePerBlobGas: '0x1',
  };
}

export type Estimate = Readonly<Record<'gasLimit' | 'baseFeePerGas' | 'priorityFeePerGas', string>>;

/** The transaction that a wallet would sign. */
export function draft(
  kind: Kind,
  call: OracleCall,
  { gasLimit, baseFeePerGas }: Estimate,
  chainId: number,
): Transaction {
  const type = TYPES[kind];
  const base = BigInt(baseFeePerGas);
  const fields: TransactionLike = {
    type,
    chainId,
    nonce: 7,
    gasLimit: BigInt(gasLimit),
    to: (call['to'] as string | undefined) ?? null,
    value: 0n,
    data: call['data'] as string,
    ...(type < 2
      ? { gasPrice: BigInt(call['gasPrice'] as string) }
      : { maxFeePerGas: 2n * base + TIP, maxPriorityFeePerGas: TIP }),
    ...(kind === 'accessList' && { accessList: ACCESS_LIST }),
    ...(kind === 'setCode' && {
      authorizationList: [
        {
          address: TO,
          nonce: 0n,
          chainId: BigInt(chainId),
          signature: { r: padWord(12_345n), s: padWord(54_321n), yParity: 1 },
        },
      ],
    }),
  } as TransactionLike;
  return Transaction.from(fields);
}

/** The signed transaction as it would be sent. */
export function sign(transaction: Transaction): string {
  const signed = transaction.clone();
  signed.signature = SIGNATURE;
  return signed.serialized;
}
