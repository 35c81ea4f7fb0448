/** Shrinks a request as long as it still fails: JSON values lose members, items and digits. */
import type { GeneratedRequest } from '../requests/generators.ts';

/** Maximum number of smaller requests tried per failure. */
const MAX_TRIES = 400;

export async function shrinkRequest(
  request: GeneratedRequest,
  fails: (smaller: GeneratedRequest) => Promise<boolean>,
): Promise<GeneratedRequest> {
  let best = request;
  let tries = 0;
  for (let hasShrunk = true; hasShrunk; ) {
    hasShrunk = false;
    for (const params of smallerValues(best.params)) {
      if (++tries > MAX_TRIES) return best;
      const smaller = { method: best.method, params: params as readonly unknown[] };
      if (await fails(smaller)) {
        best = smaller;
        hasShrunk = true;
        break;
      }
    }
  }
  return best;
}

/** Yields values that are one step simpler, largest steps first. */
function* smallerValues(value: unknown): Generator<unknown> {
  if (Array.isArray(value)) {
    for (let i = value.length - 1; i >= 0; i--) yield value.filter((_, place) => place !== i);
    for (let i = 0; i < value.length; i++) {
      for (const smaller of smallerValues(value[i]))
        yield value.map((item, place) => (place === i ? smaller : item));
    }
    return;
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    for (const [name] of entries) yield Object.fromEntries(entries.filter(([other]) => other !== name));
    for (const [name, member] of entries) {
      for (const smaller of smallerValues(member)) {
        yield Object.fromEntries(
          entries.map(([other, cached]) => [other, other === name ? smaller : cached]),
        );
      }
    }
    return;
  }
  if (typeof value === 'string') yield* smallerTexts(value);
}

/** Yields shorter texts: hex data loses halves, then bytes from either end; quantities become small ones. */
function* smallerTexts(text: string): Generator<string> {
  if (!text.startsWith('0x')) return;
  const digits = text.slice(2);
  if (digits.length === 40 || digits.length === 64) return;
  if (digits.length >= 8) {
    const half = 2 * Math.floor(digits.length / 4);
    yield `0x${digits.slice(half)}`;
    yield `0x${digits.slice(0, half)}`;
  }
  if (digits.length > 2) {
    yield `0x${digits.slice(2)}`;
    yield `0x${digits.slice(0, -2)}`;
  }
  for (const small of ['0x0', '0x1']) if (text.length > small.length) yield small;
}
