/** Codecs of tool arguments. They are more lenient than those of JSON-RPC, because models write numbers in decimal. */
import { encodeQuantity } from '../../packages/ethereum/primitives/quantity.ts';
import { anyBlock } from '../methods/block-reference.ts';
import { type Codec, isJsonObject, type JsonObject } from '../rpc/codec/codec.ts';
import { byKind } from '../rpc/codec/kind-codec.ts';
import { listOf } from '../rpc/codec/list-codec.ts';
import { createKindProblem, ParamProblem } from '../rpc/param-problem.ts';
import { MAX_SIGNATURE } from './abi/signature-reader.ts';

const DECIMAL = /^\d{1,78}$/;
const HASH_LENGTH = 66;
/** Maximum number of signatures in one list. */
const MAX_SIGNATURES = 20;

/** Block as the methods of JSON-RPC take it: a tag, a hex number or a hash. */
export type BlockArgument = { readonly kind: 'tag' | 'number' | 'hash'; readonly text: string };

/** Block by tag, decimal or hex number, or hash. */
export const blockArgument: Codec<BlockArgument> = {
  parse: parseBlock,
  jsonSchema: {
    anyOf: [{ type: 'string' }, { type: 'integer', minimum: 0 }],
    title: 'block',
    description: 'latest (default), safe, finalized, earliest, pending, a number, or a block hash',
  },
};

function parseBlock(raw: unknown): BlockArgument {
  const text = typeof raw === 'number' ? formatNumber(raw) : raw;
  if (typeof text !== 'string') throw createKindProblem(['string', 'number'], raw);
  const param = DECIMAL.test(text) ? encodeQuantity(BigInt(text)) : text;
  const { kind } = anyBlock.parse(param);
  if (kind === 'hash' || param.length === HASH_LENGTH) return { kind: 'hash', text: param.toLowerCase() };
  return { kind, text: param };
}

function formatNumber(raw: number): string {
  if (!Number.isSafeInteger(raw) || raw < 0) throw new ParamProblem('expected a block number');
  return String(raw);
}

/** Unsigned integer of at most 256 bits, decimal or hex. The parsed value is a quantity. */
export const amount: Codec<string> = {
  parse(raw) {
    const text = typeof raw === 'number' && Number.isSafeInteger(raw) ? String(raw) : raw;
    if (typeof text !== 'string') throw createKindProblem(['string', 'number'], raw);
    if (!DECIMAL.test(text) && !/^0x[0-9a-fA-F]{1,64}$/.test(text))
      throw new ParamProblem('expected an unsigned integer, decimal or hex');
    const value = BigInt(text);
    if (value >= 2n ** 256n) throw new ParamProblem('the number has more than 256 bits');
    return encodeQuantity(value);
  },
  jsonSchema: {
    anyOf: [{ type: 'string' }, { type: 'integer', minimum: 0 }],
    title: 'integer',
    description: 'decimal or hex text; an integer below 2^53',
  },
};

/** Signature or name of a method, of at most 512 characters. */
export const shortText: Codec<string> = {
  parse(raw) {
    if (typeof raw !== 'string') throw createKindProblem('string', raw);
    if (raw.length > MAX_SIGNATURE)
      throw new ParamProblem(`the text has more than ${MAX_SIGNATURE} characters`);
    return raw;
  },
  jsonSchema: { type: 'string', maxLength: MAX_SIGNATURE },
};

/** List of at most 20 signatures. */
export const signatures: Codec<readonly string[]> = {
  parse(raw) {
    if (Array.isArray(raw) && raw.length > MAX_SIGNATURES)
      throw new ParamProblem(`the list has more than ${MAX_SIGNATURES} signatures`);
    return SIGNATURES.parse(raw);
  },
  jsonSchema: { type: 'array', items: shortText.jsonSchema, maxItems: MAX_SIGNATURES },
};
const SIGNATURES = listOf(shortText);

/** Number from 1 to `most`. */
export function countUpTo(most: number): Codec<number> {
  return {
    parse(raw) {
      if (typeof raw === 'number' && Number.isInteger(raw) && raw >= 1 && raw <= most) return raw;
      throw new ParamProblem(`expected an integer from 1 to ${most}`);
    },
    jsonSchema: { type: 'integer', minimum: 1, maximum: most },
  };
}

/** Object whose members are not checked here, because the gateway checks them. */
export const anyObject: Codec<JsonObject> = {
  parse(raw) {
    if (!isJsonObject(raw)) throw createKindProblem('object', raw);
    return raw;
  },
  jsonSchema: { type: 'object' },
};

/** List whose elements are not checked here. */
export const anyList: Codec<readonly unknown[]> = {
  parse(raw) {
    if (!Array.isArray(raw)) throw createKindProblem('array', raw);
    return raw;
  },
  jsonSchema: { type: 'array', items: {} },
};

/** One value, or a list of values, of one form. */
export function oneOrMore<T>(codec: Codec<T>, list: Codec<readonly T[]>): Codec<readonly T[]> {
  return byKind({
    string: { parse: (raw) => [codec.parse(raw)], jsonSchema: codec.jsonSchema } as Codec<readonly T[]>,
    array: list,
  });
}
