import type { CallBytes } from '../../primitives/call-bytes.ts';
import type { JsonText } from '../../primitives/json-result.ts';
import type { Call } from '../../rpc/envelope.ts';

/**
 * An `eth_call` of a recipient, data, a sender and gas, which was read into bytes. Its parameters as values are made when they are asked
 * for.
 */
export class PlainCall implements Call {
  readonly kind = 'call';
  readonly method = 'eth_call';
  readonly id: JsonText;
  readonly plain: CallBytes;
  readonly #body: Buffer;
  readonly #start: number;
  readonly #end: number;

  /** @param start where the request begins in the text of its body, and `end` where it ends */
  constructor(id: JsonText, plain: CallBytes, body: Buffer, start: number, end: number) {
    this.id = id;
    this.plain = plain;
    this.#body = body;
    this.#start = start;
    this.#end = end;
  }

  get params(): readonly unknown[] {
    const text = this.#body.toString('latin1', this.#start, this.#end);
    return (JSON.parse(text) as { readonly params: readonly unknown[] }).params;
  }
}
