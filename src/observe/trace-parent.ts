/** Trace context sent by a client. */
export type TraceParent = { readonly traceId: string; readonly spanId: string; readonly isSampled: boolean };

const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-|$)/;
const SAMPLED = 1;

/** Reads a `traceparent` header (W3C Trace Context, 3.2). Returns undefined for an absent or invalid header. */
export function parseTraceParent(text: string | undefined): TraceParent | undefined {
  const [, version, traceId, spanId, flags, rest] = FORM.exec(text ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  // Versions after 00 may append fields; version 00 must not, and ff is invalid.
  if (version === 'ff' || (version === '00' && rest !== '')) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}
