/** Adds in place. If the lowest limb has no carry, which is the usual case, no other limb is accessed. */
@inline
export function addImmediate(p: usize, value: u64): void {
  const sum = load<u64>(p) + value;
  store<u64>(p, sum);
  if (sum < value) propagateCarry(p);
}

function propagateCarry(p: usize): void {
  for (let at = p + 8; at < p + 32; at += 8) {
    const limb = load<u64>(at) + 1;
    store<u64>(at, limb);
    if (limb !== 0) return;
  }
}

@inline
export function subImmediate(p: usize, value: u64): void {
  const limb = load<u64>(p);
  store<u64>(p, limb - value);
  if (limb < value) propagateBorrow(p);
}

function propagateBorrow(p: usize): void {
  for (let at = p + 8; at < p + 32; at += 8) {
    const limb = load<u64>(at);
    store<u64>(at, limb - 1);
    if (limb !== 0) return;
  }
}

@inline
export function addWords(destination: usize, a: usize, b: usize): void {
  const a0 = load<u64>(a);
  const a1 = load<u64>(a, 8);
  const a2 = load<u64>(a, 16);
  const s0 = a0 + load<u64>(b);
  const t1 = a1 + load<u64>(b, 8);
  const t2 = a2 + load<u64>(b, 16);
  const t3 = load<u64>(a, 24) + load<u64>(b, 24);
  const c0 = u64(s0 < a0);
  const s1 = t1 + c0;
  const c1 = u64(t1 < a1) + u64(s1 < c0);
  const s2 = t2 + c1;
  const c2 = u64(t2 < a2) + u64(s2 < c1);
  store<u64>(destination, s0);
  store<u64>(destination, s1, 8);
  store<u64>(destination, s2, 16);
  store<u64>(destination, t3 + c2, 24);
}

@inline
export function subWords(destination: usize, a: usize, b: usize): void {
  const a0 = load<u64>(a);
  const a1 = load<u64>(a, 8);
  const a2 = load<u64>(a, 16);
  const b0 = load<u64>(b);
  const b1 = load<u64>(b, 8);
  const b2 = load<u64>(b, 16);
  const t1 = a1 - b1;
  const t2 = a2 - b2;
  const t3 = load<u64>(a, 24) - load<u64>(b, 24);
  const c0 = u64(a0 < b0);
  const c1 = u64(a1 < b1) + u64(t1 < c0);
  const c2 = u64(a2 < b2) + u64(t2 < c1);
  store<u64>(destination, a0 - b0);
  store<u64>(destination, t1 - c0, 8);
  store<u64>(destination, t2 - c1, 16);
  store<u64>(destination, t3 - c2, 24);
}

@inline
export function add(sp: usize): void {
  addWords(sp - 32, sp, sp - 32);
}

@inline
export function sub(sp: usize): void {
  subWords(sp - 32, sp, sp - 32);
}

/** Negates in two's complement. */
export function negateWord(destination: usize, source: usize): void {
  const a0 = load<u64>(source);
  const a1 = load<u64>(source, 8);
  const a2 = load<u64>(source, 16);
  const c0 = u64(a0 === 0);
  const c1 = c0 & u64(a1 === 0);
  const c2 = c1 & u64(a2 === 0);
  store<u64>(destination, -a0);
  store<u64>(destination, ~a1 + c0, 8);
  store<u64>(destination, ~a2 + c1, 16);
  store<u64>(destination, ~load<u64>(source, 24) + c2, 24);
}
