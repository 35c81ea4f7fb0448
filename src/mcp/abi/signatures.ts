import * as AbiError from 'ox/AbiError';
import * as AbiEvent from 'ox/AbiEvent';
import * as AbiFunction from 'ox/AbiFunction';
import type { Parameter } from 'ox/AbiParameters';
import { ToolError } from '../tool-error.ts';

/** Parameter of a function, event or error; a tuple has `components`. */
export type ToolParameter = Parameter;

/** Function, event or error of a contract. `selector` has 4 bytes for functions and errors, 32 bytes for events. */
export type AbiEntry = {
  readonly name: string;
  /** Canonical form, such as `transfer(address,uint256)`. */
  readonly signature: string;
  readonly selector: string;
  readonly inputs: readonly ToolParameter[];
};
export type AbiFunctionEntry = AbiEntry & { readonly outputs: readonly ToolParameter[] };

/**
 * Parses a function: `balanceOf(address)(uint256)`, or Solidity's form with `returns`.
 * @throws ToolError
 */
export function parseFunction(text: string): AbiFunctionEntry {
  const [head, rest] = splitAfterInputs(text, 'function', 'balanceOf(address)(uint256)');
  const tail = rest.startsWith('(') ? ` returns ${rest}` : ` ${rest}`;
  return parse(text, () => {
    const item = AbiFunction.from(`function ${head}${tail}`.trim() as never, {
      prepare: false,
    }) as AbiFunction.AbiFunction;
    return { ...describe(item, AbiFunction.getSelector(item)), outputs: item.outputs };
  });
}

/**
 * Parses an event: `Transfer(address indexed from, address indexed to, uint256 value)`.
 * @throws ToolError
 */
export function parseEvent(text: string): AbiEntry {
  const [head, rest] = splitAfterInputs(text, 'event', 'Transfer(address indexed,address indexed,uint256)');
  return parse(text, () => {
    const item = AbiEvent.from(`event ${head} ${rest}`.trim() as never, {
      prepare: false,
    }) as AbiEvent.AbiEvent;
    return describe(item, AbiEvent.getSelector(item));
  });
}

/**
 * Parses an error: `InsufficientBalance(uint256 available, uint256 required)`.
 * @throws ToolError
 */
export function parseErrorSignature(text: string): AbiEntry {
  const [head] = splitAfterInputs(text, 'error', 'InsufficientBalance(uint256,uint256)');
  return parse(text, () => {
    const item = AbiError.from(`error ${head}` as never, { prepare: false }) as AbiError.AbiError;
    return describe(item, AbiError.getSelector(item));
  });
}

function describe(
  { name, inputs }: { readonly name: string; readonly inputs: readonly ToolParameter[] },
  selector: string,
): AbiEntry {
  return { name, inputs, selector, signature: `${name}(${inputs.map(formatType).join(',')})` };
}

/** Returns the canonical type of a parameter; a tuple is written as the list of its members. */
function formatType(parameter: ToolParameter): string {
  if (!('components' in parameter)) return parameter.type;
  return parameter.type.replace('tuple', `(${parameter.components.map(formatType).join(',')})`);
}

/** Splits a signature behind its list of inputs. @param example shown if the text has another form */
function splitAfterInputs(
  text: string,
  keyword: string,
  example: string,
): readonly [head: string, rest: string] {
  const bare = text.trim().startsWith(`${keyword} `) ? text.trim().slice(keyword.length) : text;
  const trimmed = bare.trim().replace(/;$/, '');
  const end = findEnd(trimmed);
  if (end < 0) throw new ToolError(`not the signature of ${withArticle(keyword)}, such as ${example}`);
  return [trimmed.slice(0, end), trimmed.slice(end).trim()];
}

/** Returns the position behind the first parenthesised list; -1 if there is none. */
function findEnd(text: string): number {
  let depth = 0;
  for (let i = text.indexOf('('); i >= 0 && i < text.length; i++) {
    if (text[i] === '(') depth++;
    if (text[i] === ')' && --depth === 0) return i + 1;
  }
  return -1;
}

function parse<T>(text: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : 'unknown form';
    throw new ToolError(`the signature ${JSON.stringify(text.slice(0, 200))} is invalid: ${reason}`);
  }
}

function withArticle(noun: string): string {
  return /^[aeiou]/.test(noun) ? `an ${noun}` : `a ${noun}`;
}
