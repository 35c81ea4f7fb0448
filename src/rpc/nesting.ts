/** No parameter of ours nests deeper than six levels; a parser spends a second on megabytes of brackets. */
const MAX_DEPTH = 64;
/** Below this many bytes no nesting can cost much. */
const SMALL_BODY = 16 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Whether a JSON text nests lists and objects beyond 64 levels; small texts are not looked at. */
export function isNestedTooDeeply(body: Uint8Array): boolean {
  if (body.length < SMALL_BODY) return false;
  let depth = 0;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at] as number;
    if (byte === QUOTE) {
      at = findStringEnd(body, at + 1);
      // `[` and `{` are 0x5b and 0x7b, their counterparts two above: bit 0x20 tells lists from objects.
    } else if ((byte | 0x20) === 0x7b) {
      if (++depth > MAX_DEPTH) return true;
    } else if ((byte | 0x20) === 0x7d) depth--;
  }
  return false;
}

/** Index of the quote that ends a string; the end of the text when none does. */
function findStringEnd(body: Uint8Array, from: number): number {
  for (let at = body.indexOf(QUOTE, from); at >= 0; at = body.indexOf(QUOTE, at + 1)) {
    let backslashes = 0;
    while (body[at - 1 - backslashes] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return at;
  }
  return body.length;
}
