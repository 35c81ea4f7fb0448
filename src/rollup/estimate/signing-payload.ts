import { concatBytes, EMPTY_BYTES } from '../../../packages/ethereum/primitives/bytes.ts';
import { hexToBytes } from '../../../packages/ethereum/primitives/hex.ts';
import { encodeRlp, type RlpInput } from '../../../packages/ethereum/primitives/rlp.ts';
import { ChainError } from '../../chain/errors.ts';
import type { CallObject } from '../../chain/requests.ts';
import type { AccessListEntry, AuthorizationEntry } from '../../chain/wire-json.ts';

/** Transaction types with a known unsigned form; rollups do not have type 3 (blobs). */
export type PayloadType = 0 | 1 | 2 | 4;

/** Transaction values that a call object may omit. */
export type PayloadDefaults = {
  readonly chainId: bigint;
  readonly nonce: bigint;
  readonly gasLimit: bigint;
  /** Default gas price of a legacy or access list transaction, wei. */
  readonly gasPrice: bigint;
};

/**
 * Returns the lowest transaction type that supports all members of the call, or the call's own `type` if that is higher.
 * @throws ChainError `invalid` for blob transactions and unknown types
 */
export function inferPayloadType(call: CallObject): PayloadType {
  const named = BigInt(call.type ?? '0x0');
  const isBlob = call.blobVersionedHashes !== undefined || call.maxFeePerBlobGas !== undefined;
  if (isBlob || named === 3n || named > 4n) throw new ChainError('invalid', 'Unsupported transaction type');
  if (call.authorizationList !== undefined || named === 4n) return 4;
  const hasFeeCap = call.maxFeePerGas !== undefined || call.maxPriorityFeePerGas !== undefined;
  if (hasFeeCap || named === 2n) return 2;
  return call.accessList !== undefined || named === 1n ? 1 : 0;
}

/** Encodes the bytes that a sender would hash and sign: by EIP-155 for a legacy transaction, otherwise an EIP-2718 envelope. */
export function encodeSigningBytes(call: CallObject, defaults: PayloadDefaults): Uint8Array {
  const { type, chainId, fields } = listFields(call, defaults);
  return wrap(type, type === 0 ? [...fields, chainId, 0n, 0n] : fields);
}

/** Encodes the transaction with a dummy signature that compresses as badly as a real one. */
export function encodeSizedTransaction(call: CallObject, defaults: PayloadDefaults): Uint8Array {
  const { type, chainId, fields } = listFields(call, defaults);
  return wrap(type, [...fields, type === 0 ? 2n * chainId + 36n : 1n, ...FILLER_SIGNATURE]);
}

/** Dummy values of r and s: 32 distinct non-zero bytes each. */
const FILLER_SIGNATURE: readonly Uint8Array[] = [1, 101].map((from) =>
  Uint8Array.from({ length: 32 }, (_, i) => from + i * 3),
);

function wrap(type: PayloadType, fields: readonly RlpInput[]): Uint8Array {
  const list = encodeRlp(fields);
  return type === 0 ? list : concatBytes(Uint8Array.of(type), list);
}

type Fields = { readonly type: PayloadType; readonly chainId: bigint; readonly fields: RlpInput[] };

/** Returns the transaction fields before the signature, in wire order. */
function listFields(call: CallObject, defaults: PayloadDefaults): Fields {
  const type = inferPayloadType(call);
  const gasPrice = call.gasPrice === undefined ? defaults.gasPrice : BigInt(call.gasPrice);
  const chainId = call.chainId === undefined ? defaults.chainId : BigInt(call.chainId);
  const to = call.to === undefined ? EMPTY_BYTES : hexToBytes(call.to);
  const value = BigInt(call.value ?? '0x0');
  const data = hexToBytes(call.input ?? call.data ?? '0x');
  const target: RlpInput[] = [defaults.gasLimit, to, value, data];

  if (type === 0) return { type, chainId, fields: [defaults.nonce, gasPrice, ...target] };

  const fees =
    type === 1
      ? [gasPrice]
      : [BigInt(call.maxPriorityFeePerGas ?? '0x0'), BigInt(call.maxFeePerGas ?? '0x0')];
  const fields: RlpInput[] = [chainId, defaults.nonce, ...fees, ...target, toAccessList(call.accessList)];
  if (type === 4) fields.push((call.authorizationList ?? []).map(toAuthorization));
  return { type, chainId, fields };
}

function toAccessList(list: readonly AccessListEntry[] = []): RlpInput {
  return list.map(({ address, storageKeys }) => [hexToBytes(address), storageKeys.map(hexToBytes)]);
}

function toAuthorization(entry: AuthorizationEntry): RlpInput {
  return [
    BigInt(entry.chainId),
    hexToBytes(entry.address),
    BigInt(entry.nonce),
    BigInt(entry.yParity),
    BigInt(entry.r),
    BigInt(entry.s),
  ];
}
