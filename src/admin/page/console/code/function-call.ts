import { type AbiValue, decodeValues } from '../abi/abi-values.ts';
import { type AbiParameter, type ContractInterface, readArrayType } from '../abi/contract-interface.ts';
import { isObject } from '../views/context.ts';
import type { FunctionCall } from './code-call.ts';

/** Members of a call object that code for a function can express. */
const MEMBERS: ReadonlySet<string> = new Set(['from', 'to', 'data', 'input']);

/** Returns the function call of an `eth_call`; undefined if the interface has no such function with results, or if code cannot express the call. */
export function findFunctionCall(
  method: string,
  params: readonly unknown[],
  chosen: ContractInterface | undefined,
): FunctionCall | undefined {
  const [call, block = 'latest', ...rest] = params;
  if (method !== 'eth_call' || !isObject(call) || typeof block !== 'string' || block.length > 18)
    return undefined;
  if (rest.some((one) => one !== null) || Object.keys(call).some((name) => !MEMBERS.has(name)))
    return undefined;
  const { from, to, data, input = data } = call;
  if (typeof to !== 'string' || typeof input !== 'string') return undefined;
  const item = chosen?.functions.find(({ selector }) => input.toLowerCase().startsWith(selector));
  const values = item && decodeValues(item.inputs, input.slice(10));
  if (item === undefined || values === undefined || (item.outputs ?? []).length === 0) return undefined;
  const argumentList = item.inputs.map((parameter, i) => formatValue(parameter, values[i])).join(', ');
  return { address: to, from: typeof from === 'string' ? from : undefined, item, argumentList, block };
}

/** Formats a value as JavaScript. Tuples are objects if all of their members have names, as viem expects. */
function formatValue(parameter: AbiParameter, value: AbiValue | undefined): string {
  if (typeof value === 'bigint' || typeof value === 'number') {
    // viem expects a number for integers of up to 48 bits, and a bigint for larger ones.
    return typeof value === 'bigint' ? `${value}n` : String(value);
  }
  if (!Array.isArray(value)) return JSON.stringify(value);
  const members = value as readonly AbiValue[];
  const array = readArrayType(parameter);
  if (array !== undefined) return `[${members.map((one) => formatValue(array.element, one)).join(', ')}]`;
  const { components = [] } = parameter;
  const texts = components.map((member, i) => formatValue(member, members[i]));
  if (!components.every(({ name = '' }) => name !== '')) return `[${texts.join(', ')}]`;
  return `{ ${components.map(({ name = '' }, i) => `${JSON.stringify(name)}: ${texts[i]}`).join(', ')} }`;
}
