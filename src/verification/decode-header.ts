import { decodeRlp, type RlpItem } from '../primitives/rlp.ts';
import { ADDRESS_BYTES, decodeBytes, decodeInteger, HASH_BYTES } from './decode-fields.ts';
import type { Members } from './findings.ts';
import { HEADER_FORMS, type HeaderForm } from './header-forms.ts';

/** Bytes of the members that have a fixed length: what tells forms from each other. */
const LENGTHS: Readonly<Record<string, number>> = {
  parentHash: HASH_BYTES,
  sha3Uncles: HASH_BYTES,
  miner: ADDRESS_BYTES,
  stateRoot: HASH_BYTES,
  transactionsRoot: HASH_BYTES,
  receiptsRoot: HASH_BYTES,
  logsBloom: 256,
  mixHash: HASH_BYTES,
  nonce: 8,
  withdrawalsRoot: HASH_BYTES,
  parentBeaconBlockRoot: HASH_BYTES,
  requestsHash: HASH_BYTES,
  blockAccessListHash: HASH_BYTES,
  extDataHash: HASH_BYTES,
  auraSeal: 65,
  signature: 65,
};

/** Forms of which encoding and members say the same; the others have lists inside, or another unit of time. */
const FLAT_FORMS = HEADER_FORMS.filter(
  ({ outer, fields }) =>
    outer === undefined &&
    fields.every(({ as, isMilliseconds }) => as !== 'encoded' && isMilliseconds !== true),
);

/** The members of an encoded header in the first form that it has; undefined where it has none that is known here. */
export function decodeHeader(encoded: Uint8Array): Members | undefined {
  const items = decodeRlp(encoded);
  if (items instanceof Uint8Array) return undefined;
  for (const form of FLAT_FORMS) {
    const members = readForm(items, form);
    if (members !== undefined) return members;
  }
  return undefined;
}

function readForm(items: readonly RlpItem[], { fields, mark }: HeaderForm): Members | undefined {
  if (items.length > fields.length) return undefined;
  const members: Record<string, string> = {};
  try {
    for (const [index, { member, as, isOptional }] of fields.entries()) {
      const item = items[index];
      if (item === undefined) {
        if (isOptional !== true) return undefined;
        break;
      }
      members[member] =
        as === 'integer' ? decodeInteger(item, member) : decodeBytes(item, member, LENGTHS[member]);
    }
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  return mark === undefined || mark in members ? members : undefined;
}
