import type { CallBytes } from '../../../packages/ethereum/primitives/call-bytes.ts';
import type { JsonText } from '../../../packages/ethereum/primitives/json-result.ts';
import type { Call } from '../../rpc/envelope.ts';

/** Byte range of a body's text; `end` is exclusive. */
export type TextSpan = { readonly start: number; readonly end: number };

/** `eth_call` with recipient, data, sender and gas, decoded to bytes. `params` and `callText` are decoded from the body on each read. */
export class FastPathCall implements Call {
  readonly kind = 'call';
  readonly method = 'eth_call';
  readonly id: JsonText;
  readonly plain: CallBytes;
  readonly #request: TextSpan & { readonly body: Buffer };
  readonly #callText: TextSpan | undefined;

  /** @param callText range of the call object in the body; undefined if it cannot be forwarded unchanged */
  constructor(
    id: JsonText,
    plain: CallBytes,
    request: TextSpan & { readonly body: Buffer },
    callText: TextSpan | undefined,
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

  #read({ start, end }: TextSpan): string {
    return this.#request.body.toString('latin1', start, end);
  }
}
