import * as z from 'zod';
import { durationBetween } from '../util/duration-schema.ts';
import { listenHostSchema } from '../util/host.ts';
import { option } from '../util/option.ts';
import type { OwnerShare } from '../util/shared-budget.ts';
import { sizeBetween } from '../util/size-schema.ts';
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
    host: option(
      'Address on which the service listens: an IP address or a host name. `0.0.0.0` and `::` are all addresses of the machine.',
      listenHostSchema.default('127.0.0.1'),
    ),
    port: option(
      'TCP port for HTTP and WebSocket. The port 0 is any free port.',
      z.int().min(0).max(65_535).default(8545),
    ),
    tls: option(
      'Certificate for HTTPS and WSS. The files are read again when they change.',
      z
        .strictObject({
          cert: option('PEM file of the certificate with its chain.', z.string().min(1)),
          key: option('PEM file of the private key.', z.string().min(1)),
        })
        .exactOptional(),
    ),
    trustedProxies: option(
      'Proxies that are trusted to report the address of a client (`X-Forwarded-For`): addresses, ranges such as `10.0.0.0/8`, `loopback` or `private`.',
      z
        .array(
          z.string().refine(isProxyRange, {
            error: 'expected an address, a range such as 10.0.0.0/8, loopback or private',
          }),
        )
        .max(1_000)
        .default([]),
    ),
  })
  .prefault({});

/** `health:`. The service is ready if all networks can answer, or if any network can. */
export type HealthOptions = { readonly ready: 'all' | 'any' };

export const healthOptionsSchema: z.ZodType<HealthOptions> = z
  .strictObject({
    ready: option(
      'Networks that must be able to answer before `/health/ready` reports success: all of them, or any.',
      z.enum(['all', 'any']).default('any'),
    ),
  })
  .prefault({});

export type CorsOptions = { readonly origins: readonly string[] };

/** `cors:`. `*` allows every origin, an empty list allows none. */
export const corsOptionsSchema: z.ZodType<CorsOptions> = z
  .strictObject({
    origins: option(
      'Origins of web pages that may use the service. `*` is every origin, and an empty list is none.',
      z.array(z.string().min(1)).max(1_000).default(['*']),
    ),
  })
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

const count = (byDefault: number, max: number): z.ZodType<number> =>
  z.int().min(1).max(max).default(byDefault);
const bytes = (byDefault: string): z.ZodType<number> => sizeBetween('1B', '1GiB').prefault(byDefault);
const duration = (byDefault: string): z.ZodType<number> => durationBetween('1ms', '24h').prefault(byDefault);

/** Schemas of the transports' members of `limits:`; the schema of `limits:` combines them with members of other modules. */
export const transportLimitsShape: { readonly [K in keyof ListenerLimits]: z.ZodType<ListenerLimits[K]> } = {
  bodyBytes: option(
    'Maximum size of one request body or WebSocket message, before and after decompression.',
    bytes('5MiB'),
  ),
  arrivingBytes: option(
    'Maximum total size of bodies that are arriving or being decompressed, and of large bodies that are being handled.',
    bytes('128MiB'),
  ),
  unsentBytes: option('Maximum total size of answers that clients have not read yet.', bytes('256MiB')),
  ownerShare: option(
    'Fraction of a shared bound that one key or address may use alone. 1 is the whole bound.',
    z.number().gt(0).max(1).default(0.5),
  ),
  connections: option('Maximum number of connections.', count(4_096, 1_000_000)),
  pipelinedRequests: option(
    'Maximum number of unanswered requests on one HTTP connection. At the maximum, the connection is not read.',
    count(64, 10_000),
  ),
  handshakeTimeout: option('Maximum duration of the TLS handshake.', duration('10s')),
  headersTimeout: option(
    'Maximum time from the first byte of a request to the end of its headers.',
    duration('10s'),
  ),
  bodyTimeout: option(
    'Maximum time from the first byte of a request to the end of its body.',
    duration('30s'),
  ),
  requestTimeout: option('Maximum time from the end of a request body to the answer.', duration('30s')),
  keepAliveTimeout: option('Time for which a connection stays open without a request.', duration('75s')),
  sendTimeout: option(
    'Time for which a client may leave an answer unread without progress.',
    duration('30s'),
  ),
  sendRate: option(
    'Minimum average rate at which a client must read an answer after `sendTimeout`, in bytes per second.',
    bytes('16KiB'),
  ),
  drainDelay: option(
    'Time at the start of a graceful stop in which the service serves all requests, while readiness probes fail.',
    durationBetween('0s', '10m').prefault('0s'),
  ),
  drainTimeout: option(
    'Time after `drainDelay` for which a graceful stop waits for answers.',
    duration('10s'),
  ),
  webSockets: option('Maximum number of WebSockets.', count(1_024, 1_000_000)),
  webSocketInFlight: option(
    'Maximum number of messages of one WebSocket that run at the same time. At the maximum, the WebSocket is not read.',
    count(64, 10_000),
  ),
  webSocketPing: option('Interval between two pings of a WebSocket.', duration('30s')),
  webSocketHighWaterBytes: option(
    'Size of unread answers above which no more messages of a WebSocket are read.',
    bytes('4MiB'),
  ),
  webSocketBufferedBytes: option(
    'Size of unread answers and notifications above which a WebSocket is closed.',
    bytes('64MiB'),
  ),
  webSocketSubscriptions: option('Maximum number of subscriptions of one WebSocket.', count(1_000, 100_000)),
  subscriptions: option(
    'Maximum number of subscriptions of all WebSockets. One key may have its `ownerShare` of them.',
    count(50_000, 10_000_000),
  ),
};

/** Options of the server. */
export type ServerOptions = {
  readonly listen: ListenOptions;
  readonly cors: CorsOptions;
  readonly limits: ListenerLimits;
};
