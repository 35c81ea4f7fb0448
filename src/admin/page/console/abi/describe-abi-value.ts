import { countOf } from '../../../../util/count-of.ts';
import { type FieldRow, formatUnits } from '../describe-value.ts';
import type { AbiValue } from './abi-values.ts';
import { type AbiParameter, formatType, readArrayType } from './contract-interface.ts';

/** Maximum displayed elements of an array. */
const MAX_ELEMENTS = 200;
/** Numbers of at least this size are also displayed with 18 decimals, as most amounts of tokens have. */
const LEAST_AMOUNT = 10n ** 15n;

/** Describes decoded values, one row per value; rows of nested values have joined names: `calls[0].target`. */
export function describeValues(
  parameters: readonly AbiParameter[],
  values: readonly AbiValue[],
): readonly FieldRow[] {
  return parameters.flatMap((parameter, i) => describe(nameOf(parameter, i), parameter, values[i]));
}

/** Formats decoded values as one short line. */
export function summarizeValues(parameters: readonly AbiParameter[], values: readonly AbiValue[]): string {
  return describeValues(parameters, values)
    .map(({ name, text }) => `${name} ${text}`)
    .join(', ');
}

function describe(name: string, parameter: AbiParameter, value: AbiValue | undefined): readonly FieldRow[] {
  const array = readArrayType(parameter);
  const type = formatType(parameter);
  if (Array.isArray(value)) {
    const members = value as readonly AbiValue[];
    if (array === undefined) {
      const { components = [] } = parameter;
      return components.flatMap((member, i) => describe(`${name}.${nameOf(member, i)}`, member, members[i]));
    }
    if (members.length === 0) return [{ name, type, text: 'no elements' }];
    const shown = members.slice(0, MAX_ELEMENTS);
    const rows = shown.flatMap((member, i) => describe(`${name}[${i}]`, array.element, member));
    const rest = members.length - shown.length;
    return rest === 0 ? rows : [...rows, { name: `${name}[…]`, text: `${rest} more elements` }];
  }
  return [{ name, type, ...describeScalar(parameter, value as string | boolean | number | bigint) }];
}

function nameOf({ name = '' }: AbiParameter, position: number): string {
  return name === '' ? `#${position}` : name;
}

function describeScalar(
  { type }: AbiParameter,
  value: string | boolean | number | bigint,
): { readonly text: string; readonly note?: string } {
  if (typeof value === 'string') {
    if (type !== 'bytes') return { text: value };
    const bytes = (value.length - 2) / 2;
    return bytes > 32 ? { text: value, note: countOf(bytes, 'byte') } : { text: value };
  }
  if (typeof value === 'boolean') return { text: String(value) };
  const number = BigInt(value);
  const text = number.toLocaleString('en');
  if (type === 'uint256' && number === 2n ** 256n - 1n) return { text, note: 'the maximum of uint256' };
  return number >= LEAST_AMOUNT ? { text, note: `${formatUnits(number, 18)} with 18 decimals` } : { text };
}
