/** A function of every host, browsers and Node; it passes over white space. */
const { atob } = globalThis as unknown as { atob(base64: string): string };

/** Parses base64 of our own making. */
export function decodeBase64(text: string): Uint8Array {
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = characters.charCodeAt(i);
  return bytes;
}
