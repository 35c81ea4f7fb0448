/**
 * Codecs of the wire scalars. Text is case-insensitive and normalised to lower case. As in geth, an empty text means zero for a number, and no bytes
 * for data. Messages are geth's.
 */
import { isLowerHex } from '../../packages/ethereum/primitives/byte-loops.ts';
import { findQuantityProblem } from '../../packages/ethereum/primitives/quantity.ts';
import type { Codec } from './codec/codec.ts';
import { mapped } from './codec/derived-codecs.ts';
import { lowerCaseText } from './codec/text-codec.ts';
import { createKindProblem } from './param-problem.ts';

/** Quantity (unsigned integer in hex) of at most 8 bits. */
export const quantity8: Codec<string> = createQuantityCodec(8);
/** Quantity (unsigned integer in hex) of at most 64 bits. */
export const quantity64: Codec<string> = createQuantityCodec(64);
/** Quantity (unsigned integer in hex) of at most 256 bits. */
export const quantity256: Codec<string> = createQuantityCodec(256);

/** Quantity of at most 64 bits, parsed to a bigint. */
export const integer64: Codec<bigint> = mapped(quantity64, BigInt);

export const boolean: Codec<boolean> = {
  parse(raw) {
    if (typeof raw !== 'boolean') throw createKindProblem('boolean', raw);
    return raw;
  },
  accept: (raw) => (typeof raw === 'boolean' ? raw : undefined),
  jsonSchema: { type: 'boolean' },
};

export const number: Codec<number> = {
  parse(raw) {
    if (typeof raw !== 'number') throw createKindProblem('number', raw);
    return raw;
  },
  accept: (raw) => (typeof raw === 'number' ? raw : undefined),
  jsonSchema: { type: 'number' },
};

export const text: Codec<string> = {
  parse(raw) {
    if (typeof raw !== 'string') throw createKindProblem('string', raw);
    return raw;
  },
  accept: (raw) => (typeof raw === 'string' ? raw : undefined),
  jsonSchema: { type: 'string' },
};

/** JSON `null`. */
export const nothing: Codec<null> = {
  parse(raw) {
    if (raw !== null) throw createKindProblem('null', raw);
    return raw;
  },
  accept: (raw) => (raw === null ? raw : undefined),
  jsonSchema: { type: 'null' },
};

export const anything: Codec<unknown> = {
  parse: (raw) => raw,
  accept: (raw) => raw,
  jsonSchema: { title: 'any value' },
};

/** Hex data of any length. */
export const data: Codec<string> = lowerCaseText({
  title: 'data',
  pattern: '^0x([0-9a-fA-F]{2})*$',
  findProblem: findDataProblem,
  refusesUpperCase: true,
  empty: '0x',
});

/** Hex data of 20 bytes. */
export const address: Codec<string> = createFixedDataCodec(20, 'address');
/** Hex data of 32 bytes. */
export const hash32: Codec<string> = createFixedDataCodec(32, '32 bytes');

function createQuantityCodec(bits: number): Codec<string> {
  return lowerCaseText({
    title: 'quantity',
    pattern: `^0x(0|[1-9a-fA-F][0-9a-fA-F]{0,${bits / 4 - 1}})$`,
    findProblem: (text) => findQuantityProblem(text, bits),
    refusesUpperCase: false,
    empty: '0x0',
  });
}

function createFixedDataCodec(bytes: number, title: string): Codec<string> {
  return lowerCaseText({
    title,
    pattern: `^0x[0-9a-fA-F]{${bytes * 2}}$`,
    findProblem: (text) => findFixedDataProblem(text, bytes, title),
    refusesUpperCase: true,
  });
}

/** Returns the problem of a text that should be hex data of any length. Returns undefined where the text is valid. */
function findDataProblem(text: string): string | undefined {
  if (!text.startsWith('0x')) return 'hex string without 0x prefix';
  if (text.length % 2 !== 0) return 'hex string of odd length';
  return isLowerHex(text, 2) ? undefined : 'invalid hex string';
}

function findFixedDataProblem(text: string, bytes: number, title: string): string | undefined {
  const problem = findDataProblem(text);
  if (problem !== undefined || text.length === 2 + 2 * bytes) return problem;
  return `hex string has length ${text.length - 2}, want ${bytes * 2} for ${title}`;
}
