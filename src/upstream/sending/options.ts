import * as z from 'zod';
import { headersSchema, type UpstreamOptions, urlSchema } from '../options.ts';

/** `send:` of a network: where transactions go. */
export type SendOptions = {
  /** All nodes at the same time; one after the other until one takes it; or those of these names, at the same time. */
  readonly to: 'all' | 'first' | readonly string[];
  /** A relay, which then is the only one that gets transactions. */
  readonly private?: UpstreamOptions;
  /**
   * What is checked before nodes are asked: `ethereum` all that needs no state, `form` only what holds on every chain. By default
   * `ethereum` on Ethereum and its test networks.
   */
  readonly rules?: 'ethereum' | 'form';
  /** Whether transactions are taken that are valid on every chain (before EIP-155); by default on development networks. */
  readonly unprotected?: boolean;
};

const relaySchema: z.ZodType<UpstreamOptions> = z
  .strictObject({
    url: urlSchema(['http:', 'https:']),
    headers: headersSchema.exactOptional(),
    bearer: z
      .string()
      .regex(/^[\x21-\x7e]+$/, 'expected a token')
      .exactOptional(),
  })
  .transform((row) => ({
    ...row,
    name: 'private relay',
    tier: 1,
    connections: 16,
    inFlight: 256,
    batch: { items: 1, callers: 'never' },
  }));

export const DEFAULT_SEND: SendOptions = { to: 'all' };

export const sendOptionsSchema: z.ZodType<SendOptions> = z
  .strictObject({
    to: z
      .union(
        [z.enum(['all', 'first']), z.array(z.string().min(1).max(64)).min(1).max(100)],
        'expected all, first, or a list of names of upstreams',
      )
      .default('all'),
    private: relaySchema.exactOptional(),
    rules: z.enum(['ethereum', 'form']).exactOptional(),
    unprotected: z.boolean().exactOptional(),
  })
  .prefault({});
