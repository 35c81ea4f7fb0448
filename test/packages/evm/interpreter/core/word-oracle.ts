/** Results of each instruction in BigInt, by the yellow paper's definitions; operands come from the top of the stack down. */

const WORD_BITS = 256;
const MASK: bigint = (1n << 256n) - 1n;

const wrap = (value: bigint): bigint => value & MASK;
const asSigned = (value: bigint): bigint => BigInt.asIntN(WORD_BITS, value);
const fromBoolean = (value: boolean): bigint => (value ? 1n : 0n);

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let square = base;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = wrap(result * square);
    square = wrap(square * square);
  }
  return result;
}

export const UNARY: Readonly<Record<string, (a: bigint) => bigint>> = {
  iszero: (a) => fromBoolean(a === 0n),
  not: (a) => wrap(~a),
  clz: (a) => (a === 0n ? 256n : 256n - BigInt(a.toString(2).length)),
};

export const BINARY: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
  add: (a, b) => wrap(a + b),
  mul: (a, b) => wrap(a * b),
  sub: (a, b) => wrap(a - b),
  div: (a, b) => (b === 0n ? 0n : a / b),
  sdiv: (a, b) => (b === 0n ? 0n : wrap(asSigned(a) / asSigned(b))),
  mod: (a, b) => (b === 0n ? 0n : a % b),
  smod: (a, b) => (b === 0n ? 0n : wrap(asSigned(a) % asSigned(b))),
  exp: power,
  signextend: (a, b) => (a > 30n ? b : wrap(BigInt.asIntN(Number(a) * 8 + 8, b))),
  lt: (a, b) => fromBoolean(a < b),
  gt: (a, b) => fromBoolean(a > b),
  slt: (a, b) => fromBoolean(asSigned(a) < asSigned(b)),
  sgt: (a, b) => fromBoolean(asSigned(a) > asSigned(b)),
  eq: (a, b) => fromBoolean(a === b),
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
  byteAt: (a, b) => (a > 31n ? 0n : (b >> (248n - 8n * a)) & 0xffn),
  shl: (a, b) => (a > 255n ? 0n : wrap(b << a)),
  shr: (a, b) => (a > 255n ? 0n : b >> a),
  sar: (a, b) => wrap(asSigned(b) >> (a > 255n ? 255n : a)),
};

export const TERNARY: Readonly<Record<string, (a: bigint, b: bigint, c: bigint) => bigint>> = {
  addmod: (a, b, c) => (c === 0n ? 0n : (a + b) % c),
  mulmod: (a, b, c) => (c === 0n ? 0n : (a * b) % c),
};
