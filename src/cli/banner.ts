import { resolve } from 'node:path';
import { isLoopbackAddress } from '../admin/loopback.ts';
import type { Config } from '../config/config.ts';
import type { ListenAddress } from '../server/lifecycle.ts';
import { formatUrl } from '../server/listen-url.ts';
import { buildCurlLine } from './curl-lines.ts';
import { findProgram } from './program-name.ts';

export type BannerParts = {
  /** First line. */
  readonly title: string;
  readonly config: Config;
  readonly address: ListenAddress;
  /** Address of the status page; undefined if there is none. */
  readonly admin: ListenAddress | undefined;
  /** Networks that the key `demo` opens besides the built-in ones; the service accepts this key on loopback only. */
  readonly demoNetworks?: readonly string[];
  /**
   * Option with which `portcullis keys create` finds the keys of this service, the value of the option, and the value of PORTCULLIS_DATA_DIR if it
   * decides where the keys of `--config` are.
   */
  readonly keysPlace: readonly ['--config' | '--data', string, string?];
  /** Last line. */
  readonly more?: string;
};

/** Maximum number of network names that the banner lists. */
const MAX_NAMES = 8;

/** Returns the lines that a service prints when it accepts requests, at most eight: URLs, key, status page, and a curl command that can be pasted. */
export function formatBanner(parts: BannerParts): string {
  const { title, config, address, admin, more } = parts;
  const [http, ws] =
    config.listen.tls === undefined ? (['http', 'ws'] as const) : (['https', 'wss'] as const);
  const names = Object.keys(config.networks);
  const demo = listDemoNetworks(parts);
  const network = demo[0] ?? config.defaultNetwork ?? names[0] ?? '';
  const isOnly = names.length === 1 && config.defaultNetwork !== undefined;
  const prefix = isOnly ? '' : '/<network>';
  const key = demo.length === names.length ? 'demo' : '<API_KEY>';
  const curl = buildCurlLine(
    formatUrl(address, http, `${isOnly ? '' : `/${network}`}/v3/${demo.length > 0 ? 'demo' : '$KEY'}`),
    { method: 'eth_blockNumber', params: [] },
  );
  const lines: readonly (readonly [string, string | undefined])[] = [
    ['Networks:', isOnly ? undefined : listNames(names, config.defaultNetwork)],
    ['HTTP:', `POST ${formatUrl(address, http, `${prefix}/v3/${key}`)}`],
    ['WebSocket:', formatUrl(address, ws, `${prefix}/ws/v3/${key}`)],
    ['Key:', describeKey(parts, demo, names.length)],
    ['Status:', admin && formatUrl(admin, 'http', '/status')],
    ['Try:', curl],
    ['More:', more],
  ];
  const shown = lines.flatMap(([label, text]) =>
    text === undefined ? [] : [`  ${label.padEnd(LABEL_WIDTH)} ${text}`],
  );
  return `${[title, ...shown].join('\n')}\n`;
}

const LABEL_WIDTH = 'WebSocket:'.length;

function listDemoNetworks({ config, demoNetworks = [] }: BannerParts): string[] {
  if (!isLoopbackAddress(config.listen.host)) return [];
  return Object.entries(config.networks).flatMap(([name, { builtin }]) =>
    builtin !== undefined || demoNetworks.includes(name) ? [name] : [],
  );
}

function describeKey(
  { keysPlace: [option, path, dataVariable] }: BannerParts,
  demo: readonly string[],
  all: number,
): string {
  if (demo.length === all) return 'demo';
  const variable =
    dataVariable === undefined ? '' : `PORTCULLIS_DATA_DIR=${quoteWord(resolve(dataVariable))} `;
  const create = `${variable}${findProgram()} keys create --name NAME ${option} ${quoteWord(path)}`;
  return demo.length === 0 ? create : `demo (${listNames(demo)}); other networks: ${create}`;
}

/** Quotes a path for a shell if it needs quotes. */
function quoteWord(path: string): string {
  return /^[\w./:@+-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

function listNames(names: readonly string[], defaultNetwork?: string): string {
  const shown = names
    .slice(0, MAX_NAMES)
    .map((name) => (name === defaultNetwork ? `${name} (default)` : name))
    .join(', ');
  const further = names.length - MAX_NAMES;
  return further > 0 ? `${shown}, and ${further} more` : shown;
}
