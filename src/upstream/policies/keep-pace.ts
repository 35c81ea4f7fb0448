import { UpstreamFault } from '../fault.ts';
import type { Directed, Policy } from '../routed-call.ts';

/** A node that says "too many" is left alone for as long as it asked; one that lacks a method is not asked for it. */
export function keepPace(): Policy<Directed> {
  return (next) => (exchange) =>
    next(exchange).catch((error: unknown) => {
      const { upstream } = exchange;
      if (error instanceof UpstreamFault && error.kind === 'rateLimited') {
        upstream.health.pause(error.retryAfterMs);
      }
      if (error instanceof UpstreamFault && error.kind === 'unsupported') {
        upstream.noteUnsupported(exchange.call.method);
      }
      throw error;
    });
}
