import type { AbiEntry, ToolParameter } from './signatures.ts';
import { decodeNamed, nameValues } from './values.ts';
import { listKnownEvents } from './well-known.ts';

/** Log as nodes return it. */
export type RawLog = {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly logIndex?: string | null;
  readonly blockNumber?: string | null;
  readonly transactionHash?: string | null;
};

/** Event that a log encodes. `args` is an object if the signature names all parameters, otherwise a list. */
export type DecodedEvent = { readonly event: string; readonly args: unknown };

type IndexedParameter = ToolParameter & { readonly indexed?: boolean };

/**
 * Decodes a log by the first event that fits it.
 * @param events tried before the events of standards
 * @returns undefined if no event fits
 */
export function decodeLog(
  { topics, data }: RawLog,
  events: readonly AbiEntry[] = [],
): DecodedEvent | undefined {
  for (const entry of [...events, ...listKnownEvents()]) {
    if (entry.selector !== topics[0]?.toLowerCase()) continue;
    const args = decodeArgs(entry, topics.slice(1), data);
    if (args !== undefined) return { event: entry.signature, args };
  }
  return undefined;
}

/** Decodes the parameters of one event; undefined if they have another form. */
function decodeArgs(entry: AbiEntry, topics: readonly string[], data: string): unknown {
  const inputs = markIndexed(entry.inputs, topics.length);
  const indexed = inputs.filter(({ indexed }) => indexed === true);
  if (indexed.length !== topics.length) return undefined;
  const others = inputs.filter(({ indexed }) => indexed !== true).map(({ name: _, ...input }) => input);
  const words = decodeNamed(others as ToolParameter[], data);
  if (!Array.isArray(words)) return undefined;
  const [nextTopic, nextWord] = [topics[Symbol.iterator](), words[Symbol.iterator]()];
  const values = inputs.map((input) =>
    input.indexed === true ? decodeTopic(input, String(nextTopic.next().value)) : nextWord.next().value,
  );
  return nameValues(inputs, values);
}

/** Marks indexed parameters. If the signature has no word `indexed`, the first parameters count as indexed, one for each topic. */
function markIndexed(inputs: readonly IndexedParameter[], topics: number): readonly IndexedParameter[] {
  if (inputs.some(({ indexed }) => indexed === true)) return inputs;
  return inputs.map((input, i) => ({ ...input, indexed: i < topics }));
}

/** Decodes an indexed value. Types of variable length have only a hash in the topic, which is returned as `{ hash }`. */
function decodeTopic(input: IndexedParameter, topic: string): unknown {
  const { type } = input;
  if (type === 'string' || type === 'bytes' || type.endsWith(']') || type === 'tuple') return { hash: topic };
  const decoded = decodeNamed([{ type }], topic);
  return Array.isArray(decoded) ? decoded[0] : topic;
}
