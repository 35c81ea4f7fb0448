import type { ToolParameter } from './signatures.ts';

/** Maximum size of data that are decoded, bytes: the answer of a tool has no more. */
export const MAX_DATA_BYTES = 20_000;

const WORD = 32;
const LIST = /^(.*)\[(\d*)\]$/;

/** Whether data, hex text with its prefix, are small enough to decode. */
export function isDecodable(data: string): boolean {
  return data.length <= 2 + 2 * MAX_DATA_BYTES;
}

/**
 * Checks that the values of ABI data have no more bytes than the data. In other data, several offsets point to the same bytes, and a few kilobytes
 * would become gigabytes of values.
 * @param data hex text with its prefix
 * @throws RangeError if the values are larger, or an offset points outside of the data
 */
export function checkDecodedSize(parameters: readonly ToolParameter[], data: string): void {
  new SizeCheck(Buffer.from(data.slice(2), 'hex')).readAll(parameters, 0);
}

/** Walks the values in the order of the decoder, and counts their bytes. */
class SizeCheck {
  readonly #data: Buffer;
  #left: number;

  constructor(data: Buffer) {
    this.#data = data;
    // The last bytes of data may have no padding.
    this.#left = data.length + WORD;
  }

  /** Reads values whose heads begin at `start`, which their offsets are relative to. */
  readAll(parameters: Iterable<ToolParameter>, start: number): number {
    let at = start;
    for (const parameter of parameters) at = this.#readHead(parameter, at, start);
    return at;
  }

  /** @returns the position behind the head of the value */
  #readHead(parameter: ToolParameter, at: number, start: number): number {
    if (!isDynamic(parameter)) return this.#readValue(parameter, at);
    this.#readValue(parameter, start + this.#readNumber(at));
    return at + WORD;
  }

  /** @returns the position behind the value, for static types */
  #readValue(parameter: ToolParameter, at: number): number {
    const [, element, length] = LIST.exec(parameter.type) ?? [];
    if (element !== undefined) {
      const item = { ...parameter, type: element } as ToolParameter;
      if (length !== '') return this.readAll(repeat(item, Number(length)), at);
      return this.readAll(repeat(item, this.#readNumber(at)), at + WORD);
    }
    if ('components' in parameter) return this.readAll(parameter.components, at);
    if (parameter.type === 'string' || parameter.type === 'bytes') this.#count(this.#readNumber(at));
    else this.#count(WORD);
    return at + WORD;
  }

  /** Reads a length or an offset. */
  #readNumber(at: number): number {
    this.#count(WORD);
    const number = Number(BigInt(`0x${this.#data.toString('hex', at, at + WORD) || '0'}`));
    if (at >= this.#data.length || number > this.#data.length)
      throw new RangeError('a number points outside of the data');
    return number;
  }

  #count(bytes: number): void {
    this.#left -= bytes;
    if (this.#left < 0) throw new RangeError('the values are larger than the data');
  }
}

function* repeat(item: ToolParameter, times: number): Generator<ToolParameter> {
  for (let i = 0; i < times; i++) yield item;
}

function isDynamic(parameter: ToolParameter): boolean {
  const { type } = parameter;
  if (type.includes('[]') || /^(?:string|bytes)(?:\[|$)/.test(type)) return true;
  return 'components' in parameter && parameter.components.some(isDynamic);
}
