import type { KnownItem } from '../abi/contract-interface.ts';
import type { Credentials } from '../authorization.ts';

/** Request of which code is made. */
export type CodeCall = {
  readonly scheme: 'http' | 'https';
  /** Address of the service: `host:port`. */
  readonly authority: string;
  readonly network: { readonly name: string; readonly host: string };
  readonly method: string;
  readonly params: readonly unknown[];
  readonly credentials: Credentials;
  /** Call of a function whose interface is known, if the request is one. */
  readonly call?: FunctionCall | undefined;
};

/** Call of a function at a block. */
export type FunctionCall = {
  readonly address: string;
  readonly from?: string | undefined;
  readonly item: KnownItem;
  /** Arguments as JavaScript. */
  readonly argumentList: string;
  /** Tag or number (hex) of the block. */
  readonly block: string;
};

/** Key in copied code, which the user replaces. */
const KEY_PLACEHOLDER = 'YOUR_KEY';

/** Formats the URL of the network with a placeholder for the key. */
export function formatServiceUrl(
  { scheme, authority, network }: CodeCall,
  transport: 'http' | 'ws' = 'http',
): string {
  const port = authority.slice(authority.lastIndexOf(':') + 1);
  // Over TLS, the URL contains the network's host name, because the certificate is issued for that name.
  const [base, path] = scheme === 'http' ? [authority, `/${network.name}`] : [`${network.host}:${port}`, ''];
  const name = transport === 'ws' ? scheme.replace('http', 'ws') : scheme;
  const prefix = transport === 'ws' ? '/ws' : '';
  return `${name}://${base}${path}${prefix}/v3/${KEY_PLACEHOLDER}`;
}

/** Formats an expression for the value of the Authorization header, with placeholders; undefined without credentials. */
export function formatAuthorizationCode({ secret, token }: Credentials): string | undefined {
  const parts = [
    ...(secret === undefined ? [] : ["'Basic ' + btoa(':YOUR_SECRET')"]),
    ...(token === undefined ? [] : ["'Bearer YOUR_TOKEN'"]),
  ];
  return parts.length === 0 ? undefined : parts.join(" + ', ' + ");
}
