import * as z from 'zod';
import { dailyCreditsSchema, type Rate, rateSchema } from './rate.ts';

/** Permissions of a key. A request must match at least one entry of each list. An absent list allows everything. */
export type KeySettings = {
  /** Time from which the key is invalid, ISO 8601. */
  readonly expiresAt?: string;
  /** Names of networks in the configuration. */
  readonly networks?: readonly string[];
  /** Wire names of methods. `l2_estimateGas` also matches the name of this method on each network, such as `linea_estimateGas`. */
  readonly methods?: readonly string[];
  /** Addresses of the contracts that calls may use, lower case. */
  readonly addresses?: readonly string[];
  /** Origins: `https://app.example.org`, or `https://*.example.org` for all subdomains. */
  readonly origins?: readonly string[];
  /** Substrings: the User-Agent header must contain at least one. */
  readonly userAgents?: readonly string[];
  /** Whether the key may send transactions. Default: true. */
  readonly send?: boolean;
  readonly rate?: Rate;
  /** Credits per day. A day begins at midnight UTC. */
  readonly dailyCredits?: number;
  /** SHA-256 of a secret that every request must carry. */
  readonly secretHash?: string;
  /** Name of the issuer (`access.jwt`) of the token that every request must carry. */
  readonly jwt?: string;
};

/** Change of a key's settings. A member with the value undefined removes the setting. */
export type SettingsChange = { readonly [K in keyof KeySettings]?: KeySettings[K] | undefined };

const MAX_ENTRIES = 30;
const list = <T>(entry: z.ZodType<T, string>): z.ZodType<T[], string[]> =>
  z.array(entry).min(1).max(MAX_ENTRIES);

const lowerCase = (pattern: RegExp, error: string): z.ZodType<string, string> =>
  z
    .string()
    .max(300)
    .transform((text) => text.toLowerCase())
    .refine((text) => pattern.test(text), { error });

/** Schemas of the settings that an administrator chooses for a key. */
const SHAPE = {
  expiresAt: z.iso.datetime().describe('time from which the key is invalid'),
  networks: list(z.string().regex(/^[\w-]{1,64}$/, 'expected the name of a network')).describe(
    'names of networks in the configuration',
  ),
  methods: list(z.string().regex(/^\w{1,64}$/, 'expected the name of a method')).describe('names of methods'),
  addresses: list(lowerCase(/^0x[0-9a-f]{40}$/, 'expected an address: 0x and 40 hex digits')).describe(
    'accounts and contracts that calls may name',
  ),
  origins: list(
    lowerCase(
      /^[a-z][a-z0-9+.-]*:\/\/(\*\.)?[a-z0-9_.[\]:-]+$/,
      'expected an origin such as https://app.example.org or https://*.example.org',
    ),
  ).describe('origins of web pages; `*.` stands for all subdomains'),
  userAgents: list(z.string().min(1).max(200)).describe(
    'texts that the User-Agent header must contain one of',
  ),
  send: z.boolean().describe('whether the key may send transactions; true if absent'),
  rate: rateSchema.describe('calls per second, and the maximum burst after a pause'),
  dailyCredits: dailyCreditsSchema.describe('maximum credits of all calls in a day (UTC)'),
  jwt: z
    .string()
    .regex(/^[\w-]{1,64}$/)
    .describe('issuer (access.jwt) of the token that every request must carry'),
} as const;

function mapShape(change: (schema: z.ZodType) => z.ZodType): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(SHAPE).map(([name, schema]) => [name, change(schema)]));
}

const OPTIONAL = mapShape((schema) => schema.exactOptional());

/** Settings of a new key, as an administrator chooses them; the hash of a secret is not among them. */
export const newSettingsSchema: z.ZodType<KeySettings> = z.strictObject(OPTIONAL) as z.ZodType<KeySettings>;

/** Change of a key's settings, as an administrator chooses it: null removes a setting. */
export const settingsChangeSchema: z.ZodType<SettingsChange> = z.strictObject(
  mapShape((schema) => z.union([schema, z.null().transform(() => undefined)]).exactOptional()),
) as z.ZodType<SettingsChange>;

/** Settings of a stored key. */
export const keySettingsSchema: z.ZodType<KeySettings> = z.strictObject({
  ...OPTIONAL,
  secretHash: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .exactOptional(),
}) as z.ZodType<KeySettings>;
