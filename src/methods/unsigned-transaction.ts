import {
  assembleUnsigned,
  hashTransaction,
  type Transaction,
  type TransactionBody,
} from '../../packages/ethereum/codecs/transaction.ts';
import { bytesToHex, hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import type { JsonText } from '../../packages/ethereum/primitives/json-result.ts';
import { encodeQuantity } from '../../packages/ethereum/primitives/quantity.ts';
import type { CallObject } from '../chain/requests.ts';
import type { FilledFees } from './complete-fees.ts';

/** Fields of a transaction that neither the call object nor the fees contain. */
export type FilledFields = { readonly chainId: bigint; readonly nonce: bigint; readonly gasLimit: bigint };

/**
 * Builds the unsigned transaction of a call. As in geth, the type follows from the fields that are present. A gas price makes a legacy transaction, which has
 * no access list.
 */
export function createUnsigned(call: CallObject, fees: FilledFees, fields: FilledFields): Transaction {
  const isLegacy = 'gasPrice' in fees;
  const body: TransactionBody = {
    type: isLegacy
      ? 0
      : call.authorizationList !== undefined
        ? 4
        : call.blobVersionedHashes !== undefined
          ? 3
          : 2,
    nonce: fields.nonce,
    gasLimit: fields.gasLimit,
    // An unsigned legacy transaction carries no chain id.
    chainId: isLegacy ? undefined : fields.chainId,
    maxFeePerGas: isLegacy ? fees.gasPrice : fees.maxFeePerGas,
    maxPriorityFeePerGas: isLegacy ? fees.gasPrice : fees.maxPriorityFeePerGas,
    to: call.to === undefined ? undefined : hexToBytes(call.to),
    value: BigInt(call.value ?? '0x0'),
    data: hexToBytes(call.input ?? call.data ?? '0x'),
    accessList: (call.accessList ?? []).map(({ address, storageKeys }) => ({
      address: hexToBytes(address),
      storageKeys: storageKeys.map(hexToBytes),
    })),
    maxFeePerBlobGas: fees.maxFeePerBlobGas ?? 0n,
    blobVersionedHashes: (call.blobVersionedHashes ?? []).map(hexToBytes),
    authorizationList: (call.authorizationList ?? []).map(({ chainId, address, nonce, yParity, r, s }) => ({
      chainId: BigInt(chainId),
      address: hexToBytes(address),
      nonce: BigInt(nonce),
      signature: { yParity: Number(BigInt(yParity)), r: BigInt(r), s: BigInt(s) },
    })),
  };
  return assembleUnsigned(body);
}

/** Encodes `{raw, tx}` as geth does. `raw` has a signature of zeros; `tx` has the members of the transaction's type. */
export function encodeUnsigned(tx: Transaction): JsonText {
  const isLegacy = tx.type === 0;
  const members = {
    type: encodeQuantity(tx.type),
    nonce: encodeQuantity(tx.nonce),
    to: tx.to === undefined ? null : bytesToHex(tx.to),
    gas: encodeQuantity(tx.gasLimit),
    gasPrice: isLegacy ? encodeQuantity(tx.maxFeePerGas) : null,
    maxPriorityFeePerGas: isLegacy ? null : encodeQuantity(tx.maxPriorityFeePerGas),
    maxFeePerGas: isLegacy ? null : encodeQuantity(tx.maxFeePerGas),
    value: encodeQuantity(tx.value),
    input: bytesToHex(tx.data),
    v: '0x0',
    r: '0x0',
    s: '0x0',
    hash: bytesToHex(hashTransaction(tx)),
  };
  return JSON.stringify({
    raw: bytesToHex(tx.encoded),
    tx: isLegacy ? members : { ...members, ...listTypedMembers(tx) },
  });
}

/** Returns the members that transactions of type 2 and above have in addition. An empty authorization list is left out. */
function listTypedMembers(tx: Transaction): Readonly<Record<string, unknown>> {
  const { authorizationList } = tx;
  return {
    chainId: encodeQuantity(tx.chainId ?? 0n),
    yParity: '0x0',
    accessList: tx.accessList.map(({ address, storageKeys }) => ({
      address: bytesToHex(address),
      storageKeys: storageKeys.map(bytesToHex),
    })),
    ...(tx.type === 3 && {
      maxFeePerBlobGas: encodeQuantity(tx.maxFeePerBlobGas),
      blobVersionedHashes: tx.blobVersionedHashes.map(bytesToHex),
    }),
    ...(tx.type === 4 &&
      authorizationList.length > 0 && {
        authorizationList: authorizationList.map(({ chainId, address, nonce, signature }) => ({
          chainId: encodeQuantity(chainId),
          address: bytesToHex(address),
          nonce: encodeQuantity(nonce),
          yParity: encodeQuantity(signature.yParity),
          r: encodeQuantity(signature.r),
          s: encodeQuantity(signature.s),
        })),
      }),
  };
}
