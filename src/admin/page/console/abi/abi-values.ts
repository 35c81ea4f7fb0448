import * as AbiParameters from 'ox/AbiParameters';
import { type AbiParameter, readArrayType } from './contract-interface.ts';

/** Value of an ABI type. Arrays and tuples are lists, in the order of their members. */
export type AbiValue = string | boolean | number | bigint | readonly AbiValue[];

/**
 * Encodes values to hex digits without `0x`.
 * @throws Error for a value outside of its type
 */
export function encodeValues(parameters: readonly AbiParameter[], values: readonly AbiValue[]): string {
  const encoded = AbiParameters.encode(
    parameters.map(dropNames) as AbiParameters.AbiParameters,
    values as never,
  );
  return encoded.slice(2);
}

/** Decodes hex digits without `0x`; undefined for data of other types. */
export function decodeValues(
  parameters: readonly AbiParameter[],
  digits: string,
): readonly AbiValue[] | undefined {
  if (parameters.length === 0) return digits === '' ? [] : undefined;
  try {
    const types = parameters.map(dropNames) as AbiParameters.AbiParameters;
    return AbiParameters.decode(types, `0x${digits}`, { checksumAddress: false }) as readonly AbiValue[];
  } catch {
    return undefined;
  }
}

/** Removes the names of a tuple's members, so that its values are a list even if two members have the same name. */
function dropNames({ type, components }: AbiParameter): AbiParameter {
  return { type, ...(components !== undefined && { components: components.map(dropNames) }) };
}

/** Whether a type has no fixed size. Events store only the hash of an indexed value of such a type. */
export function isHashedTopic(parameter: AbiParameter): boolean {
  const { type } = parameter;
  return (
    type === 'string' ||
    type === 'bytes' ||
    type.startsWith('tuple') ||
    readArrayType(parameter) !== undefined
  );
}
