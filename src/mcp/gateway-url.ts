/** URLs of a gateway's networks, such as `http://host/{network}/v3/<key>`. */

/** Networks of a gateway, and the URL of each for a key. */
export interface GatewayNetworks {
  readonly networks: readonly string[];
  urlOf(network: string, key: string): URL;
}

const PLACEHOLDER = '{network}';
/** Replaces the placeholder while the URL is parsed, because a URL has no braces. */
const MARK = 'network-of-the-request';
/** Segment of the path that the key follows. The segment before it names the network, unless the host does. */
const VERSION = 'v3';
/** Characters of keys. A key from a client must not change the rest of the path. */
const KEY = /^[\w-]{1,256}$/;

/** Whether a text has the form of a key. */
export function isKey(text: string): boolean {
  return KEY.test(text);
}

/**
 * Parses the URL of a gateway.
 * @param text URL with or without a key; `{network}` in its path stands for each of `networks`
 * @returns the gateway, and the key of the URL if it has one
 * @throws Error that says what is wrong, without the URL, because the URL may contain a key
 */
export function parseGatewayUrl(
  text: string,
  networks: readonly string[],
): { readonly gateway: GatewayNetworks; readonly key: string | undefined } {
  const url = URL.parse(text.replace(PLACEHOLDER, MARK));
  if (url === null || !/^https?:$/.test(url.protocol)) throw new Error('the URL is not one of http or https');
  const segments = url.pathname.split('/').filter((segment) => segment !== '');
  const place = segments.lastIndexOf(VERSION);
  const key = segments[place + 1];
  if (place < 0 || segments.length > place + 2)
    throw new Error(
      'the path of the URL does not end with /v3/<key>, as in http://127.0.0.1:8545/devnet/v3/<key>',
    );
  const isTemplate = text.includes(PLACEHOLDER);
  if (isTemplate !== networks.length > 0)
    throw new Error('{network} in the path of the URL and --network must be used together');
  const names = isTemplate ? networks : [segments[place - 1] ?? url.hostname];
  const urlOf = (network: string, ownKey: string): URL => {
    const target = new URL(url);
    const path = segments.slice(0, place).map((segment) => (segment === MARK ? network : segment));
    target.pathname = [...path, VERSION, ownKey].join('/');
    return target;
  };
  return { gateway: { networks: names, urlOf }, key };
}
