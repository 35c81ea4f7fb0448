import { encodeQuantity } from '../ethereum/primitives/quantity.ts';
import { decodeRlp, type RlpItem } from '../ethereum/primitives/rlp.ts';
import { decodeBytes, decodeInteger } from './decode-fields.ts';
import type { Members } from './findings.ts';
import { HEADER_FORMS, type HeaderForm, isTimeIn, MAX_INTEGER_BYTES } from './header-forms.ts';

/** Header forms in which each field is one member of the block object. The other forms have nested lists in the header or in the block object. */
const FLAT_FORMS = HEADER_FORMS.filter(
  ({ outer, fields }) => outer === undefined && fields.every(({ as }) => as !== 'seal'),
);
const MS = 1_000n;

/** Decodes a header in the first form that fits; undefined if no known form fits. */
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
    for (const [index, { member, as, length, unit, isOptional }] of fields.entries()) {
      const item = items[index];
      if (item === undefined) {
        if (isOptional !== true) return undefined;
        break;
      }
      const value =
        as === 'integer' ? decodeInteger(item, member, MAX_INTEGER_BYTES) : decodeBytes(item, member, length);
      members[member] = unit === undefined ? value : toSeconds(BigInt(value), unit);
    }
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  // A mark identifies the form. A mark outside of the header repeats a hashed member: `author` is the miner.
  if (mark !== undefined && fields.every(({ member }) => member !== mark))
    members[mark] = members['miner'] as string;
  return mark === undefined || mark in members ? members : undefined;
}

/** Converts a header time to seconds. @throws RangeError if the time is in another unit than `unit` */
function toSeconds(time: bigint, unit: 'seconds' | 'milliseconds'): string {
  const isMilliseconds = unit === 'milliseconds';
  if (!isTimeIn(unit, time) || (isMilliseconds && time % MS > 0n))
    throw new RangeError('the timestamp of the header has the wrong unit');
  return encodeQuantity(isMilliseconds ? time / MS : time);
}
