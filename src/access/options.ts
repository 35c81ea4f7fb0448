import * as z from 'zod';
import { parseRedisUrl } from '../redis/redis-url.ts';
import { durationSchema } from '../util/duration-schema.ts';
import { dailyCreditsSchema, type Rate, rateSchema } from './keys/rate.ts';

/** A server that processes and machines share. */
export type SharedServer = {
  /** May hold credentials: never logged. */
  readonly url: string;
  readonly prefix: string;
  /** How long an answer is waited for, milliseconds. */
  readonly timeLimit: number;
};

/** An issuer of tokens. */
export type TokenIssuer = {
  /** Path of a file or address of the JSON Web Key Set. */
  readonly jwks: string;
  readonly issuer?: string;
  readonly audience?: string;
};

/** `access:` in the configuration file. Durations are milliseconds. */
export type AccessOptions = {
  /** Keys and counters are in it; without it they are in `dataDir`. */
  readonly valkey?: SharedServer;
  /** For how long known keys go on opening while `valkey` is away. */
  readonly staleKeys: number;
  /** Of keys that have none of their own. */
  readonly rate?: Rate;
  readonly dailyCredits?: number;
  /** What a call weighs, by method; `default` for methods of nodes that the service does not know. */
  readonly credits: Readonly<Record<string, number>>;
  /** Requests with wrong keys from one address (of IPv6: one /64). */
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
  url: urlSchema,
  prefix: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,64}$/, 'expected up to 64 letters, digits, dots, dashes and underscores')
    .default('portcullis'),
  timeLimit: durationSchema
    .refine((ms) => ms >= 1 && ms <= 1_000, 'expected a duration from 1ms to 1s')
    .prefault('50ms'),
});

const issuerSchema: z.ZodType<TokenIssuer> = z.strictObject({
  jwks: z.string().min(1).max(2_000),
  issuer: z.string().min(1).max(500).exactOptional(),
  audience: z.string().min(1).max(500).exactOptional(),
});

/** `access:`; without it keys are in `dataDir` and have no limits but their own. */
export const accessOptionsSchema: z.ZodType<AccessOptions> = z
  .strictObject({
    valkey: valkeySchema.exactOptional(),
    staleKeys: durationSchema
      .refine((ms) => ms >= 0 && ms <= 86_400_000, 'expected a duration of up to 24h')
      .prefault('5m'),
    rate: rateSchema.exactOptional(),
    dailyCredits: dailyCreditsSchema.exactOptional(),
    credits: z
      .record(z.string().regex(/^\w{1,64}$/, 'expected the name of a method'), z.int().min(0).max(1_000_000))
      .default({}),
    failures: rateSchema.prefault({ perSecond: 0.5, burst: 30 }),
    jwt: z
      .record(z.string().regex(/^[\w-]{1,64}$/, 'expected a name of letters, digits, _ and -'), issuerSchema)
      .default({}),
  })
  .prefault({});
