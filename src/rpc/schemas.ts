/**
 * Schemas of the wire's scalars. Text is accepted in either case and leaves in lower case; an empty text is zero, or no bytes,
 * as in geth. Messages are geth's.
 */
import * as z from 'zod';
import { isLowerHex } from '../primitives/byte-loops.ts';
import { findQuantityProblem } from '../primitives/quantity.ts';
import { addAcceptor, findAcceptor } from './acceptors.ts';

type TextSchema = z.ZodType<string, string>;
/** What is wrong with a text in lower case. */
type FindProblem = (text: string) => string | undefined;
type TextMeta = { readonly title: string; readonly pattern: string };

/**
 * A string in lower case for which `findProblem` has nothing to say.
 * @param empty what an empty text stands for; absent: nothing
 * @param refusesUpperCase whether upper case is a problem to it: what it has nothing to say to is in lower case then
 */
function createTextSchema(
  findProblem: FindProblem,
  meta: TextMeta,
  refusesUpperCase: boolean,
  empty?: string,
): TextSchema {
  const settle = (text: string): string => (text === '' && empty !== undefined ? empty : text.toLowerCase());
  const schema = z
    .string()
    .overwrite(settle)
    .check(({ value, issues }) => {
      const message = findProblem(value);
      if (message !== undefined) issues.push({ code: 'custom', message, input: value });
    })
    .meta(meta);
  return addAcceptor(schema, (raw) => {
    if (typeof raw !== 'string') return undefined;
    if (refusesUpperCase && findProblem(raw) === undefined) return raw;
    const text = settle(raw);
    return findProblem(text) === undefined ? text : undefined;
  });
}

function createQuantitySchema(bits: number): TextSchema {
  const findProblem: FindProblem = (text) => findQuantityProblem(text, bits);
  const pattern = `^0x(0|[1-9a-fA-F][0-9a-fA-F]{0,${bits / 4 - 1}})$`;
  return createTextSchema(findProblem, { title: 'quantity', pattern }, false, '0x0');
}

/** An unsigned integer of at most 64 bits. */
export const quantity64: TextSchema = createQuantitySchema(64);
/** An unsigned integer of at most 256 bits. */
export const quantity256: TextSchema = createQuantitySchema(256);

/** A quantity of at most 64 bits as an integer. */
export const integer64: z.ZodType<bigint, string> = addAcceptor(
  quantity64.transform((text) => BigInt(text)).meta({ title: 'quantity' }),
  (raw) => {
    const text = findAcceptor(quantity64)?.(raw);
    return text === undefined ? undefined : BigInt(text);
  },
);

/** A JSON boolean. */
export const boolean: z.ZodType<boolean> = addAcceptor(z.boolean(), (raw) =>
  typeof raw === 'boolean' ? raw : undefined,
);

/** Bytes of any number. */
export const data: TextSchema = createTextSchema(
  findDataProblem,
  { title: 'data', pattern: '^0x([0-9a-fA-F]{2})*$' },
  true,
  '0x',
);

/** 20 bytes. */
export const address: TextSchema = createFixedDataSchema(20, 'address');
/** 32 bytes. */
export const hash32: TextSchema = createFixedDataSchema(32, '32 bytes');

function createFixedDataSchema(bytes: number, title: string): TextSchema {
  const findProblem: FindProblem = (text) => findFixedDataProblem(text, bytes, title);
  return createTextSchema(findProblem, { title, pattern: `^0x[0-9a-fA-F]{${bytes * 2}}$` }, true);
}

/** What is wrong with the text as bytes of any number. */
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
