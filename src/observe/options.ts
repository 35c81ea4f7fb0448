import * as z from 'zod';
import { durationBetween } from '../util/duration-schema.ts';
import { option } from '../util/option.ts';

export type LogLevel = 'silent' | 'error' | 'warn' | 'info' | 'debug';

/** Format of log lines; `auto` is `pretty` on a terminal, and `json` otherwise. */
export type LogFormat = 'auto' | 'pretty' | 'json';

/** Selection of requests that are logged. */
export type RequestLogOptions = {
  /** Fraction of the requests that are neither slow nor failed, but are logged, 0 to 1. */
  readonly sample: number;
  /** Requests of at least this duration are logged, milliseconds. */
  readonly slow: number;
  /** Whether requests that failed by a fault of the service or a node are logged. */
  readonly failed: boolean;
};

export type LogOptions = {
  readonly level: LogLevel;
  readonly format: LogFormat;
  /** Maximum lines per message, minute and process. A single key, address or node may cause a tenth of these lines. */
  readonly perMinute: number;
  readonly requests: RequestLogOptions;
};

export const DEFAULT_PER_MINUTE = 60;

const share = z.number().min(0).max(1);

const requestLogSchema: z.ZodType<RequestLogOptions> = z
  .strictObject({
    sample: option('Fraction of all requests that are logged.', share.default(0)),
    slow: option(
      'Minimum duration of a request that is logged as slow.',
      durationBetween('1ms', '24h').prefault('1s'),
    ),
    failed: option(
      'Whether requests that fail by a fault of the service or of a node are logged.',
      z.boolean().default(true),
    ),
  })
  .prefault({});

/** `log:` in the configuration file. */
export const logOptionsSchema: z.ZodType<LogOptions> = z
  .strictObject({
    level: option(
      'Lowest level of lines that are logged.',
      z.enum(['silent', 'error', 'warn', 'info', 'debug']).default('info'),
    ),
    format: option(
      'Form of the lines. `auto` is `pretty` if stderr is a terminal, and `json` otherwise.',
      z.enum(['auto', 'pretty', 'json']).default('auto'),
    ),
    perMinute: option(
      'Maximum number of lines of one message in a minute. One key, address or node may cause a tenth of them. Omitted lines are counted.',
      z.int().min(1).max(1_000_000).default(DEFAULT_PER_MINUTE),
    ),
    requests: option('Selection of requests with a log line of their own.', requestLogSchema),
  })
  .prefault({ requests: {} });

export type TracingOptions = {
  /** OTLP endpoint over HTTP, usually `http://host:4318/v1/traces`. The endpoint may contain a key, so it is never logged. */
  readonly endpoint: string;
  /** Fraction of requests traced, 0 to 1, where the client sends no sampling decision. */
  readonly sample: number;
  /** Headers of every export; may contain a key. */
  readonly headers: Readonly<Record<string, string>>;
};

/** `tracing:` in the configuration file; if absent, nothing is traced. */
export const tracingOptionsSchema: z.ZodType<TracingOptions> = z.strictObject({
  // The error message omits the address, which may contain a key.
  endpoint: option(
    'OTLP endpoint over HTTP, which may contain a key.',
    z.string().refine(isHttpUrl, 'expected an address that begins with http:// or https://'),
  ),
  sample: option(
    'Fraction of requests that are traced if the client sends no sampling decision.',
    share.default(0.01),
  ),
  headers: option(
    'Headers of every export, which may contain a key.',
    z
      .record(z.string().regex(/^[A-Za-z0-9-]{1,64}$/, 'expected a header name'), z.string().max(8_192))
      .default({}),
  ),
});

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
