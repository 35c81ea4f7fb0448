import { isIP } from 'node:net';
import * as z from 'zod';

/** Maximum length of a DNS name (RFC 1035, section 2.3.4). */
const MAX_LENGTH = 253;
const LABEL = /^(?!-)[a-z0-9_-]+(?<!-)$/i;
/** Matches a text whose last label is a number. By the URL standard, such a text is an IPv4 address or invalid. */
const ENDS_IN_NUMBER = /(?:^|\.)(?:\d+|0x[0-9a-f]*)\.?$/i;

/** Whether a text is a host name. A text that ends with a number is not a host name. */
export function isHostName(text: string): boolean {
  if (text.length > MAX_LENGTH || ENDS_IN_NUMBER.test(text)) return false;
  const labels = (text.endsWith('.') ? text.slice(0, -1) : text).split('.');
  return labels.every((label) => LABEL.test(label));
}

const EXPECTED = 'expected an IP address such as 127.0.0.1, 0.0.0.0 or ::, or a host name';

/** Returns why a listener cannot have this host, or undefined if it can. The text does not quote the host. */
export function findHostProblem(host: string): string | undefined {
  if (isIP(host) !== 0 || isHostName(host)) return undefined;
  if (host === '*') return 'expected 0.0.0.0 for every IPv4 address, or :: for every address';
  const [, bracketed] = /^\[([^\]]*)\]/.exec(host) ?? [];
  if (bracketed !== undefined && isIP(bracketed) === 6) return 'expected an IPv6 address without brackets';
  const [, before = ''] = /^([^:]*):\d+$/.exec(host) ?? [];
  if (isIP(before) !== 0 || isHostName(before)) return 'expected a host without a port: set port';
  if (ENDS_IN_NUMBER.test(host)) return `${EXPECTED}: a host name does not end with a number`;
  return EXPECTED;
}

/** Schema of the host on which a server listens. */
export const listenHostSchema: z.ZodType<string> = z.string().superRefine((host, context) => {
  const message = findHostProblem(host);
  if (message !== undefined) context.addIssue({ code: 'custom', message });
});
