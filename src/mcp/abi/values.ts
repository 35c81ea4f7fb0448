/** Conversion of values between JSON and the ABI. In JSON, numbers are decimal texts, because they may exceed 2^53. */
import * as AbiParameters from 'ox/AbiParameters';
import { ToolError } from '../tool-error.ts';
import { checkDecodedSize, isDecodable } from './decoded-size.ts';
import type { ToolParameter } from './signatures.ts';

const LIST = /^(.*)\[(\d*)\]$/;
const INTEGER = /^u?int\d*$/;
const INTEGER_TEXT = /^-?\d+$|^0x[0-9a-fA-F]+$/;

/**
 * Encodes JSON values as ABI parameters.
 * @returns hex text
 * @throws ToolError that names the value
 */
export function encodeArguments(parameters: readonly ToolParameter[], values: readonly unknown[]): string {
  if (values.length !== parameters.length)
    throw new ToolError(`the signature has ${parameters.length} parameters, and args has ${values.length}`);
  const converted = parameters.map((parameter, i) => toAbi(parameter, values[i], `args[${i}]`));
  try {
    return AbiParameters.encode(parameters as readonly never[], converted as never);
  } catch (error) {
    throw new ToolError(`args do not fit the signature: ${firstLine(error)}`);
  }
}

/**
 * Decodes ABI parameters to JSON. Addresses get the checksum of EIP-55.
 * @returns one value for each parameter, by name where all of them have different names; undefined if the data have another form, or are too large
 */
export function decodeNamed(
  parameters: readonly ToolParameter[],
  data: string,
): readonly unknown[] | Readonly<Record<string, unknown>> | undefined {
  if (!isDecodable(data)) return undefined;
  try {
    checkDecodedSize(parameters, data);
    const values = AbiParameters.decode(parameters as readonly never[], data as never, {
      as: 'Array',
      checksumAddress: true,
    }) as readonly unknown[];
    return nameValues(
      parameters,
      values.map((value) => toJson(value)),
    );
  } catch {
    return undefined;
  }
}

/** Decodes the results of a function as `decodeNamed` does. A single result without a name is returned alone. */
export function decodeResult(outputs: readonly ToolParameter[], data: string): unknown {
  const decoded = decodeNamed(outputs, data);
  return Array.isArray(decoded) && decoded.length === 1 ? decoded[0] : decoded;
}

/** Returns values by name if all parameters have different names, otherwise as a list. */
export function nameValues<T>(
  parameters: readonly ToolParameter[],
  values: readonly T[],
): readonly T[] | Readonly<Record<string, T>> {
  const names = new Set(parameters.map(({ name }) => name));
  const hasNames =
    values.length > 0 && names.size === values.length && !names.has('') && !names.has(undefined);
  return hasNames ? Object.fromEntries(parameters.map(({ name }, i) => [name, values[i] as T])) : values;
}

function toJson(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toJson(member)]));
}

function toAbi(parameter: ToolParameter, value: unknown, path: string): unknown {
  const [, element, length] = LIST.exec(parameter.type) ?? [];
  if (element !== undefined) {
    const isList = Array.isArray(value) && (length === '' || value.length === Number(length));
    if (!isList) throw new ToolError(`${path}: expected an array for ${parameter.type}`);
    return value.map((item, i) =>
      toAbi({ ...parameter, type: element } as ToolParameter, item, `${path}[${i}]`),
    );
  }
  if ('components' in parameter) return toTuple(parameter.components, value, path);
  if (INTEGER.test(parameter.type)) return toInteger(value, path);
  if (parameter.type === 'bool') {
    if (typeof value !== 'boolean') throw new ToolError(`${path}: expected true or false`);
    return value;
  }
  if (typeof value !== 'string') throw new ToolError(`${path}: expected a text for ${parameter.type}`);
  return value;
}

/** Converts the members of a tuple, which are passed by name or as a list. */
function toTuple(components: readonly ToolParameter[], value: unknown, path: string): unknown {
  if (typeof value !== 'object' || value === null)
    throw new ToolError(`${path}: expected an object or an array for a tuple`);
  const read = (name: string | undefined, i: number): unknown =>
    Array.isArray(value) ? value[i] : (value as Readonly<Record<string, unknown>>)[name ?? ''];
  const members = components.map((component, i) =>
    toAbi(component, read(component.name, i), `${path}.${component.name ?? i}`),
  );
  return nameValues(components, members);
}

function toInteger(value: unknown, path: string): bigint {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  if (typeof value === 'string' && value.length <= 80 && INTEGER_TEXT.test(value)) return BigInt(value);
  throw new ToolError(`${path}: expected an integer; above 2^53 as text`);
}

function firstLine(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n')[0] ?? '') : 'unknown form';
}
