import * as z from 'zod';
import { durationSchema } from '../util/duration-schema.ts';

export type LogLevel = 'silent' | 'error' | 'warn' | 'info' | 'debug';

/** Which requests have a line. */
export type RequestLogOptions = {
  /** The part of the others (0 to 1) that has one. */
  readonly sample: number;
  /** From how many milliseconds on a request has one. */
  readonly slow: number;
  /** Whether those have one that failed by the service's or a node's fault. */
  readonly failed: boolean;
};

export type LogOptions = {
  readonly level: LogLevel;
  /** Lines of one message in a minute, of a process; one key, address or node has a tenth of them. */
  readonly perMinute: number;
  readonly requests: RequestLogOptions;
};

export const DEFAULT_PER_MINUTE = 60;

const share = z.number().min(0).max(1);

const requestLogSchema: z.ZodType<RequestLogOptions> = z
  .strictObject({
    sample: share.default(0),
    slow: durationSchema
      .refine((ms) => ms >= 1 && ms <= 86_400_000, 'expected a duration from 1ms to 24h')
      .prefault('1s'),
    failed: z.boolean().default(true),
  })
  .prefault({});

/** `log:` in the configuration file. */
export const logOptionsSchema: z.ZodType<LogOptions> = z
  .strictObject({
    level: z.enum(['silent', 'error', 'warn', 'info', 'debug']).default('info'),
    perMinute: z.int().min(1).max(1_000_000).default(DEFAULT_PER_MINUTE),
    requests: requestLogSchema,
  })
  .prefault({ requests: {} });

export type TracingOptions = {
  /** Takes OTLP over HTTP, usually `http://host:4318/v1/traces`. May hold a key: never logged. */
  readonly endpoint: string;
  /** The part (0 to 1) that is traced of the requests in which the client says nothing about it. */
  readonly sample: number;
  /** Sent with every export; may hold a key. */
  readonly headers: Readonly<Record<string, string>>;
};

/** `tracing:` in the configuration file; without it nothing is traced. */
export const tracingOptionsSchema: z.ZodType<TracingOptions> = z.strictObject({
  // Said without the address, which may hold a key.
  endpoint: z.string().refine(isHttpUrl, 'expected an address that begins with http:// or https://'),
  sample: share.default(0.01),
  headers: z
    .record(z.string().regex(/^[A-Za-z0-9-]{1,64}$/, 'expected a header name'), z.string().max(8_192))
    .default({}),
});

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
