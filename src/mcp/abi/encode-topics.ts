import type { JsonObject } from '../../rpc/codec/codec.ts';
import { pointToNames } from '../../util/near-name.ts';
import { ToolError } from '../tool-error.ts';
import type { AbiEntry, ToolParameter } from './signatures.ts';
import { encodeArguments } from './values.ts';

/** Types whose topic is the value itself. */
const STATIC = /^(?:address|bool|u?int\d*|bytes\d+)$/;

/**
 * Builds the topics of a log filter: the event, and the values of its indexed parameters. A parameter without a value matches anything.
 * @param where values by name of the parameter; a list has alternatives
 * @throws ToolError for a parameter that cannot be searched for
 */
export function encodeTopics(event: AbiEntry, where: JsonObject): readonly unknown[] {
  const inputs = event.inputs as readonly (ToolParameter & { readonly indexed?: boolean })[];
  const indexed = inputs.filter((input) => input.indexed === true);
  const names = indexed.map(({ name }) => name ?? '');
  const unknown = Object.keys(where).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const name = JSON.stringify(unknown.slice(0, 80));
    throw new ToolError(`the event has no indexed parameter ${name}${pointToNames(unknown, names)}`);
  }
  const topics = indexed.map((input) => encodeTopic(input, where[input.name ?? '']));
  while (topics.at(-1) === null) topics.pop();
  return [event.selector, ...topics];
}

function encodeTopic(input: ToolParameter, value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (!STATIC.test(input.type))
    throw new ToolError(
      `${input.name} has the type ${input.type}, of which a log contains only the hash: filter by another parameter`,
    );
  const encode = (one: unknown): string => encodeArguments([input], [one]);
  return Array.isArray(value) ? value.map(encode) : encode(value);
}
