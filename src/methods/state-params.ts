import { encodeQuantity } from '../../packages/ethereum/primitives/quantity.ts';
import type { BlockReference, StorageRequests } from '../chain/requests.ts';
import type { Codec } from '../rpc/codec/codec.ts';
import { mapped } from '../rpc/codec/derived-codecs.ts';
import { byKind } from '../rpc/codec/kind-codec.ts';
import { listOf } from '../rpc/codec/list-codec.ts';
import { recordOf } from '../rpc/codec/record-codec.ts';
import { createBoundError, RpcError } from '../rpc/errors.ts';
import type { Param } from '../rpc/method.ts';
import { createKindProblem } from '../rpc/param-problem.ts';
import { address, hash32, nothing } from '../rpc/schemas.ts';
import { limitOf } from '../util/bounds.ts';
import { anyBlock } from './block-reference.ts';

/** First parameter of the methods that read an account. */
export const ACCOUNT_PARAM: Param<string, true> = {
  name: 'address',
  description: 'The account.',
  required: true,
  codec: address,
};

/** Last parameter of the methods that read state. */
export const STATE_BLOCK_PARAM: Param<BlockReference, false> = {
  name: 'block',
  description: 'Block after which the state is read. Default: `latest`.',
  required: false,
  codec: anyBlock,
};

/** Codec that accepts any text as a slot. `decodeSlot` decodes the text later, or throws geth's error. */
export const slotText: Codec<string> = {
  parse(raw) {
    if (typeof raw !== 'string') throw createKindProblem('string', raw);
    return raw;
  },
  accept: (raw) => (typeof raw === 'string' ? raw : undefined),
  jsonSchema: { type: 'string', title: 'slot', pattern: '^(0[xX])?[0-9a-fA-F]{0,64}$' },
};

/** Storage slots as text, because `eth_getProof` repeats the client's form. `null` counts as the empty text, as in geth. */
export const slotTexts: Codec<readonly string[]> = listOf(
  byKind({ string: slotText, null: mapped(nothing, () => '') }),
);

/** Parameter with lists of slots by account. `null` counts as an empty list, as in geth. */
export const storageRequests: Codec<Readonly<Record<string, readonly string[]>>> = recordOf(
  address,
  byKind({ array: listOf(hash32), null: mapped(nothing, (): readonly string[] => []) }),
  { title: 'slots by account', bound: 'call.entries' },
);

/**
 * Storage slot as 32 bytes (`word`), and in the form that `eth_getProof` returns (`echo`). `echo` has 32 bytes if the request had 32 bytes, and is a
 * quantity otherwise.
 */
export type Slot = { readonly word: string; readonly echo: string };

const WORD_DIGITS = 64;
const PREFIX = /^0x/i;
const DIGITS = /^[0-9a-fA-F]*$/;

/**
 * Decodes a slot as leniently as geth: hex of at most 32 bytes, with or without prefix and with or without leading zeros.
 * @throws RpcError in geth's words
 */
export function decodeSlot(text: string): Slot {
  const digits = text.replace(PREFIX, '');
  const isHex = DIGITS.test(digits);
  const length = isHex ? digits.length : countBytes(digits);
  if (length > WORD_DIGITS) throw new RpcError('invalidParams', `${TOO_LONG}: ${quote(text)}`);
  if (!isHex) throw new RpcError('invalidParams', `invalid hex in storage key: ${quote(text)}`);
  const word = `0x${digits.toLowerCase().padStart(WORD_DIGITS, '0')}`;
  // geth pads an odd number of digits with one zero. 63 digits are therefore 32 bytes.
  return { word, echo: digits.length >= WORD_DIGITS - 1 ? word : encodeQuantity(BigInt(word)) };
}

const TOO_LONG = 'storage key too long (want at most 32 bytes)';

/**
 * Returns the UTF-8 length of a text. For a text that is too long for a slot, the result is only a lower bound, which also exceeds the maximum length
 * of a slot.
 */
function countBytes(text: string): number {
  return new TextEncoder().encode(text.slice(0, WORD_DIGITS + 1)).length;
}

/** Maximum length of a slot that an error quotes, UTF-16 units. */
const MAX_QUOTED = 1_024;

function quote(text: string): string {
  return JSON.stringify(text.length <= MAX_QUOTED ? text : `${text.slice(0, MAX_QUOTED)}…`);
}

/** geth's maximum number of slots per request. */
export const MAX_SLOTS: number = limitOf('call.slots');

/**
 * Orders slots by account, as geth does in its answer.
 * @throws RpcError with geth's message if there are no slots, or too many
 */
export function orderRequests(requests: Readonly<Record<string, readonly string[]>>): StorageRequests {
  const ordered = Object.entries(requests).sort(([a], [b]) => (a < b ? -1 : 1));
  const slots = ordered.reduce((sum, [, { length }]) => sum + length, 0);
  if (slots > MAX_SLOTS) throw createBoundError('limitExceeded', 'call.slots', `slots (max ${MAX_SLOTS})`);
  if (slots === 0) throw new RpcError('invalidParams', 'empty request');
  return new Map(ordered);
}
