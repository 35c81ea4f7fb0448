import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Visitor } from '../gateway/visitor.ts';
import type { RequestHead } from './request-head.ts';

/** Who sent this head over this connection. */
export function describeVisitor(head: RequestHead, key: string | undefined, socket: Duplex): Visitor {
  const { host, origin, userAgent, authorization, traceParent } = head;
  return { host, key, origin, userAgent, authorization, traceParent, address: findAddress(socket) };
}

/** The other end of a connection; empty once it is closed. */
function findAddress(socket: Duplex): string {
  return (socket as Partial<Socket>).remoteAddress ?? '';
}
