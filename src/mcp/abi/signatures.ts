import type { Parameter } from 'ox/AbiParameters';
import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../../packages/ethereum/primitives/keccak.ts';
import { ToolError } from '../tool-error.ts';
import { SignatureReader } from './signature-reader.ts';

/** Length of a selector of 4 bytes as hex text. */
const SELECTOR_LENGTH = 10;

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

/** Words between the parameters and the results of a function. */
const MODIFIERS: readonly string[] = ['external', 'public', 'pure', 'view', 'nonpayable', 'payable'];

/**
 * Parses a function: `balanceOf(address)(uint256)`, or Solidity's form with `returns`.
 * @throws ToolError
 */
export function parseFunction(text: string): AbiFunctionEntry {
  const { reader, ...entry } = readHead(text, 'function', 'balanceOf(address)(uint256)');
  let word = reader.readWord();
  while (MODIFIERS.includes(word)) word = reader.readWord();
  if (word !== '' && word !== 'returns') throw reader.refuse(`the word ${word} is unknown`);
  const hasOutputs = word === 'returns' || reader.continuesWith('(');
  const outputs = hasOutputs ? reader.readParameters() : [];
  reader.finish();
  return { ...entry, selector: entry.selector.slice(0, SELECTOR_LENGTH), outputs };
}

/**
 * Parses an event: `Transfer(address indexed from, address indexed to, uint256 value)`.
 * @throws ToolError
 */
export function parseEvent(text: string): AbiEntry {
  const { reader, ...entry } = readHead(text, 'event', 'Transfer(address indexed,address indexed,uint256)');
  reader.finish();
  return entry;
}

/**
 * Parses an error: `InsufficientBalance(uint256 available, uint256 required)`.
 * @throws ToolError
 */
export function parseErrorSignature(text: string): AbiEntry {
  const { reader, ...entry } = readHead(text, 'error', 'InsufficientBalance(uint256,uint256)');
  reader.finish();
  return { ...entry, selector: entry.selector.slice(0, SELECTOR_LENGTH) };
}

/**
 * Reads the name and the inputs of a signature. The selector has all 32 bytes.
 * @param example shown if the text has another form
 */
function readHead(
  text: string,
  keyword: 'function' | 'event' | 'error',
  example: string,
): AbiEntry & { readonly reader: SignatureReader } {
  const reader = new SignatureReader(text, keyword === 'event');
  const first = reader.readWord();
  const name = first === keyword && !reader.continuesWith('(') ? reader.readWord() : first;
  if (name === '' || !reader.continuesWith('('))
    throw new ToolError(`not the signature of ${withArticle(keyword)}, such as ${example}`);
  const inputs = reader.readParameters();
  const signature = `${name}(${inputs.map(formatType).join(',')})`;
  return { reader, name, inputs, signature, selector: bytesToHex(keccak256(Buffer.from(signature))) };
}

/** Returns the canonical type of a parameter; a tuple is written as the list of its members. */
function formatType(parameter: ToolParameter): string {
  if (!('components' in parameter)) return parameter.type;
  return parameter.type.replace('tuple', `(${parameter.components.map(formatType).join(',')})`);
}

function withArticle(noun: string): string {
  return /^[aeiou]/.test(noun) ? `an ${noun}` : `a ${noun}`;
}
