/** Schemas of the wire scalars in results. */
import type * as z from 'zod';
import { toZod } from './codec/to-zod.ts';
import * as scalars from './schemas.ts';

export const quantity64Result: z.ZodType<string> = toZod(scalars.quantity64);
export const quantity256Result: z.ZodType<string> = toZod(scalars.quantity256);
export const dataResult: z.ZodType<string> = toZod(scalars.data);
export const addressResult: z.ZodType<string> = toZod(scalars.address);
export const hash32Result: z.ZodType<string> = toZod(scalars.hash32);
