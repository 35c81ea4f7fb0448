/**
 * The same text in memory of its own. A string cut out of another keeps the whole of it alive, and one put together
 * keeps its parts: owners of many strings under a bound hold copies.
 */
export function copyText(text: string): string {
  const encoding = isAscii(text) ? 'latin1' : 'utf16le';
  return Buffer.from(text, encoding).toString(encoding);
}

/** Only characters below 0x80. Measured at a few GB/s. */
export function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}

/** Memory of the characters: V8 keeps one byte each where all are Latin-1. Counts two as soon as one is not ASCII. */
export function countTextBytes(text: string): number {
  return isAscii(text) ? text.length : 2 * text.length;
}
