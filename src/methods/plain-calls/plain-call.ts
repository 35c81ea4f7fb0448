import type { CallBytes } from '../../primitives/call-bytes.ts';
import type { JsonText } from '../../primitives/json-result.ts';
import type { Call } from '../../rpc/envelope.ts';

/** A part of the text of a body: from where up to before where. */
export type PlainText = { readonly start: number; readonly end: number };

/**
 * An `eth_call` of a recipient, data, a sender and gas, which was read into bytes. Its parameters as values, and its call object as text, are
 * made when they are asked for.
 */
export class PlainCall implements Call {
  readonly kind = 'call';
  readonly method = 'eth_call';
  readonly id: JsonText;
  readonly plain: CallBytes;
  readonly #request: PlainText & { readonly body: Buffer };
  readonly #callText: PlainText | undefined;

  /** @param callText where its call object is, if that may be sent on as it is */
  constructor(
    id: JsonText,
    plain: CallBytes,
    request: PlainText & { readonly body: Buffer },
    callText: PlainText | undefined,
  ) {
    this.id = id;
    this.plain = plain;
    this.#request = request;
    this.#callText = callText;
  }

  get params(): readonly unknown[] {
    const text = this.#read(this.#request);
    return (JSON.parse(text) as { readonly params: readonly unknown[] }).params;
  }

  get callText(): JsonText | undefined {
    return this.#callText && this.#read(this.#callText).toLowerCase();
  }

  #read({ start, end }: PlainText): string {
    return this.#request.body.toString('latin1', start, end);
  }
}
