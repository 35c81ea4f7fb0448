import * as z from 'zod';
import { parseRedisUrl } from '../shared-store/redis/redis-url.ts';
import { durationBetween } from '../util/duration-schema.ts';
import { option } from '../util/option.ts';
import { dailyCreditsSchema, type Rate, rateSchema } from './keys/rate.ts';

/** Valkey or Redis server that several processes and machines share. */
export type SharedServer = {
  /** URL of the server. The URL may contain credentials, so it is never logged. */
  readonly url: string;
  readonly prefix: string;
  /** Timeout of a reply, ms. */
  readonly timeLimit: number;
};

/** Issuer of JSON Web Tokens. */
export type TokenIssuer = {
  /** File path or URL of the JSON Web Key Set. */
  readonly jwks: string;
  readonly issuer?: string;
  readonly audience?: string;
};

/** `access:` in the configuration file. Durations are in milliseconds. */
export type AccessOptions = {
  /** Server for keys and limits. If `valkey` is absent, keys and limits are stored in `dataDir`. */
  readonly valkey?: SharedServer;
  /** Duration for which known keys remain valid while `valkey` is unavailable, ms. */
  readonly staleKeys: number;
  /** Default rate for keys that have no rate of their own. */
  readonly rate?: Rate;
  readonly dailyCredits?: number;
  /** Credits that a call costs, by method name. `default` applies to node methods that the service does not know. */
  readonly credits: Readonly<Record<string, number>>;
  /** Limit of wrong keys per address (IPv6: per /64). */
  readonly failures: Rate;
  readonly jwt: Readonly<Record<string, TokenIssuer>>;
};

const urlSchema = z.string().superRefine((text, context) => {
  try {
    parseRedisUrl(text);
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
  }
});

const valkeySchema: z.ZodType<SharedServer> = z.strictObject({
  url: option('URL of the server, which may contain credentials.', urlSchema),
  prefix: option(
    'Prefix of all names on the server.',
    z
      .string()
      .regex(/^[A-Za-z0-9._-]{1,64}$/, 'expected up to 64 letters, digits, dots, dashes and underscores')
      .default('portcullis'),
  ),
  timeLimit: option(
    'Maximum time to wait for a reply of the server.',
    durationBetween('1ms', '1s').prefault('50ms'),
  ),
});

const issuerSchema: z.ZodType<TokenIssuer> = z.strictObject({
  jwks: option('File or URL of the JSON Web Key Set.', z.string().min(1).max(2_000)),
  issuer: option(
    'Value that the claim `iss` of a token must have.',
    z.string().min(1).max(500).exactOptional(),
  ),
  audience: option(
    'Value that the claim `aud` of a token must have.',
    z.string().min(1).max(500).exactOptional(),
  ),
});

/** Schema of `access:`. Without this section, keys are stored in `dataDir`, and have only their own limits. */
export const accessOptionsSchema: z.ZodType<AccessOptions> = z
  .strictObject({
    valkey: option(
      'Valkey or Redis server for the keys, limits and filters of several machines. Without it, they are stored in `dataDir`.',
      valkeySchema.exactOptional(),
    ),
    staleKeys: option(
      'Time for which known keys remain valid while `valkey` is unavailable.',
      durationBetween('0s', '24h').prefault('5m'),
    ),
    rate: option('Rate limit of keys that have no rate of their own.', rateSchema.exactOptional()),
    dailyCredits: option(
      'Credits per day of keys that have no limit of their own.',
      dailyCreditsSchema.exactOptional(),
    ),
    credits: option(
      'Credits that a call costs, by method name. `default` applies to node methods that the service does not know.',
      z
        .record(
          z.string().regex(/^\w{1,64}$/, 'expected the name of a method'),
          z.int().min(0).max(1_000_000),
        )
        .default({}),
    ),
    failures: option(
      'Limit of wrong keys from one address (IPv6: from one /64 network).',
      rateSchema.prefault({ perSecond: 0.5, burst: 30 }),
    ),
    jwt: option(
      'Issuers of JSON Web Tokens, by name.',
      z
        .record(
          z.string().regex(/^[\w-]{1,64}$/, 'expected a name of letters, digits, _ and -'),
          issuerSchema,
        )
        .default({}),
    ),
  })
  .prefault({});
