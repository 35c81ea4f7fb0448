type CurlCall = {
  readonly scheme: 'http' | 'https';
  /** Address of the service: `host:port`. */
  readonly authority: string;
  readonly network: { readonly name: string; readonly host: string };
  readonly key: string;
  /** Value of the Authorization header. */
  readonly authorization?: string | undefined;
  readonly body: string;
};

/** Formats a shell command that sends the request with curl. */
export function formatCurlLine({ scheme, authority, network, key, authorization, body }: CurlCall): string {
  const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
  const port = authority.slice(authority.lastIndexOf(':') + 1);
  // Over TLS, the URL contains the network's host name, because the certificate is issued for that name. The option `--connect-to` makes curl connect
  // to the service's address instead.
  const target =
    scheme === 'http'
      ? [quote(`http://${authority}/${network.name}/v3/${key}`)]
      : [`--connect-to ${quote(`::${authority}`)}`, quote(`https://${network.host}:${port}/v3/${key}`)];
  return [
    'curl -s',
    ...target,
    ...(authorization === undefined ? [] : [`-H ${quote(`Authorization: ${authorization}`)}`]),
    "-H 'Content-Type: application/json'",
    `-d ${quote(body)}`,
  ].join(' ');
}
