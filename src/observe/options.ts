import { z } from 'zod';

export type LogLevel = 'silent' | 'error' | 'warn' | 'info' | 'debug';

export type LogOptions = { readonly level: LogLevel };

/** `log:` in the configuration file. */
export const logOptionsSchema: z.ZodType<LogOptions> = z
  .strictObject({ level: z.enum(['silent', 'error', 'warn', 'info', 'debug']).default('info') })
  .prefault({});
