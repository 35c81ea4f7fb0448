/** Functions of every host, browsers and Node, which the libraries of neither declare for both. */
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

/** Encodes UTF-8: `encode` into bytes of its own, `encodeInto` into a target. */
export const utf8Encoder: InstanceType<TextHost['TextEncoder']> = new TextEncoder();
/** Keeps a byte order mark, which is a character of the text. */
export const utf8Decoder: InstanceType<TextHost['TextDecoder']> = new TextDecoder('utf-8', {
  ignoreBOM: true,
});
