/** Parser of parameter lists in signatures. The parser of `ox` keeps every parameter that it has seen, so it is not given texts of clients. */
import { ToolError } from '../tool-error.ts';
import type { ToolParameter } from './signatures.ts';

/** Maximum length of a signature, characters: the time of its parser and the size of its types grow with the length. */
export const MAX_SIGNATURE = 512;
/** Maximum depth of parentheses, and maximum number of dimensions of an array. */
const MAX_DEPTH = 8;

const BLANKS = /\s*/y;
const WORD = /[a-zA-Z$_][\w$]*/y;
/** An array of length 0, like a tuple without members, has values without data: a list of them would have any number of values. */
const ARRAYS = /(?:\[(?:[1-9]\d{0,5})?\])*/y;
const TYPE =
  /^(?:address|bool|function|string|bytes(?:[1-9]|[12]\d|3[0-2])?|u?int(?:8|16|24|32|40|48|56|64|72|80|88|96|104|112|120|128|136|144|152|160|168|176|184|192|200|208|216|224|232|240|248|256)?)$/;
/** Places of data, which have no effect on the encoding. */
const PLACES: readonly string[] = ['memory', 'calldata', 'storage'];

/** Reads a signature from its start to its end. Every method throws a ToolError if the text has another form. */
export class SignatureReader {
  readonly #text: string;
  readonly #allowsIndexed: boolean;
  #position = 0;

  /** @param allowsIndexed whether parameters may be marked as `indexed` */
  constructor(text: string, allowsIndexed: boolean) {
    if (text.length > MAX_SIGNATURE)
      throw new ToolError(`the signature has more than ${MAX_SIGNATURE} characters`);
    this.#text = text;
    this.#allowsIndexed = allowsIndexed;
  }

  /** Returns the word at the position; an empty text if there is none. */
  readWord(): string {
    this.#match(BLANKS);
    return this.#match(WORD);
  }

  /** Whether the text continues with `sign`, perhaps after blanks. */
  continuesWith(sign: string): boolean {
    this.#match(BLANKS);
    return this.#text.startsWith(sign, this.#position);
  }

  /** Reads a parenthesised list of parameters. */
  readParameters(depth = 1): readonly ToolParameter[] {
    if (!this.#skip('(')) throw this.refuse('expected (');
    if (depth > MAX_DEPTH) throw this.refuse(`it has more than ${MAX_DEPTH} nested parentheses`);
    if (this.#skip(')')) return [];
    const parameters: ToolParameter[] = [];
    do parameters.push(this.#readParameter(depth));
    while (this.#skip(','));
    if (!this.#skip(')')) throw this.refuse('expected , or )');
    return parameters;
  }

  /** Checks that nothing follows. */
  finish(): void {
    this.#skip(';');
    this.#match(BLANKS);
    if (this.#position < this.#text.length) throw this.refuse('expected the end');
  }

  refuse(reason: string): ToolError {
    const text = JSON.stringify(this.#text.slice(0, 200));
    return new ToolError(`the signature ${text} is invalid: ${reason} at character ${this.#position + 1}`);
  }

  /** Whether the text continues with `sign`, which is skipped. */
  #skip(sign: string): boolean {
    if (!this.continuesWith(sign)) return false;
    this.#position += sign.length;
    return true;
  }

  #readParameter(depth: number): ToolParameter {
    const type = this.readWord();
    const components = type === '' ? this.readParameters(depth + 1) : undefined;
    if (components?.length === 0) throw this.refuse('a tuple has no members');
    if (components === undefined && !TYPE.test(type)) throw this.refuse(`there is no type ${type}`);
    const arrays = this.#match(ARRAYS);
    if (this.#text[this.#position] === '[') throw this.refuse('an array has an unknown length');
    if (arrays.split('[').length - 1 > MAX_DEPTH)
      throw this.refuse(`an array has more than ${MAX_DEPTH} dimensions`);
    const whole = components === undefined ? type.replace(/int$/, 'int256') : 'tuple';
    return {
      type: `${whole}${arrays}`,
      ...this.#readMarks(type === 'address'),
      ...(components !== undefined && { components }),
    } as ToolParameter;
  }

  /** Reads what follows a type: marks, then a name. */
  #readMarks(isAddress: boolean): { readonly indexed?: true; readonly name?: string } {
    let word = this.readWord();
    if (isAddress && word === 'payable') word = this.readWord();
    const isIndexed = this.#allowsIndexed && word === 'indexed';
    if (isIndexed || PLACES.includes(word)) word = this.readWord();
    if (word === 'indexed') throw this.refuse('only parameters of events are indexed');
    return { ...(isIndexed && { indexed: true as const }), ...(word !== '' && { name: word }) };
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#position;
    const [found = ''] = pattern.exec(this.#text) ?? [];
    this.#position += found.length;
    return found;
  }
}
