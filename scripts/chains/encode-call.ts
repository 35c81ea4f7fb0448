import { bigIntToFixedBytes, bytesToBigInt, concatBytes } from '../../packages/ethereum/primitives/bytes.ts';
import { hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import { selectorOf } from '../contracts/abi.ts';

const WORD = 32;

/** An argument: a static one as a number, an address as its 20 bytes, `bytes` as an object. */
export type CallArgument = bigint | Uint8Array | { readonly bytes: Uint8Array };

/** Encodes the calldata of the function with this signature. */
export function encodeCall(signature: string, ...args: readonly CallArgument[]): Uint8Array {
  const tails: Uint8Array[] = [];
  let offset = BigInt(WORD * args.length);
  const heads = args.map((arg) => {
    if (typeof arg === 'bigint') return encodeWord(arg);
    if (arg instanceof Uint8Array) return encodeWord(bytesToBigInt(arg));
    const tail = concatBytes(
      encodeWord(BigInt(arg.bytes.length)),
      arg.bytes,
      new Uint8Array(-arg.bytes.length & (WORD - 1)),
    );
    const head = encodeWord(offset);
    tails.push(tail);
    offset += BigInt(tail.length);
    return head;
  });
  return concatBytes(hexToBytes(selectorOf(signature)), ...heads, ...tails);
}

export function encodeWord(value: bigint): Uint8Array {
  return bigIntToFixedBytes(value, WORD);
}
