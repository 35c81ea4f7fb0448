/** A network's host as a Host header has it; below a wildcard any name will do. */
export function formatHost(host: string): string {
  if (host.includes(':')) return `[${host}]`;
  return host.startsWith('*.') ? `console${host.slice(1)}` : host;
}
