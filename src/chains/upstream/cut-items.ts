/** Splits a long JSON list into the texts of its items, without parsing them. */
import { setImmediate as turn } from 'node:timers/promises';
import type { JsonText } from '../../../packages/ethereum/primitives/json-result.ts';
import { findStringEnd } from '../../../packages/ethereum/primitives/json-strings.ts';
import type { Characters } from '../../../packages/ethereum/primitives/utf8-text.ts';
import { UpstreamFault } from '../../pool/fault.ts';
import type { CancelSignal } from '../../util/cancel-source.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
/** Duration of work after which a pause follows, ms. The duration includes the caller's work on the yielded items. */
const SLOT_MS = 2;
/** Number of steps between two reads of the clock, in about 50 µs. A step scans a whole string, or one character outside strings. */
const STEPS = 8_192;

/**
 * Yields the text of each item of a JSON list, with pauses. The text must be valid JSON. Yields no item if the text is an object instead of a list.
 * @throws UpstreamFault `aborted` when the signal aborts
 */
export async function* cutItems(
  list: Characters,
  { signal }: { readonly signal?: CancelSignal | undefined },
): AsyncGenerator<JsonText> {
  let depth = 0;
  let start = 0;
  let slotEnd = performance.now() + SLOT_MS;
  for (let at = 0, steps = 1; at < list.length; at++, steps++) {
    const unit = list.charCodeAt(at);
    let item: JsonText | undefined;
    if (unit === QUOTE) at = findStringEnd(list, at);
    else if (unit === OPEN_LIST || unit === OPEN_OBJECT) {
      if (depth === 0 && unit === OPEN_OBJECT) return;
      if (++depth === 1) start = at + 1;
    } else if (unit === CLOSE_LIST || unit === CLOSE_OBJECT) {
      if (--depth === 0) item = list.slice(start, at).trim();
    } else if (unit === COMMA && depth === 1) {
      item = list.slice(start, at).trim();
      start = at + 1;
    }
    // An empty list has one item, which is the empty string.
    if (item !== undefined && item !== '') yield item;
    if (item === undefined && steps % STEPS !== 0) continue;
    if (performance.now() < slotEnd) continue;
    await turn();
    if (signal?.aborted === true) throw new UpstreamFault('aborted', 'the caller has cancelled the request');
    slotEnd = performance.now() + SLOT_MS;
  }
}
