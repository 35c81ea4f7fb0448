import * as AbiItem from 'ox/AbiItem';
import type { KnownItem } from './contract-interface.ts';

/** Formats a function as a full signature: `function balanceOf(address owner) view returns (uint256)`. */
export function formatSignature({ type, name, inputs, outputs, stateMutability }: KnownItem): string {
  return AbiItem.format({ type, name, inputs, outputs, stateMutability } as AbiItem.AbiItem);
}
