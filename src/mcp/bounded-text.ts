import type { JsonObject } from '../rpc/codec/codec.ts';

/** Maximum size of a tool's answer, bytes: about 8,000 tokens of a model. */
export const MAX_TOOL_ANSWER_BYTES: number = 20_000;

/** Limits of the length of lists and texts, which are tried in turn until the answer is small enough. */
const STEPS: readonly { readonly items: number; readonly characters: number }[] = [
  { items: 500, characters: 8_192 },
  { items: 200, characters: 2_048 },
  { items: 100, characters: 1_024 },
  { items: 50, characters: 512 },
  { items: 20, characters: 256 },
  { items: 10, characters: 140 },
  { items: 3, characters: 140 },
  { items: 1, characters: 80 },
  { items: 0, characters: 80 },
];
/** Maximum number of cuts that the note lists. */
const MAX_NOTED = 8;

/**
 * Writes an answer as JSON. In an answer that is too large, long lists and texts are cut, and the member `cut` says where.
 * @param hint how to request less
 */
export function writeBounded(answer: JsonObject, hint: string): string {
  const whole = JSON.stringify(answer);
  if (fits(whole)) return whole;
  for (const { items, characters } of STEPS) {
    const cuts: string[] = [];
    const shorter = shorten(answer, '', items, characters, cuts) as JsonObject;
    const text = JSON.stringify({ ...shorter, cut: describeCuts(cuts, whole.length, hint) });
    if (fits(text)) return text;
  }
  // Objects are never shortened, so an object with very many members may still be too large.
  return JSON.stringify({
    cut: [`the answer has ${whole.length} characters, and none of it is shown`, hint],
  });
}

function fits(text: string): boolean {
  return Buffer.byteLength(text) <= MAX_TOOL_ANSWER_BYTES;
}

function describeCuts(cuts: readonly string[], length: number, hint: string): readonly string[] {
  const more = cuts.length > MAX_NOTED ? [`and ${cuts.length - MAX_NOTED} more`] : [];
  return [
    `the whole answer has ${length} characters and exceeds the limit of ${MAX_TOOL_ANSWER_BYTES} bytes`,
    ...cuts.slice(0, MAX_NOTED),
    ...more,
    hint,
  ];
}

function shorten(value: unknown, path: string, items: number, characters: number, cuts: string[]): unknown {
  if (typeof value === 'string') {
    if (value.length <= characters) return value;
    cuts.push(`${path}: ${characters} of ${value.length} characters shown`);
    return `${value.slice(0, characters)}…`;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (!Array.isArray(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        name,
        shorten(member, path === '' ? name : `${path}.${name}`, items, characters, cuts),
      ]),
    );
  if (value.length > items) cuts.push(`${path}: ${items} of ${value.length} shown`);
  return value.slice(0, items).map((item, i) => shorten(item, `${path}[${i}]`, items, characters, cuts));
}
