import * as z from 'zod';
import { DURATION_HINT, parseDuration } from './duration.ts';

/** Parses a duration of the configuration file (`5s`) to milliseconds. */
export const durationSchema: z.ZodType<number> = z
  .string({ error: ({ input }) => (input === undefined ? undefined : DURATION_HINT) })
  .transform((text, context) => {
    try {
      return parseDuration(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message });
      return z.NEVER;
    }
  });
