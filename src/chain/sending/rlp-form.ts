/** Checks RLP against the structures of geth's transactions, with the error texts of geth's decoder. */

/** Go type in geth's transaction structures; `name` is the name of the type in errors of geth's RLP decoder. */
export type RlpForm =
  /** Integer in its shortest form, up to `maxBytes`. */
  | { readonly kind: 'uint'; readonly name: string; readonly maxBytes: number }
  | { readonly kind: 'bigInt' }
  | { readonly kind: 'uint256' }
  | { readonly kind: 'bytes' }
  /** Byte string of exactly `length` bytes; with `mayBeEmpty`, the empty string is also valid. */
  | {
      readonly kind: 'array';
      readonly name: string;
      readonly length: number;
      readonly mayBeEmpty?: boolean;
    }
  | { readonly kind: 'list'; readonly name: string; readonly of: RlpForm }
  | {
      readonly kind: 'struct';
      readonly name: string;
      readonly fields: readonly (readonly [name: string, form: RlpForm])[];
    };

type Kind = 'Byte' | 'String' | 'List';
type Head = { readonly kind: Kind; readonly start: number; readonly end: number };

const TOO_LARGE_FOR_LIST = 'element is larger than containing list';
const TOO_LARGE_FOR_INPUT = 'value size exceeds available input length';
const NO_CANONICAL_SIZE = 'non-canonical size information';
const NO_CANONICAL_INTEGER = 'non-canonical integer (leading zero bytes)';
const NO_STRING = 'expected input string or byte';
const NO_LIST = 'expected input list';
const MAX_SHORT = 56;
const UINT256_BYTES = 32;

/**
 * Checks that bytes consist of exactly one RLP value of a form.
 * @throws RangeError with the error text of geth's decoder
 */
export function checkRlpForm(bytes: Uint8Array, form: RlpForm): void {
  new FormCheck(bytes).run(form);
}

class FormCheck {
  readonly #bytes: Uint8Array;
  /** Path from the transaction to the value that is being checked: field names and list positions, for error texts. */
  readonly #path: string[] = [];
  #root = '';

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  run(form: RlpForm): void {
    this.#root = nameOf(form);
    const end = this.#check(form, 0, this.#bytes.length);
    if (end !== this.#bytes.length) throw new RangeError('rlp: input contains more than one value');
  }

  /** Checks the value that starts at `at`. @returns offset of the end of the value */
  #check(form: RlpForm, at: number, limit: number): number {
    switch (form.kind) {
      case 'struct':
        return this.#checkStruct(form, at, limit);
      case 'list':
        return this.#checkList(form, at, limit);
      case 'array':
        return this.#checkArray(form, at, limit);
      case 'uint':
        return this.#checkUint(form, at, limit);
      case 'bytes':
        return this.#readString(at, limit, '[]uint8').end;
      default:
        return this.#checkInteger(form.kind, at, limit);
    }
  }

  #checkStruct(form: Extract<RlpForm, { kind: 'struct' }>, at: number, limit: number): number {
    const { start, end } = this.#readList(at, limit, form.name);
    let next = start;
    for (const [name, field] of form.fields) {
      if (next === end) this.#fail('too few elements', form.name);
      this.#path.push(`.${name}`);
      next = this.#check(field, next, end);
      this.#path.pop();
    }
    if (next !== end) this.#fail('input list has too many elements', form.name);
    return end;
  }

  #checkList(form: Extract<RlpForm, { kind: 'list' }>, at: number, limit: number): number {
    const { start, end } = this.#readList(at, limit, form.name);
    for (let next = start, i = 0; next < end; i++) {
      this.#path.push(`[${i}]`);
      next = this.#check(form.of, next, end);
      this.#path.pop();
    }
    return end;
  }

  #checkArray(form: Extract<RlpForm, { kind: 'array' }>, at: number, limit: number): number {
    const { name, length, mayBeEmpty = false } = form;
    const { kind, start, end } = this.#readHead(at, limit, mayBeEmpty ? `*${name}` : undefined);
    const size = end - start;
    if (mayBeEmpty && size === 0) {
      if (kind === 'String') return end;
      this.#fail('wrong kind of empty value (got List, want String)', `*${name}`);
    }
    if (kind === 'List') this.#fail(NO_STRING, name);
    if (size !== length) this.#fail(size > length ? 'input string too long' : 'input string too short', name);
    return end;
  }

  #checkUint({ name, maxBytes }: Extract<RlpForm, { kind: 'uint' }>, at: number, limit: number): number {
    const { kind, start, end } = this.#readHead(at, limit, name);
    if (kind === 'List') this.#fail(NO_STRING, name);
    if (end - start > maxBytes) this.#fail('input string too long', name);
    if (kind === 'String' && end - start === 1) {
      if ((this.#bytes[start] as number) < 128) this.#fail(NO_CANONICAL_SIZE, name);
    } else if (end > start && this.#bytes[start] === 0) this.#fail(NO_CANONICAL_INTEGER, name);
    return end;
  }

  #checkInteger(kind: 'bigInt' | 'uint256', at: number, limit: number): number {
    const name = kind === 'bigInt' ? '*big.Int' : '*uint256.Int';
    const head = this.#readHead(at, limit, name);
    const { start, end } = head;
    if (head.kind === 'List') this.#fail(NO_STRING, name);
    if (kind === 'uint256' && end - start > UINT256_BYTES)
      throw new RangeError('rlp: value too large for uint256');
    if (isLongByte(head, this.#bytes)) this.#fail(NO_CANONICAL_SIZE, name);
    if (end > start && this.#bytes[start] === 0) this.#fail(NO_CANONICAL_INTEGER, name);
    return end;
  }

  #readString(at: number, limit: number, name: string): Head {
    const head = this.#readHead(at, limit, name);
    if (head.kind === 'List') this.#fail(NO_STRING, name);
    if (isLongByte(head, this.#bytes)) this.#fail(NO_CANONICAL_SIZE, name);
    return head;
  }

  #readList(at: number, limit: number, name: string): Head {
    const head = this.#readHead(at, limit, name);
    if (head.kind !== 'List') this.#fail(NO_LIST, name);
    return head;
  }

  /** @param name type name for the error about a non-canonical header; undefined if geth's error has no type name */
  #readHead(at: number, limit: number, name: string | undefined): Head {
    const bytes = this.#bytes;
    const tooLarge = at === 0 ? TOO_LARGE_FOR_INPUT : TOO_LARGE_FOR_LIST;
    if (at >= limit) throw new RangeError(at === 0 ? 'EOF' : `rlp: ${TOO_LARGE_FOR_LIST}`);
    const prefix = bytes[at] as number;
    if (prefix < 0x80) return { kind: 'Byte', start: at, end: at + 1 };
    const kind = prefix < 0xc0 ? 'String' : 'List';
    let size = prefix - (kind === 'String' ? 0x80 : 0xc0);
    let start = at + 1;
    if (size >= MAX_SHORT) {
      const sizeBytes = size - (MAX_SHORT - 1);
      if (start + sizeBytes > limit) throw new RangeError(`rlp: ${tooLarge}`);
      size = 0;
      for (let i = 0; i < sizeBytes; i++) size = size * 256 + (bytes[start + i] as number);
      const isPadded = sizeBytes > 1 && bytes[start] === 0;
      if (isPadded || size < MAX_SHORT) this.#fail(NO_CANONICAL_SIZE, name);
      start += sizeBytes;
    }
    if (start + size > limit) throw new RangeError(`rlp: ${tooLarge}`);
    return { kind, start, end: start + size };
  }

  #fail(problem: string, name: string | undefined): never {
    if (name === undefined) throw new RangeError(`rlp: ${problem}`);
    const path = this.#path.length === 0 ? '' : `, decoding into (${this.#root})${this.#path.join('')}`;
    throw new RangeError(`rlp: ${problem} for ${name}${path}`);
  }
}

/** Returns whether a single byte below 0x80 has a length prefix. */
function isLongByte({ kind, start, end }: Head, bytes: Uint8Array): boolean {
  return kind === 'String' && end - start === 1 && (bytes[start] as number) < 128;
}

function nameOf(form: RlpForm): string {
  return 'name' in form ? form.name : form.kind;
}

/** Span of a value's payload, and whether the value is a list. */
export type SplitValue = { readonly isList: boolean; readonly start: number; readonly end: number };

/**
 * Reads the header of the value at `at`, before its type is known, with geth's rules for `Split`.
 * @throws RangeError with the error text of geth's `Split`
 */
export function splitRlp(bytes: Uint8Array, at: number, limit: number): SplitValue {
  if (at >= limit) throw new RangeError('unexpected EOF');
  const prefix = bytes[at] as number;
  if (prefix < 0x80) return { isList: false, start: at, end: at + 1 };
  const isList = prefix >= 0xc0;
  let size = prefix - (isList ? 0xc0 : 0x80);
  let start = at + 1;
  if (size >= MAX_SHORT) {
    const sizeBytes = size - (MAX_SHORT - 1);
    if (start + sizeBytes > limit) throw new RangeError('unexpected EOF');
    size = 0;
    for (let i = 0; i < sizeBytes; i++) size = size * 256 + (bytes[start + i] as number);
    if (size < MAX_SHORT || bytes[start] === 0) throw new RangeError(`rlp: ${NO_CANONICAL_SIZE}`);
    start += sizeBytes;
  } else if (!isList && size === 1 && start < limit && (bytes[start] as number) < 128) {
    throw new RangeError(`rlp: ${NO_CANONICAL_SIZE}`);
  }
  if (start + size > limit) throw new RangeError(`rlp: ${TOO_LARGE_FOR_INPUT}`);
  return { isList, start, end: start + size };
}
