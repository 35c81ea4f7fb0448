/** Block access lists compared with the hash that the header has of them (EIP-7928). */
import { decodeBlockAccessList, encodeBlockAccessList } from '../../chain/block-access-list.ts';
import { encodeBlockAccessListJson, parseBlockAccessListJson } from '../../chain/block-access-list-json.ts';
import type { AccessListForm } from '../../chain/chain.ts';
import { bytesToHex, hexToBytes } from '../../primitives/hex.ts';
import type { JsonResult } from '../../primitives/json-result.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import { keepUnique } from '../../verification/repeated-names.ts';
import { UpstreamFault } from '../fault.ts';

/**
 * The list is the one of this hash, and is given in the form that was asked for: a node that lacks the method is asked for the other
 * form, whose answer comes as the only item of an array.
 */
export function checkBlockAccessList(hash: string, form: AccessListForm): (result: JsonResult) => JsonResult {
  return (result) => {
    if (typeof result !== 'string') {
      result.cancel();
      throw new UpstreamFault('wrong', 'the block access list is no text');
    }
    const value: unknown = JSON.parse(result);
    // Accounts are objects: neither an array nor a text can be one.
    const [only] = Array.isArray(value) && value.length === 1 ? value : [];
    const isOther = typeof only === 'string' || Array.isArray(only);
    const encoded = readList(isOther ? only : value);
    if (bytesToHex(keccak256(encoded)) !== hash) {
      throw new UpstreamFault('wrong', 'the block access list is not the one that the header commits to');
    }
    if (!isOther) return keepUnique(result);
    if (form === 'raw') return `"${bytesToHex(encoded)}"`;
    return [...encodeBlockAccessListJson(decodeBlockAccessList(encoded))].join('');
  };
}

/** Its RLP, from either form. */
function readList(value: unknown): Uint8Array {
  if (value === null) throw new UpstreamFault('missing', 'the node does not have the block access list');
  try {
    return typeof value === 'string'
      ? hexToBytes(value)
      : encodeBlockAccessList(parseBlockAccessListJson(value));
  } catch (error) {
    throw new UpstreamFault('wrong', `the block access list cannot be read: ${(error as Error).message}`);
  }
}
