const ADDRESS = /^(127(\.\d{1,3}){3}|::1|localhost)$/i;
const HOST_HEADER = /^(([a-z0-9_-]+\.)*localhost\.?|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;

/** Whether a listener bound to this host is unreachable from other machines. */
export function isLoopbackAddress(host: string): boolean {
  return ADDRESS.test(host);
}

/** Whether a Host header has a loopback name or address. Names below `localhost` do not exist in the public DNS, so DNS rebinding cannot use them. */
export function isLoopbackHost(hostHeader: string): boolean {
  return HOST_HEADER.test(hostHeader);
}
