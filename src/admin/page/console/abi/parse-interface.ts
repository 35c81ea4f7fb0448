import * as Abi from 'ox/Abi';
import { parseJson, ValueProblem } from '../values.ts';
import {
  type AbiItem,
  type AbiParameter,
  type ContractInterface,
  createInterface,
} from './contract-interface.ts';

/** Words that begin a full signature. */
const KEYWORD = /^(function|event|error|struct|constructor|fallback|receive)\b/;
/** Types of ABI JSON without the ends of arrays. */
const BASE_TYPE = /^(address|bool|string|function|tuple|bytes([1-9]|[12]\d|3[0-2])?|u?int\d{1,3})$/;
const EXPECTED = 'expected a signature such as balanceOf(address)(uint256), or ABI JSON';

/**
 * Parses the interface of a contract: ABI JSON, an artifact of a compiler with a member `abi`, or one signature per line. A signature may be short:
 * `balanceOf(address)(uint256)`.
 * @throws ValueProblem
 */
export function parseInterface(text: string): ContractInterface {
  const trimmed = text.trim();
  if (trimmed === '') throw new ValueProblem(EXPECTED);
  const items = /^[[{]/.test(trimmed) ? readJson(parseJson(trimmed)) : parseSignatures(trimmed.split('\n'));
  const parsed = createInterface(items);
  if (parsed.functions.length + parsed.events.length + parsed.errors.length === 0) {
    throw new ValueProblem('the interface has no functions, events or errors');
  }
  return parsed;
}

function readJson(value: unknown): readonly AbiItem[] {
  if (Array.isArray(value)) {
    if (value.length > 0 && value.every((item) => typeof item === 'string')) return parseSignatures(value);
    return value.flatMap((item) => readItem(item));
  }
  const { abi } = value as { abi?: unknown };
  return Array.isArray(abi) ? readJson(abi) : readItem(value);
}

/** Reads one member of ABI JSON. Constructors, `fallback` and `receive` have no name in data, so they are ignored. */
function readItem(value: unknown): readonly AbiItem[] {
  if (typeof value !== 'object' || value === null) throw new ValueProblem(EXPECTED);
  const { type = 'function', name, inputs = [], outputs = [], stateMutability, anonymous } = value as AbiItem;
  if (type !== 'function' && type !== 'event' && type !== 'error') return [];
  if (typeof name !== 'string') throw new ValueProblem('an item of the ABI has no name');
  const facts = { type, name, inputs: readParameters(inputs, name) };
  if (type === 'event') return [{ ...facts, anonymous: anonymous === true }];
  if (type === 'error') return [facts];
  return [
    {
      ...facts,
      outputs: readParameters(outputs, name),
      stateMutability: typeof stateMutability === 'string' ? stateMutability : 'nonpayable',
    },
  ];
}

function readParameters(value: unknown, owner: string): readonly AbiParameter[] {
  if (!Array.isArray(value)) throw new ValueProblem(`the parameters of ${owner} are not a list`);
  return value.map((parameter: AbiParameter) => {
    const { type, name = '', components, indexed } = parameter ?? {};
    if (typeof type !== 'string' || !isType(type)) {
      throw new ValueProblem(`${owner} has a parameter of the unknown type ${String(type)}`);
    }
    return {
      type,
      name: String(name),
      ...(type.startsWith('tuple') && { components: readParameters(components, owner) }),
      ...(indexed === true && { indexed }),
    };
  });
}

function isType(type: string): boolean {
  const end = type.indexOf('[');
  const base = end < 0 ? type : type.slice(0, end);
  return BASE_TYPE.test(base) && (end < 0 || /^(\[\d{0,6}\])+$/.test(type.slice(end)));
}

/** @throws ValueProblem with the signature that is not understood */
function parseSignatures(texts: readonly string[]): readonly AbiItem[] {
  const lines = texts
    .map((text) => completeSignature(dropSemicolon(text.trim())))
    .filter((line) => line !== '');
  let abi: Abi.Abi;
  try {
    abi = Abi.from(lines);
  } catch (error) {
    const { details, message } = error as { details?: string; message: string };
    const reason = (details ?? message).split('\n').filter((line) => line !== '');
    throw new ValueProblem(`${EXPECTED}: ${reason.slice(0, 3).join(' ')}`);
  }
  return readJson(abi);
}

function dropSemicolon(text: string): string {
  return text.endsWith(';') ? text.slice(0, -1).trim() : text;
}

/** Completes `balanceOf(address)(uint256)` to `function balanceOf(address) view returns (uint256)`. */
function completeSignature(text: string): string {
  if (text === '' || KEYWORD.test(text)) return text;
  const end = findClosing(text, text.indexOf('('));
  if (end < 0) return text;
  const rest = text.slice(end + 1).trim();
  return `function ${text.slice(0, end + 1)} ${rest.startsWith('(') ? `view returns ${rest}` : rest}`.trimEnd();
}

/** Returns the position of the parenthesis that closes the one at `start`, or -1. */
function findClosing(text: string, start: number): number {
  if (start < 0) return -1;
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    if (text[i] === '(') depth++;
    else if (text[i] === ')' && --depth === 0) return i;
  }
  return -1;
}
