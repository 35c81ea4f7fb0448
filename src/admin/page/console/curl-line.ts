type CurlCall = {
  /** `host:port` */
  readonly authority: string;
  /** Of the network. */
  readonly host: string;
  readonly key: string;
  readonly body: string;
};

/** A line for a shell that sends the same request. */
export function formatCurlLine({ authority, host, key, body }: CurlCall): string {
  const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
  return [
    'curl -s',
    quote(`http://${authority}/v3/${key}`),
    `-H ${quote(`Host: ${host}`)}`,
    "-H 'Content-Type: application/json'",
    `-d ${quote(body)}`,
  ].join(' ');
}
