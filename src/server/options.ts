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
  /** Proxies that are trusted to report the client's address: addresses, CIDR ranges, `loopback` or `private`. */
  readonly trustedProxies?: readonly string[];
};

/** `listen:`. With port 0, the operating system chooses a free port. */
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

/** `health:`. The service is ready if all networks can answer, or if any network can. */
export type HealthOptions = { readonly ready: 'all' | 'any' };

export const healthOptionsSchema: z.ZodType<HealthOptions> = z
  .strictObject({ ready: z.enum(['all', 'any']).default('any') })
  .prefault({});

export type CorsOptions = { readonly origins: readonly string[] };

/** `cors:`. `*` allows every origin, an empty list allows none. */
export const corsOptionsSchema: z.ZodType<CorsOptions> = z
  .strictObject({ origins: z.array(z.string().min(1)).max(1_000).default(['*']) })
  .prefault({});

/** Limits of the transports. Durations are milliseconds. */
export type ListenerLimits = {
  /** Maximum bytes of one request body or WebSocket message, before and after decompression. */
  readonly bodyBytes: number;
  /** Maximum total bytes of bodies that are arriving or being decompressed, and of bodies of at least 64 KiB that are being handled. */
  readonly arrivingBytes: number;
  /** Maximum total bytes of answers that the kernel has not accepted yet. */
  readonly unsentBytes: number;
  /** Fraction of a shared bound that one caller may use alone, above 0; 1 is the whole bound. */
  readonly ownerShare: OwnerShare;
  readonly connections: number;
  /** Maximum number of unanswered pipelined requests on one HTTP connection; at the maximum, the connection is not read. */
  readonly pipelinedRequests: number;
  /** Time from the start of a connection to the end of its TLS handshake. */
  readonly handshakeTimeout: number;
  /** Time from the first byte of a request to the end of its headers. */
  readonly headersTimeout: number;
  /** Time from the first byte of a request to the end of its body. */
  readonly bodyTimeout: number;
  /** Maximum time from the last byte of a request body to the answer. */
  readonly requestTimeout: number;
  /** Time for which a connection may stay open without a request. */
  readonly keepAliveTimeout: number;
  /** Time for which a client may leave an answer unread without any progress. */
  readonly sendTimeout: number;
  /** Minimum average rate at which an answer must be read after `sendTimeout`, bytes per second. */
  readonly sendRate: number;
  /** Time at the beginning of a graceful stop in which all requests are still accepted, while readiness probes fail. */
  readonly drainDelay: number;
  /** Time for which a graceful stop waits for answers after `drainDelay`. */
  readonly drainTimeout: number;
  readonly webSockets: number;
  /** Maximum number of running messages of one WebSocket; at the maximum, the WebSocket is not read. */
  readonly webSocketInFlight: number;
  readonly webSocketPing: number;
  /** Send backlog of a WebSocket above which the WebSocket is not read, bytes. */
  readonly webSocketHighWaterBytes: number;
  /** Send backlog of a WebSocket above which the WebSocket is closed, bytes. */
  readonly webSocketBufferedBytes: number;
  /** Maximum number of subscriptions per WebSocket. */
  readonly webSocketSubscriptions: number;
  /** Maximum number of subscriptions of all WebSockets in total. */
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

/** Schemas of the transports' members of `limits:`; the schema of `limits:` combines them with members of other modules. */
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
