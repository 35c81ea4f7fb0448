import * as z from 'zod';
import { headersSchema, type UpstreamOptions, urlSchema } from '../../../pool/options.ts';
import { option } from '../../../util/option.ts';

/** Options of the `send:` section of a network, which selects the nodes that receive transactions. */
export type SendSectionOptions = {
  /**
   * Recipients of a transaction. `all`: all nodes concurrently. `first`: one node after the other until a node accepts. A list of node names: the
   * named nodes concurrently.
   */
  readonly to: 'all' | 'first' | readonly string[];
  /** Private relay. If a private relay is configured, only the relay receives transactions. */
  readonly private?: UpstreamOptions;
  /**
   * Checks before a transaction is sent to nodes. `ethereum`: all checks that need no state. `form`: only checks that are valid on every chain.
   * Default: `ethereum` on Ethereum and its test networks, otherwise `form`.
   */
  readonly rules?: 'ethereum' | 'form';
  /**
   * True if transactions without a chain id (before EIP-155) are accepted, which can be replayed on other chains. Default: true on development
   * networks, false on other networks.
   */
  readonly unprotected?: boolean;
};

const relaySchema: z.ZodType<UpstreamOptions> = z
  .strictObject({
    url: option('URL of the relay.', urlSchema(['http:', 'https:'])),
    headers: option('Headers of every request to the relay.', headersSchema.exactOptional()),
    bearer: option(
      'Bearer token for the relay.',
      z
        .string()
        .regex(/^[\x21-\x7e]+$/, 'expected a token')
        .exactOptional(),
    ),
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
    to: option(
      'Nodes that get a transaction: `all` at the same time, `first` one node after the other until a node accepts, or a list of names of upstreams.',
      z
        .union(
          [z.enum(['all', 'first']), z.array(z.string().min(1).max(64)).min(1).max(100)],
          'expected all, first, or a list of names of upstreams',
        )
        .default('all'),
    ),
    private: option(
      'Private relay. If it is set, only the relay gets transactions.',
      relaySchema.exactOptional(),
    ),
    rules: option(
      'Checks of a transaction before it is sent: `ethereum` has all checks that need no state, `form` has only those that are valid on every chain. By default, it is `ethereum` on Ethereum and its test networks, and `form` elsewhere.',
      z.enum(['ethereum', 'form']).exactOptional(),
    ),
    unprotected: option(
      'Whether transactions without a chain id (before EIP-155) are accepted. By default, only development networks accept them.',
      z.boolean().exactOptional(),
    ),
  })
  .prefault({});
