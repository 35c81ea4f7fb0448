/** One of a network's hosts as a Host header has it, if possible none of a wildcard: below that any name will do. */
export function findHost(hosts: readonly string[] = []): string | undefined {
  const host = hosts.find((one) => !one.startsWith('*')) ?? hosts[0];
  if (host?.includes(':') === true) return `[${host}]`;
  return host?.startsWith('*.') === true ? `console${host.slice(1)}` : host;
}
