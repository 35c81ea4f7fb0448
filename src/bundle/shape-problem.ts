import { findStringEnd } from '../../packages/ethereum/primitives/json-strings.ts';

/** Maximum depth of nested lists and objects; answers and parameters have fewer than ten levels. */
const MAX_DEPTH = 64;
/**
 * Maximum number of items and members. Parsing takes up to 100 bytes for each item or member. Bundles of the largest blocks have a hundred thousand
 * items and members.
 */
const MAX_VALUES = 4_000_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
/** Bit in which `[` differs from `{`, and `]` from `}`. */
const OBJECT_BIT = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/**
 * Checks that parsing a file takes a limited amount of memory and stack.
 * @returns reason why the file must not be parsed, phrased as the end of a sentence; meaningless if the text is not JSON
 */
export function findShapeProblem(text: string): string | undefined {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = findStringEnd(text, at);
    else if ((code | OBJECT_BIT) === CLOSE) depth--;
    else if (code === COMMA || (code | OBJECT_BIT) === OPEN) {
      values++;
      if (code !== COMMA) depth++;
      if (depth > MAX_DEPTH) return `its lists and objects are nested more than ${MAX_DEPTH} levels deep`;
      if (values > MAX_VALUES) return `it has more than ${MAX_VALUES} values`;
    }
  }
  return undefined;
}
