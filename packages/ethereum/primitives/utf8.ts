/** Text codecs of browsers and Node. No type library declares these codecs for both hosts. */
type TextHost = {
  readonly TextEncoder: new () => {
    encode(text: string): Uint8Array;
    encodeInto(text: string, target: Uint8Array): { readonly read: number; readonly written: number };
  };
  readonly TextDecoder: new (
    encoding: string,
    options: { readonly ignoreBOM: boolean },
  ) => { decode(bytes: Uint8Array): string };
};
const { TextEncoder, TextDecoder } = globalThis as unknown as TextHost;

/** UTF-8 encoder: `encode` allocates, `encodeInto` writes to a target. */
export const utf8Encoder: InstanceType<TextHost['TextEncoder']> = new TextEncoder();
/** UTF-8 decoder that keeps a byte order mark as a character of the text. */
export const utf8Decoder: InstanceType<TextHost['TextDecoder']> = new TextDecoder('utf-8', {
  ignoreBOM: true,
});
