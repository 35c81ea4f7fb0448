import type { JsonResult, JsonText } from '../../../../packages/ethereum/primitives/json-result.ts';
import type { StorageRequests } from '../../../chain/requests.ts';
import { UpstreamFault } from '../../../pool/fault.ts';
import { parseObject } from './parse-object.ts';

const WORD = /^\s*"0x([0-9a-fA-F]{0,64})"\s*$/;
const WORD_DIGITS = 64;

/**
 * Checks the value of a storage slot, and adds the leading zeros that some nodes omit.
 * @throws UpstreamFault `wrong` if the result is not a word
 */
export function checkWord(result: JsonResult): JsonText {
  const digits = typeof result === 'string' ? WORD.exec(result)?.[1] : undefined;
  if (digits !== undefined) return `"0x${digits.toLowerCase().padStart(WORD_DIGITS, '0')}"`;
  if (typeof result !== 'string') result.cancel();
  throw new UpstreamFault('wrong', 'the result is not a word of storage');
}

/**
 * Creates a check that an `eth_getStorageValues` result has the requested accounts, with one value per requested slot. If a node lacks
 * `eth_getStorageValues`, the check also accepts an array of `eth_getStorageAt` results, one per slot.
 * @returns a check that throws UpstreamFault `wrong` if accounts or numbers of values differ
 */
export function checkStorageValues(requests: StorageRequests): (result: JsonResult) => JsonText {
  return (result) => {
    const answer: unknown = parseObject(result);
    const lists = Array.isArray(answer)
      ? splitValues(answer, requests)
      : readLists(answer as object, requests);
    const members = [...requests.keys()].map((address, i) => `"${address}":[${(lists[i] ?? []).join()}]`);
    return `{${members.join()}}`;
  };
}

function splitValues(values: readonly unknown[], requests: StorageRequests): JsonText[][] {
  let at = 0;
  const lists = [...requests.values()].map(({ length }) => {
    at += length;
    return values.slice(at - length, at).map(readWord);
  });
  if (at !== values.length) throw new UpstreamFault('wrong', 'the answer has values of other slots');
  return lists;
}

function readLists(answer: object, requests: StorageRequests): JsonText[][] {
  const byAddress = new Map(
    Object.entries(answer).map(([address, values]): [string, unknown] => [address.toLowerCase(), values]),
  );
  return [...requests].map(([address, { length }]) => {
    const values = byAddress.get(address);
    if (Array.isArray(values) && values.length === length) return values.map(readWord);
    throw new UpstreamFault('wrong', 'values of slots are missing');
  });
}

function readWord(value: unknown): JsonText {
  return checkWord(JSON.stringify(value));
}

/** Name of a member that an `eth_getProof` answer contains once per slot, and nowhere else. */
const ONCE_A_SLOT = '"proof"';

/**
 * Creates a check that a proof is for the requested account and for the requested number of slots. The check searches the text without parsing it,
 * because it may have megabytes. Streams are not checked.
 * @param slots number of requested slots
 * @returns a check that throws UpstreamFault `wrong` for a proof of another account or another number of slots
 */
export function checkProof(address: string, slots: number): (result: JsonResult) => JsonResult {
  const own = new RegExp(`"address"\\s*:\\s*"${address}"`, 'i');
  return (result) => {
    if (typeof result !== 'string') return result;
    if (!result.trimStart().startsWith('{') || !own.test(result)) {
      throw new UpstreamFault('wrong', 'the proof is not for the requested account');
    }
    if (result.split(ONCE_A_SLOT).length - 1 === slots) return result;
    throw new UpstreamFault('wrong', 'the proof is not for the requested slots');
  };
}
