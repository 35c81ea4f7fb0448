import type { CallObject } from '../../chain/chain.ts';
import type {
  AccessListItem,
  Authorization,
  TransactionBody,
  TransactionType,
} from '../../chain/transaction.ts';
import { ZERO_ADDRESS } from '../../primitives/address.ts';
import { EMPTY_BYTES } from '../../primitives/bytes.ts';
import { hexToBytes } from '../../primitives/hex.ts';

export type SimulatedTransaction = {
  /** Each run sets its own gas limit: a copy of the rest would cost it 1.4 us. */
  readonly body: Omit<TransactionBody, 'gasLimit'> & { gasLimit: bigint };
  readonly sender: Uint8Array;
};

/** What most calls do not have. */
const NONE: readonly never[] = [];

const integer = (text: string | undefined): bigint => (text === undefined ? 0n : BigInt(text));

function typeOf(call: CallObject): TransactionType {
  if (call.authorizationList !== undefined) return 4;
  if (call.blobVersionedHashes !== undefined) return 3;
  if (call.maxFeePerGas !== undefined || call.maxPriorityFeePerGas !== undefined) return 2;
  return call.accessList === undefined ? 0 : 1;
}

/**
 * A call object as a transaction that nobody signed. Fields that are not given have geth's defaults: sender
 * and value zero, no fees. Fee market fields are void before London.
 */
export function buildCallTransaction(call: CallObject, hasBaseFee: boolean): SimulatedTransaction {
  const legacyPrice = call.gasPrice === undefined ? undefined : BigInt(call.gasPrice);
  const marketFee = (text: string | undefined): bigint => (hasBaseFee ? integer(text) : 0n);
  const data = call.input ?? call.data;
  return {
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
      accessList: call.accessList?.map(decodeAccess) ?? NONE,
      maxFeePerBlobGas: integer(call.maxFeePerBlobGas),
      blobVersionedHashes: call.blobVersionedHashes?.map(hexToBytes) ?? NONE,
      authorizationList: call.authorizationList?.map(decodeAuthorization) ?? NONE,
    },
  };
}

function decodeAccess({
  address,
  storageKeys,
}: NonNullable<CallObject['accessList']>[number]): AccessListItem {
  return { address: hexToBytes(address), storageKeys: storageKeys.map(hexToBytes) };
}

function decodeAuthorization(entry: NonNullable<CallObject['authorizationList']>[number]): Authorization {
  return {
    chainId: BigInt(entry.chainId),
    address: hexToBytes(entry.address),
    nonce: BigInt(entry.nonce),
    signature: { yParity: Number(BigInt(entry.yParity)), r: BigInt(entry.r), s: BigInt(entry.s) },
  };
}
