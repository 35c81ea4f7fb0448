import type { StorageRequests } from '../../chain/requests.ts';
import type { JsonResult, JsonText } from '../../primitives/json-result.ts';
import { UpstreamFault } from '../fault.ts';
import { parseObject } from './parse-object.ts';

const WORD = /^\s*"0x([0-9a-fA-F]{0,64})"\s*$/;
const WORD_DIGITS = 64;

/** A word of storage: whole again where a node leaves out its leading zeros. */
export function checkWord(result: JsonResult): JsonText {
  const digits = typeof result === 'string' ? WORD.exec(result)?.[1] : undefined;
  if (digits !== undefined) return `"0x${digits.toLowerCase().padStart(WORD_DIGITS, '0')}"`;
  if (typeof result !== 'string') result.cancel();
  throw new UpstreamFault('wrong', 'the result is no word of storage');
}

/**
 * Values of slots are those of the accounts asked for, each with as many as were asked for. An array is taken for the answers to
 * `eth_getStorageAt`, slot by slot.
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
  if (at !== values.length) throw new UpstreamFault('wrong', 'there are values of other slots');
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

/** Every proof of a slot has it once, no other part of the answer has it. */
const ONCE_A_SLOT = '"proof"';

/** A proof is about the account asked for, and about as many slots. Its text is searched: it may have megabytes. */
export function checkProof(address: string, slots: number): (result: JsonResult) => JsonResult {
  const own = new RegExp(`"address"\\s*:\\s*"${address}"`, 'i');
  return (result) => {
    if (typeof result !== 'string') return result;
    if (!result.trimStart().startsWith('{') || !own.test(result)) {
      throw new UpstreamFault('wrong', 'the proof is not that of the account asked for');
    }
    if (result.split(ONCE_A_SLOT).length - 1 === slots) return result;
    throw new UpstreamFault('wrong', 'the proof is not about the slots asked for');
  };
}
