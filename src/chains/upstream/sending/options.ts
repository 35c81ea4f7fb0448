import * as z from 'zod';
import { headersSchema, type UpstreamOptions, urlSchema } from '../../../pool/options.ts';

/** `send:` section of a network: the nodes that receive transactions. */
export type SendSectionOptions = {
  /** `all`: all nodes concurrently; `first`: one after the other until a node accepts; a list: the named nodes concurrently. */
  readonly to: 'all' | 'first' | readonly string[];
  /** Private relay: if there is one, transactions are sent only to it. */
  readonly private?: UpstreamOptions;
  /**
   * Checks that a transaction must pass before it is sent to nodes. `ethereum`: all checks that need no state; `form`: only the checks that hold on
   * every chain. Default: `ethereum` on Ethereum and its test networks, otherwise `form`.
   */
  readonly rules?: 'ethereum' | 'form';
  /** True if replayable transactions (before EIP-155), valid on every chain, are accepted; by default on development networks only. */
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

export const DEFAULT_SEND: SendSectionOptions = { to: 'all' };

export const sendOptionsSchema: z.ZodType<SendSectionOptions> = z
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
