import * as z from 'zod';
import { findHostProblem, listenHostSchema } from '../util/host.ts';
import { option } from '../util/option.ts';
import { isLoopbackAddress } from './loopback.ts';

/** `admin:` in the configuration file, unless it is `false`. */
export type AdminOptions = {
  readonly host: string;
  /** If absent, `DEFAULT_ADMIN_PORT` is used, and the admin server is disabled if that port is taken. */
  readonly port?: number;
  /** Key required from every request. Without a key, the host must be a loopback address. */
  readonly key?: string;
};

export const DEFAULT_ADMIN_PORT = 9545;
/** Defaults of the admin server's address. */
export const DEFAULT_ADMIN_OPTIONS: AdminOptions = { host: '127.0.0.1' };

const keySchema = z
  .string()
  .min(16, 'expected at least 16 characters')
  .max(256, 'expected at most 256 characters')
  .regex(/^[!-~]*$/, 'expected visible ASCII without spaces');

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
  })
  .refine(
    ({ host, key }) => key !== undefined || isLoopbackAddress(host) || findHostProblem(host) !== undefined,
    {
      path: ['host'],
      error: 'an address other than loopback needs admin.key',
    },
  );

/** `admin:` in the configuration file; `false` disables the admin server. */
export const adminOptionsSchema: z.ZodType<AdminOptions | false> = z
  .union([z.literal(false), rowSchema], { error: 'expected false, or a map of host, port and key' })
  .prefault({});
