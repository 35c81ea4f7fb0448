import * as z from 'zod';
import { findHostProblem, listenHostSchema } from '../util/host.ts';
import { option } from '../util/option.ts';
import { isLoopbackAddress } from './loopback.ts';

/** Role of a credential of the Admin API. `write` includes `read`. */
export type ApiRole = 'read' | 'write';

/** Credential of the Admin API. */
export type ApiCredential = {
  readonly role: ApiRole;
  /** Bearer token that requests must carry. */
  readonly token: string;
};

/** `admin:` in the configuration file, unless it is `false`. */
export type AdminOptions = {
  readonly host: string;
  /** If absent, `DEFAULT_ADMIN_PORT` is used, and the admin server is disabled if that port is taken. */
  readonly port?: number;
  /** Key required from every request. Without a key, the host must be a loopback address. */
  readonly key?: string;
  /** Credentials of the Admin API by name. If absent, there is no Admin API. */
  readonly api?: Readonly<Record<string, ApiCredential>>;
};

export const DEFAULT_ADMIN_PORT = 9545;
/** Defaults of the admin server's address. */
export const DEFAULT_ADMIN_OPTIONS: AdminOptions = { host: '127.0.0.1' };

/** Each request compares its token with all credentials. */
const MAX_CREDENTIALS = 100;

const keySchema = z
  .string()
  .min(16, 'expected at least 16 characters')
  .max(256, 'expected at most 256 characters')
  .regex(/^[!-~]*$/, 'expected visible ASCII without spaces');

// An enum would hide its error behind the error of the whole section, because `admin` may also be false.
const roleSchema = z
  .string()
  .refine((role) => role === 'read' || role === 'write', 'expected read or write')
  .meta({ enum: ['read', 'write'] }) as unknown as z.ZodType<ApiRole>;

const apiSchema: z.ZodType<NonNullable<AdminOptions['api']>> = z
  .record(
    z.string().regex(/^[\w.-]{1,64}$/, 'expected a name of letters, digits, _ . and -'),
    z.strictObject({
      role: option('Role of the credential: `read`, or `write`, which includes `read`.', roleSchema),
      token: option('Bearer token of requests, at least 16 characters.', keySchema),
    }),
  )
  .refine((credentials) => Object.keys(credentials).length > 0, 'expected at least one credential')
  .refine((credentials) => Object.keys(credentials).length <= MAX_CREDENTIALS, {
    error: `expected at most ${MAX_CREDENTIALS} credentials`,
  })
  .refine((credentials) => {
    const tokens = Object.values(credentials).map(({ token }) => token);
    return new Set(tokens).size === tokens.length;
  }, 'two credentials have the same token: expected one token for each');

const rowSchema: z.ZodType<AdminOptions> = z
  .strictObject({
    host: option(
      'Address on which the admin server listens. An address beyond loopback requires `key`.',
      listenHostSchema.default(DEFAULT_ADMIN_OPTIONS.host),
    ),
    port: option(
      'TCP port of the admin server. By default, the port is 9545, and the admin server is off if that port is taken.',
      z.int().min(0).max(65_535).exactOptional(),
    ),
    key: option(
      'Key that every request must contain, as bearer token or as password. It has at least 16 characters.',
      keySchema.exactOptional(),
    ),
    api: option(
      'Credentials of the Admin API by name (docs/admin-api.md). Without them, the Admin API is off.',
      apiSchema.exactOptional(),
    ),
  })
  .refine(
    ({ host, key }) => key !== undefined || isLoopbackAddress(host) || findHostProblem(host) !== undefined,
    {
      path: ['host'],
      error: 'an address other than loopback needs admin.key',
    },
  )
  .refine(({ key, api = {} }) => Object.values(api).every(({ token }) => token !== key), {
    path: ['api'],
    error: 'a credential has the token of admin.key: expected another token',
  });

/** `admin:` in the configuration file; `false` disables the admin server. */
export const adminOptionsSchema: z.ZodType<AdminOptions | false> = z
  .union([z.literal(false), rowSchema], { error: 'expected false, or a map of host, port, key and api' })
  .prefault({});
