import type { Visitor } from '../../src/gateway/visitor.ts';

/** A client on this machine that sends only host and key. */
export function makeVisitor(
  host: string | undefined,
  key: string | undefined,
  rest: Partial<Visitor> = {},
): Visitor {
  return {
    host,
    network: undefined,
    key,
    origin: undefined,
    userAgent: undefined,
    authorization: undefined,
    traceParent: undefined,
    address: '127.0.0.1',
    ...rest,
  };
}
