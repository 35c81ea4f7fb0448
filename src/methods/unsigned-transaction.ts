import type { CallObject } from '../chain/chain.ts';
import { data, quantity } from '../chain/json-values.ts';
import {
  assembleUnsigned,
  hashTransaction,
  type Transaction,
  type TransactionBody,
} from '../chain/transaction.ts';
import { hexToBytes } from '../primitives/hex.ts';
import type { JsonText } from '../primitives/json-result.ts';
import type { FilledFees } from './fill-fees.ts';

/** What a transaction has beside its call and its fees. */
export type FilledFields = { readonly chainId: bigint; readonly nonce: bigint; readonly gasLimit: bigint };

/**
 * The transaction that a call means, without a signature. Its type follows from what is given, as in geth: a price makes a legacy
 * transaction, which has no access list.
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
    // Before it is signed, a legacy transaction does not say of which chain it is.
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

/** `{raw, tx}` as geth has it: the bytes with a signature of zeros, and the members that its type has. */
export function encodeUnsigned(tx: Transaction): JsonText {
  const isLegacy = tx.type === 0;
  const fields = [
    `"type":${quantity(tx.type)}`,
    `"nonce":${quantity(tx.nonce)}`,
    `"to":${tx.to === undefined ? 'null' : data(tx.to)}`,
    `"gas":${quantity(tx.gasLimit)}`,
    `"gasPrice":${isLegacy ? quantity(tx.maxFeePerGas) : 'null'}`,
    `"maxPriorityFeePerGas":${isLegacy ? 'null' : quantity(tx.maxPriorityFeePerGas)}`,
    `"maxFeePerGas":${isLegacy ? 'null' : quantity(tx.maxFeePerGas)}`,
    `"value":${quantity(tx.value)}`,
    `"input":${data(tx.data)}`,
    '"v":"0x0","r":"0x0","s":"0x0"',
    `"hash":${data(hashTransaction(tx))}`,
    ...(isLegacy ? [] : encodeTypedFields(tx)),
  ];
  return `{"raw":${data(tx.encoded)},"tx":{${fields.join(',')}}}`;
}

/** Members of the types from 2 on; empty lists of blobs and authorizations are left out. */
function encodeTypedFields(tx: Transaction): string[] {
  const accessList = tx.accessList.map(
    ({ address, storageKeys }) =>
      `{"address":${data(address)},"storageKeys":[${storageKeys.map(data).join(',')}]}`,
  );
  const fields = [
    `"chainId":${quantity(tx.chainId ?? 0n)}`,
    '"yParity":"0x0"',
    `"accessList":[${accessList.join(',')}]`,
  ];
  if (tx.type === 3)
    fields.push(
      `"maxFeePerBlobGas":${quantity(tx.maxFeePerBlobGas)}`,
      `"blobVersionedHashes":[${tx.blobVersionedHashes.map(data).join(',')}]`,
    );
  if (tx.type === 4 && tx.authorizationList.length > 0) {
    const list = tx.authorizationList.map(
      ({ chainId, address, nonce, signature: { yParity, r, s } }) =>
        `{"chainId":${quantity(chainId)},"address":${data(address)},"nonce":${quantity(nonce)},` +
        `"yParity":${quantity(yParity)},"r":${quantity(r)},"s":${quantity(s)}}`,
    );
    fields.push(`"authorizationList":[${list.join(',')}]`);
  }
  return fields;
}
