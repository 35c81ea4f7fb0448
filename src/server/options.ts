import * as z from 'zod';
import { durationSchema } from '../util/duration-schema.ts';
import type { OwnerShare } from '../util/shared-budget.ts';
import { isProxyRange } from './trusted-proxies.ts';

/** PEM files: a certificate with its chain, and its private key. */
export type TlsOptions = { readonly cert: string; readonly key: string };

export type ListenOptions = {
  readonly host: string;
  readonly port: number;
  readonly tls?: TlsOptions;
  /** Proxies trusted to report the client's address: addresses, ranges, `loopback`, `private`. */
  readonly trustedProxies?: readonly string[];
};

/** `listen:`; port 0 takes any free port. */
export const listenOptionsSchema: z.ZodType<ListenOptions> = z
  .strictObject({
    host: z.string().min(1).default('127.0.0.1'),
    port: z.int().min(0).max(65_535).default(8545),
    tls: z.strictObject({ cert: z.string().min(1), key: z.string().min(1) }).exactOptional(),
    trustedProxies: z
      .array(
        z.string().refine(isProxyRange, {
          error: 'expected an address, a range such as 10.0.0.0/8, loopback or private',
        }),
      )
      .max(1_000)
      .default([]),
  })
  .prefault({});

/** `health:`; the service is ready when all networks can answer, or when any one can. */
export type HealthOptions = { readonly ready: 'all' | 'any' };

export const healthOptionsSchema: z.ZodType<HealthOptions> = z
  .strictObject({ ready: z.enum(['all', 'any']).default('any') })
  .prefault({});

export type CorsOptions = { readonly origins: readonly string[] };

/** `cors:`; `*` allows every origin, an empty list none. */
export const corsOptionsSchema: z.ZodType<CorsOptions> = z
  .strictObject({ origins: z.array(z.string().min(1)).max(1_000).default(['*']) })
  .prefault({});

/** Limits of the transports. Durations are milliseconds. */
export type ListenerLimits = {
  /** Maximum size of one request body or WebSocket message, before and after decompression. */
  readonly bodyBytes: number;
  /**
   * Memory for bodies that are arriving, being decompressed or, from 64 KiB on, in work; for all connections
   * together.
   */
  readonly arrivingBytes: number;
  /** Memory for answers that the kernel has not taken yet, for all connections together. */
  readonly unsentBytes: number;
  /** Part of a shared bound that one caller alone may hold, above 0; 1 is all of it. */
  readonly ownerShare: OwnerShare;
  readonly connections: number;
  /** Pipelined requests that one HTTP connection may have unanswered; at the bound it is not read further. */
  readonly pipelinedRequests: number;
  /** Time from the start of a connection to the end of its TLS handshake. */
  readonly handshakeTimeout: number;
  /** Time from the first byte of a request to the end of its headers. */
  readonly headersTimeout: number;
  /** Time from the first byte of a request to the end of its body. */
  readonly bodyTimeout: number;
  /** Time from reading a body to its answer. */
  readonly requestTimeout: number;
  /** Time that a connection may stay without a request. */
  readonly keepAliveTimeout: number;
  /** Time that a client may leave an answer unread. */
  readonly sendTimeout: number;
  /** Minimum average rate at which an answer must be read after `sendTimeout`, bytes per second. */
  readonly sendRate: number;
  /** Time that a graceful stop keeps taking all requests while it reports not ready. */
  readonly drainDelay: number;
  /** Time that a graceful stop then waits for answers. */
  readonly drainTimeout: number;
  readonly webSockets: number;
  /** Messages of one WebSocket in work; at the bound it is not read further. */
  readonly webSocketInFlight: number;
  readonly webSocketPing: number;
  /** Send backlog of a WebSocket above which it is not read further. */
  readonly webSocketHighWaterBytes: number;
  /** Send backlog of a WebSocket above which it is closed. */
  readonly webSocketBufferedBytes: number;
  /** Subscriptions per WebSocket. */
  readonly webSocketSubscriptions: number;
  /** Subscriptions of all WebSockets together. */
  readonly subscriptions: number;
};

const MiB = 1024 * 1024;
const count = (byDefault: number, max: number): z.ZodType<number> =>
  z.int().min(1).max(max).default(byDefault);
const bytes = (byDefault: number): z.ZodType<number> => count(byDefault, 1024 * MiB);
const duration = (byDefault: string): z.ZodType<number> =>
  durationSchema
    .refine((ms) => ms >= 1 && ms <= 86_400_000, 'expected a duration from 1ms to 24h')
    .prefault(byDefault);

/** The transports' rows of `limits:`, to be composed with the rows of other folders. */
export const transportLimitsShape: { readonly [K in keyof ListenerLimits]: z.ZodType<ListenerLimits[K]> } = {
  bodyBytes: bytes(5 * MiB),
  arrivingBytes: bytes(128 * MiB),
  unsentBytes: bytes(256 * MiB),
  ownerShare: z.number().gt(0).max(1).default(0.5),
  connections: count(4_096, 1_000_000),
  pipelinedRequests: count(64, 10_000),
  handshakeTimeout: duration('10s'),
  headersTimeout: duration('10s'),
  bodyTimeout: duration('30s'),
  requestTimeout: duration('30s'),
  keepAliveTimeout: duration('75s'),
  sendTimeout: duration('30s'),
  sendRate: bytes(16 * 1024),
  drainDelay: durationSchema
    .refine((ms) => ms <= 600_000, 'expected a duration from 0s to 10m')
    .prefault('0s'),
  drainTimeout: duration('10s'),
  webSockets: count(1_024, 1_000_000),
  webSocketInFlight: count(64, 10_000),
  webSocketPing: duration('30s'),
  webSocketHighWaterBytes: bytes(4 * MiB),
  webSocketBufferedBytes: bytes(64 * MiB),
  webSocketSubscriptions: count(1_000, 100_000),
  subscriptions: count(50_000, 10_000_000),
};

/** Options of the server. */
export type ServerOptions = {
  readonly listen: ListenOptions;
  readonly cors: CorsOptions;
  readonly limits: ListenerLimits;
};
