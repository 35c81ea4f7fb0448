import { UpstreamFault } from '../fault.ts';
import type { Policy } from '../routed-call.ts';
import type { Upstream } from '../upstream.ts';

/** A node that says "too many" is left alone for as long as it asked; one that lacks a method is not asked for it. */
export function keepPace(): Policy {
  return (next) => (exchange) =>
    next(exchange).catch((error: unknown) => {
      const upstream = exchange.upstream as Upstream;
      if (error instanceof UpstreamFault && error.kind === 'rateLimited') {
        upstream.health.pause(error.retryAfterMs);
      }
      if (error instanceof UpstreamFault && error.kind === 'unsupported') {
        upstream.noteUnsupported(exchange.call.method);
      }
      throw error;
    });
}
