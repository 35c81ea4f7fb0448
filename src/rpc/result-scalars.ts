/** Wire scalars as result schemas. */
import type * as z from 'zod';
import { toZod } from './codec/to-zod.ts';
import * as scalars from './schemas.ts';

export const quantity64: z.ZodType<string> = toZod(scalars.quantity64);
export const quantity256: z.ZodType<string> = toZod(scalars.quantity256);
export const data: z.ZodType<string> = toZod(scalars.data);
export const address: z.ZodType<string> = toZod(scalars.address);
export const hash32: z.ZodType<string> = toZod(scalars.hash32);
