/**
 * Short cuts past zod for values that are plainly valid. An acceptor's answer is the schema's own, or `undefined`, which
 * leaves the value to the schema: only that refuses, and says why.
 */
import type * as z from 'zod';

/** The value that the schema makes of `raw`, where that is plain to see. */
export type Acceptor<T = unknown> = (raw: unknown) => T | undefined;

const ACCEPTORS = new WeakMap<z.ZodType, Acceptor>();

/** Gives a schema its short cut; what is derived from the schema does not have it. */
export function addAcceptor<T, I>(schema: z.ZodType<T, I>, accept: Acceptor<T>): z.ZodType<T, I> {
  ACCEPTORS.set(schema, accept);
  return schema;
}

/** The short cut of exactly this schema. */
export function findAcceptor<T>(schema: z.ZodType<T>): Acceptor<T> | undefined {
  return ACCEPTORS.get(schema) as Acceptor<T> | undefined;
}
