/** Functions of every host, browsers and Node, which the libraries of neither declare for both. */
type TextHost = {
  readonly TextEncoder: new () => {
    encodeInto(text: string, target: Uint8Array): { readonly read: number; readonly written: number };
  };
  readonly TextDecoder: new (
    encoding: string,
    options: { readonly ignoreBOM: boolean },
  ) => { decode(bytes: Uint8Array): string };
};
const { TextEncoder, TextDecoder } = globalThis as unknown as TextHost;

/** `encodeInto` of it writes the UTF-8 of a text. */
export const utf8Encoder: InstanceType<TextHost['TextEncoder']> = new TextEncoder();
/** Keeps a byte order mark, which is a character of the text. */
export const utf8Decoder: InstanceType<TextHost['TextDecoder']> = new TextDecoder('utf-8', {
  ignoreBOM: true,
});
