import { bigIntToBytes, concatBytes, padLeft } from '../packages/ethereum/primitives/bytes.ts';
import { bytesToHex, hexToBytes } from '../packages/ethereum/primitives/hex.ts';
import { OPCODES } from './opcodes.ts';

const PUSH1 = 0x60;
const JUMPDEST = 0x5b;

type Piece =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'label'; readonly name: string }
  | { readonly kind: 'reference'; readonly name: string };

/**
 * Assembles EVM source to bytecode. Tokens are separated by white space, `;` starts a comment:
 * - a mnemonic (`SSTORE`); `PUSHn` takes the next token as an operand of exactly n bytes
 * - a number (`42`, `0x2a`): the smallest PUSH that holds it, PUSH1 for zero so that it runs on every revision
 * - `name:` a jump destination; `name::` a mere position, without JUMPDEST
 * - `@name` pushes the offset of that label
 * - `raw:0x...` bytes as they are
 * @throws Error for an invalid token, which it names, an undefined or repeated label, or more than 65,536 bytes of code
 */
export function assemble(source: string): Uint8Array {
  const pieces = parsePieces(source);
  const small = layOut(pieces, 1);
  return small.length <= 0x100 ? small : layOut(pieces, 2);
}

/** Returns init code that runs `constructorSource` and then deploys `runtime`. */
export function deployCode(runtime: Uint8Array, constructorSource = ''): Uint8Array {
  return assemble(`
    ${constructorSource}
    ${runtime.length} DUP1 @runtime 0 CODECOPY
    0 RETURN
    runtime:: raw:${bytesToHex(runtime)}
  `);
}

function parsePieces(source: string): Piece[] {
  const tokens = source.replace(/;[^\n]*/g, '').split(/\s+/);
  const pieces: Piece[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as string;
    if (token === '') continue;
    const opcode = OPCODES.get(token);
    if (opcode === undefined) {
      pieces.push(...parseOther(token));
      continue;
    }
    pieces.push({ kind: 'bytes', bytes: Uint8Array.of(opcode) });
    if (/^PUSH([1-9]|[12][0-9]|3[0-2])$/.test(token)) {
      i++;
      pieces.push({ kind: 'bytes', bytes: parseOperand(tokens[i] ?? '', opcode - PUSH1 + 1) });
    }
  }
  return pieces;
}

function parseOther(token: string): Piece[] {
  if (token.startsWith('@')) return [{ kind: 'reference', name: token.slice(1) }];
  if (token.startsWith('raw:')) return [{ kind: 'bytes', bytes: hexToBytes(token.slice(4)) }];
  if (token.endsWith('::')) return [{ kind: 'label', name: token.slice(0, -2) }];
  if (token.endsWith(':')) {
    const label: Piece = { kind: 'label', name: token.slice(0, -1) };
    return [label, { kind: 'bytes', bytes: Uint8Array.of(JUMPDEST) }];
  }
  const value = bigIntToBytes(parseNumber(token));
  return [{ kind: 'bytes', bytes: encodePush(value.length === 0 ? Uint8Array.of(0) : value) }];
}

function parseNumber(token: string): bigint {
  if (!/^(0x[0-9a-fA-F]+|[0-9]+)$/.test(token)) throw new Error(`cannot assemble "${token}"`);
  return BigInt(token);
}

function parseOperand(token: string, length: number): Uint8Array {
  return padLeft(bigIntToBytes(parseNumber(token)), length);
}

function encodePush(value: Uint8Array): Uint8Array {
  if (value.length > 32) throw new Error(`${bytesToHex(value)} does not fit in a word`);
  return concatBytes(Uint8Array.of(PUSH1 + value.length - 1), value);
}

/** Joins the pieces; every label reference becomes a push of `width` bytes. */
function layOut(pieces: readonly Piece[], width: number): Uint8Array {
  const offsets = new Map<string, number>();
  let length = 0;
  for (const piece of pieces) {
    if (piece.kind === 'bytes') length += piece.bytes.length;
    else if (piece.kind === 'reference') length += 1 + width;
    else if (offsets.has(piece.name)) throw new Error(`label "${piece.name}" is defined twice`);
    else offsets.set(piece.name, length);
  }
  if (length > 0x10000) throw new Error(`${length} bytes of code: labels reach 65,536`);
  const encoded = pieces.map((piece) => {
    if (piece.kind === 'bytes') return piece.bytes;
    const offset = offsets.get(piece.name);
    if (offset === undefined) throw new Error(`label "${piece.name}" is not defined`);
    if (piece.kind === 'label') return new Uint8Array(0);
    // Offsets that do not fit 1 byte are truncated here and never used: the caller lays out again with 2.
    return Uint8Array.of(
      PUSH1 + width - 1,
      ...(width === 1 ? [offset & 0xff] : [offset >> 8, offset & 0xff]),
    );
  });
  return concatBytes(...encoded);
}
