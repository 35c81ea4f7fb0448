import type { CallObject } from '../../chain/requests.ts';
import type {
  AccessListItem,
  Authorization,
  TransactionBody,
  TransactionType,
} from '../../chain/transaction.ts';
import { ZERO_ADDRESS } from '../../primitives/address.ts';
import { EMPTY_BYTES } from '../../primitives/bytes.ts';
import { hexToBytes } from '../../primitives/hex.ts';
import type { GivenLists } from '../transition/validate-transaction.ts';
import type { Execution } from './execution.ts';

export type SimulatedTransaction = {
  /** Each run sets its own gas limit: a copy of the rest would cost it 1.4 us. */
  readonly body: Omit<TransactionBody, 'gasLimit' | 'accessList'> & {
    gasLimit: bigint;
    accessList: TransactionBody['accessList'];
  };
  readonly sender: Uint8Array;
  readonly given: GivenLists;
  /** It offers nothing for blob gas, and has blobs or says so: blob gas costs nothing in its block. */
  readonly isBlobFree: boolean;
};

/** What most calls do not have. */
const NONE: readonly never[] = [];
/** Entries of lists that are read in one piece: 0.3 ms. */
const PIECE = 512;

/** The lists of a call object, of any length; they are decoded in pieces. */
export type CallLists = Pick<TransactionBody, 'accessList' | 'authorizationList' | 'blobVersionedHashes'>;

export const NO_LISTS: CallLists = { accessList: NONE, authorizationList: NONE, blobVersionedHashes: NONE };

const integer = (text: string | undefined): bigint => (text === undefined ? 0n : BigInt(text));

function typeOf(call: CallObject): TransactionType {
  if (call.authorizationList !== undefined) return 4;
  if (call.blobVersionedHashes !== undefined) return 3;
  if (call.maxFeePerGas !== undefined || call.maxPriorityFeePerGas !== undefined) return 2;
  return call.accessList === undefined ? 0 : 1;
}

const NO_LIST_GIVEN: GivenLists = { hasAccessList: false, hasBlobs: false, hasAuthorizations: false };

function listsOf({ accessList, blobVersionedHashes, authorizationList }: CallObject): GivenLists {
  const hasAccessList = accessList !== undefined;
  const hasBlobs = blobVersionedHashes !== undefined;
  const hasAuthorizations = authorizationList !== undefined;
  if (!hasAccessList && !hasBlobs && !hasAuthorizations) return NO_LIST_GIVEN;
  return { hasAccessList, hasBlobs, hasAuthorizations };
}

/**
 * A call object as an unsigned transaction. Fields that are not given have geth's defaults: sender
 * and value zero, no fees. Fee market fields are void before London.
 */
export function buildCallTransaction(
  call: CallObject,
  hasBaseFee: boolean,
  { accessList, authorizationList, blobVersionedHashes }: CallLists,
): SimulatedTransaction {
  const legacyPrice = call.gasPrice === undefined ? undefined : BigInt(call.gasPrice);
  const marketFee = (text: string | undefined): bigint => (hasBaseFee ? integer(text) : 0n);
  const data = call.input ?? call.data;
  const given = listsOf(call);
  const maxFeePerBlobGas = integer(call.maxFeePerBlobGas);
  return {
    given,
    isBlobFree: maxFeePerBlobGas === 0n && (given.hasBlobs || call.maxFeePerBlobGas !== undefined),
    sender: call.from === undefined ? ZERO_ADDRESS : hexToBytes(call.from),
    body: {
      type: typeOf(call),
      chainId: undefined,
      nonce: integer(call.nonce),
      gasLimit: 0n,
      maxFeePerGas: legacyPrice ?? marketFee(call.maxFeePerGas),
      maxPriorityFeePerGas: legacyPrice ?? marketFee(call.maxPriorityFeePerGas),
      to: call.to === undefined ? undefined : hexToBytes(call.to),
      value: integer(call.value),
      data: data === undefined ? EMPTY_BYTES : hexToBytes(data),
      accessList,
      maxFeePerBlobGas,
      blobVersionedHashes,
      authorizationList,
    },
  };
}

/** Reads a call's lists, a piece at a time: they may have as many entries as a request has room for. */
export function* decodeCallLists(call: CallObject): Execution<CallLists> {
  let count = 0;
  const accessList: AccessListItem[] = [];
  for (const { address, storageKeys } of call.accessList ?? NONE) {
    const keys: Uint8Array[] = [];
    for (const key of storageKeys) {
      keys.push(hexToBytes(key));
      if (++count % PIECE === 0) yield 'sliceUsed';
    }
    accessList.push({ address: hexToBytes(address), storageKeys: keys });
    if (++count % PIECE === 0) yield 'sliceUsed';
  }
  const authorizationList: Authorization[] = [];
  for (const entry of call.authorizationList ?? NONE) {
    authorizationList.push(decodeAuthorization(entry));
    if (++count % PIECE === 0) yield 'sliceUsed';
  }
  const blobVersionedHashes: Uint8Array[] = [];
  for (const hash of call.blobVersionedHashes ?? NONE) {
    blobVersionedHashes.push(hexToBytes(hash));
    if (++count % PIECE === 0) yield 'sliceUsed';
  }
  return { accessList, authorizationList, blobVersionedHashes };
}

function decodeAuthorization(entry: NonNullable<CallObject['authorizationList']>[number]): Authorization {
  return {
    chainId: BigInt(entry.chainId),
    address: hexToBytes(entry.address),
    nonce: BigInt(entry.nonce),
    signature: { yParity: Number(BigInt(entry.yParity)), r: BigInt(entry.r), s: BigInt(entry.s) },
  };
}
