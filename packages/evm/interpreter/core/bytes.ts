/** Copies and clears few bytes. WebAssembly's `memory.copy` and `memory.fill` call out of the module, which takes 10 ns per call. */

const SHORT_COPY: u32 = 64;
const SHORT_CLEAR: u32 = 256;

/** Copies bytes. The ranges may overlap, since a short range is read completely before it is written. */
export function copyBytes(to: usize, from: usize, size: u32): void {
  if (size < 16 || size > SHORT_COPY) {
    if (size > 0) memory.copy(to, from, size);
    return;
  }
  const tail = <usize>size - 16;
  const first = v128.load(from);
  const last = v128.load(from + tail);
  if (size > 32) {
    const second = v128.load(from, 16);
    const third = v128.load(from + tail - 16);
    v128.store(to, second, 16);
    v128.store(to + tail - 16, third);
  }
  v128.store(to, first);
  v128.store(to + tail, last);
}

export function clearBytes(at: usize, size: u32): void {
  if (size > SHORT_CLEAR) {
    memory.fill(at, 0, size);
    return;
  }
  const end = at + size;
  for (; at + 8 <= end; at += 8) store<u64>(at, 0);
  for (; at < end; at++) store<u8>(at, 0);
}
