import { setImmediate as turn } from 'node:timers/promises';

/** Bytes that are copied or decoded between two pauses: less than a millisecond. */
const SLICE_BYTES = 1024 * 1024;

/** The bytes of pieces, which are let go on the way: a long answer is put together with pauses. */
export async function joinBytes(pieces: Uint8Array[], length: number): Promise<Uint8Array> {
  const whole = Buffer.allocUnsafe(length);
  let copied = 0;
  await forEachSlice(pieces, (slice) => {
    whole.set(slice, copied);
    copied += slice.length;
  });
  return whole;
}

/** As `joinBytes`, decoded as UTF-8. */
export async function joinText(pieces: Uint8Array[]): Promise<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const texts: string[] = [];
  await forEachSlice(pieces, (slice) => texts.push(decoder.decode(slice, { stream: true })));
  return texts.join('') + decoder.decode();
}

async function forEachSlice(pieces: Uint8Array[], act: (slice: Uint8Array) => void): Promise<void> {
  let left = SLICE_BYTES;
  for (let piece = pieces.shift(); piece !== undefined; piece = pieces.shift())
    for (let at = 0; at < piece.length; ) {
      const slice = piece.subarray(at, at + left);
      act(slice);
      at += slice.length;
      left -= slice.length;
      if (left > 0) continue;
      left = SLICE_BYTES;
      await turn();
    }
}
