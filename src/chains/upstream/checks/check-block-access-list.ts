/** Checks that a block access list has the hash in its block's header (EIP-7928). */

import {
  decodeBlockAccessList,
  encodeBlockAccessList,
} from '../../../../packages/ethereum/codecs/block-access-list.ts';
import { bytesToHex, hexToBytes } from '../../../../packages/ethereum/primitives/hex.ts';
import type { JsonResult } from '../../../../packages/ethereum/primitives/json-result.ts';
import { keccak256 } from '../../../../packages/ethereum/primitives/keccak.ts';
import { parseJsonText } from '../../../../packages/ethereum/primitives/parse-json.ts';
import {
  encodeBlockAccessListJson,
  parseBlockAccessListJson,
} from '../../../chain/block-access-list-json.ts';
import type { AccessListForm } from '../../../chain/requests.ts';
import { UpstreamFault } from '../../../pool/fault.ts';
import type { Upstream } from '../../../pool/upstream.ts';
import { keepUnique } from '../keep-unique.ts';

/**
 * Callback with the result of comparing a list with the hash in the header, and with the form (RLP or JSON) in which the node sent the list.
 * @throws UpstreamFault if the hash differs
 */
type JudgeList = (isCorrect: boolean, provided: AccessListForm, upstream: Upstream | undefined) => void;

/**
 * Creates a check that a block access list has the hash `hash`. The check returns the list in the requested form. If a node lacks the method for one
 * form (JSON or RLP), it sends the other form as the only item of an array.
 * @param form form that the client requested, JSON or RLP
 * @param classify called with the result of the comparison for every list; only then does the check throw for a wrong hash or a malformed list
 * @returns a check that throws UpstreamFault `wrong` for a stream or a malformed list, `missing` for null, and the errors of `classify`
 */
export function checkBlockAccessList(
  hash: string,
  form: AccessListForm,
  classify: JudgeList,
): (result: JsonResult, upstream?: Upstream) => JsonResult {
  const otherForm = form === 'raw' ? 'objects' : 'raw';
  return (result, upstream) => {
    if (typeof result !== 'string') {
      result.cancel();
      throw new UpstreamFault('wrong', 'the block access list is not a string');
    }
    const value: unknown = parseJsonText(result);
    // In a JSON access list, each item is an object. If the only item is an array or a string, it is therefore a whole list in the other form.
    const [only] = Array.isArray(value) && value.length === 1 ? value : [];
    const isOther = typeof only === 'string' || Array.isArray(only);
    const list = isOther ? only : value;
    if (list === null) throw new UpstreamFault('missing', 'the node does not have the block access list');
    const encoded = encodeList(list);
    const isCorrect = encoded !== undefined && bytesToHex(keccak256(encoded)) === hash;
    classify(isCorrect, isOther ? otherForm : form, upstream);
    if (encoded === undefined) throw new UpstreamFault('wrong', 'the block access list cannot be parsed');
    if (!isOther) return keepUnique(result);
    if (form === 'raw') return `"${bytesToHex(encoded)}"`;
    return [...encodeBlockAccessListJson(decodeBlockAccessList(encoded))].join('');
  };
}

/** Encodes a list in JSON or RLP form as RLP; returns undefined if it is malformed. */
function encodeList(value: unknown): Uint8Array | undefined {
  try {
    return typeof value === 'string'
      ? hexToBytes(value)
      : encodeBlockAccessList(parseBlockAccessListJson(value));
  } catch {
    return undefined;
  }
}
