/**
 * Returns one of a network's hosts in Host header form, preferably not a wildcard. For the wildcard `*.example.org`, returns `console.example.org`.
 */
export function findHost(hosts: readonly string[] = []): string | undefined {
  const host = hosts.find((one) => !one.startsWith('*')) ?? hosts[0];
  if (host?.includes(':') === true) return `[${host}]`;
  return host?.startsWith('*.') === true ? `console${host.slice(1)}` : host;
}
