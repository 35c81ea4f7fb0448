import { isLoopbackAddress } from '../admin/loopback.ts';
import { createBuiltinConfig } from '../config/builtin-config.ts';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load-config.ts';
import { type GatewayNetworks, isKey, parseGatewayUrl } from '../mcp/gateway-url.ts';
import { HttpMcpServer, MCP_PATH } from '../mcp/serve-http.ts';
import { serveStdio } from '../mcp/serve-stdio.ts';
import { listTools } from '../mcp/tools.ts';
import { createLogger } from '../observe/logger.ts';
import { formatUrl } from '../server/listen-url.ts';
import { type Command, createCommand } from '../service/command.ts';
import { composeService } from '../service/compose.ts';
import { StopSignals } from '../service/stop-signals.ts';
import { UsageError } from '../service/usage.ts';
import { readVersion } from '../service/version.ts';
import { describeSystemError } from '../util/system-error.ts';

const DEMO_KEY = 'demo';
const LISTEN = /^(?:(.*):)?(\d{1,5})$/;
const MAX_PORT = 65_535;

/** Gateway, with the key of this process if there is one. */
type OpenGateway = {
  readonly gateway: GatewayNetworks;
  readonly key: string | undefined;
  close(): Promise<void>;
};

/** `portcullis mcp` */
export const mcpCommand: Command = createCommand({
  name: 'mcp',
  about: `Serves tools for agents by the Model Context Protocol.

    The tools are calls by signature, decoded logs and transactions, simulations, proofs, reasons of reverts, fees. The protocol is
    spoken over stdin and stdout, or with --listen over HTTP.

    Without --url, the gateway in this process listens on a free port of 127.0.0.1, and keys, limits and prices hold as in serve. The key
    is PORTCULLIS_KEY, or \`demo\` for the built-in networks.`,
  options: {
    url: {
      value: 'URL',
      about: 'a running gateway: http://127.0.0.1:8545/devnet/v3/KEY, or with {network} in the path',
    },
    network: { value: 'NAMES', about: 'networks of a URL with {network}, separated by commas' },
    config: {
      value: 'FILE',
      short: 'c',
      about: 'serve the networks of a configuration file in this process',
    },
    listen: {
      value: '[HOST:]PORT',
      about: `serve Streamable HTTP at ${MCP_PATH} of a loopback address; each client sends its key: Authorization: Bearer KEY`,
    },
    'allow-sending': { about: 'let the tool `rpc` send signed transactions' },
  },
  environment: { PORTCULLIS_KEY: 'key of the gateway, instead of the key in --url' },
  examples: [
    'portcullis mcp',
    "PORTCULLIS_KEY=... portcullis mcp --url 'http://127.0.0.1:8545/{network}/v3' --network mainnet,base",
    'portcullis mcp --config portcullis.yaml --listen 3000',
  ],
  async run({ url, network, config, listen: place, 'allow-sending': allowsSending }) {
    const networks = network?.split(',') ?? [];
    if (url !== undefined && config !== undefined)
      throw new UsageError('mcp takes --url or --config, not both');
    if (url === undefined && networks.length > 0) throw new UsageError('--network needs --url');
    const listen = place === undefined ? undefined : parseListen(place);
    const { gateway, key, close } =
      url === undefined ? await openGateway(config) : connectGateway(url, networks, listen !== undefined);
    const signals = new StopSignals();
    const parts = { gateway, tools: listTools(allowsSending), version: readVersion(), allowsSending };
    try {
      if (listen === undefined) await serveStdio({ ...parts, key: requireKey(key) }, signals.stop);
      else await serveHttp(new HttpMcpServer(parts), listen, signals.stop);
      return 0;
    } finally {
      signals.close();
      await close();
    }
  },
});

type ListenAddress = { readonly host: string; readonly port: number };

/** @throws UsageError if the address is not a loopback address */
function parseListen(text: string): ListenAddress {
  const [, host = '127.0.0.1', port] = LISTEN.exec(text) ?? [];
  if (port === undefined || Number(port) > MAX_PORT)
    throw new UsageError(`--listen cannot be ${JSON.stringify(text)}: expected PORT or HOST:PORT`);
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  if (!isLoopbackAddress(bare))
    throw new UsageError(
      '--listen takes a loopback address: put a proxy with TLS in front of it for clients of other machines',
    );
  return { host: bare, port: Number(port) };
}

/** @throws UsageError for an unusable URL; the message does not contain it */
function connectGateway(url: string, networks: readonly string[], isListening: boolean): OpenGateway {
  const { gateway, key } = parseUrl(url, networks);
  if (isListening && key !== undefined)
    throw new UsageError('with --listen each client sends its own key: leave the key out of --url');
  return { gateway, key: key ?? readOwnKey(), close: async () => {} };
}

function parseUrl(url: string, networks: readonly string[]): ReturnType<typeof parseGatewayUrl> {
  try {
    return parseGatewayUrl(url, networks);
  } catch (error) {
    throw new UsageError(`--url: ${(error as Error).message}`);
  }
}

/** @throws UsageError if PORTCULLIS_KEY cannot be a key */
function readOwnKey(): string | undefined {
  const key = process.env['PORTCULLIS_KEY'];
  if (key === undefined || key === '') return undefined;
  if (!isKey(key)) throw new UsageError('PORTCULLIS_KEY is not a key');
  return key;
}

/** @throws UsageError if there is no key */
function requireKey(key: string | undefined): string {
  if (key === undefined)
    throw new UsageError('there is no key: set PORTCULLIS_KEY, or end the URL with /v3/<key>');
  return key;
}

/**
 * Starts a gateway in this process, on a free port of the loopback address.
 * @param file configuration; the built-in networks if it is undefined
 */
async function openGateway(file: string | undefined): Promise<OpenGateway> {
  const config = file === undefined ? createBuiltinConfig(process.env) : await loadConfig(file, process.env);
  const key = readOwnKey();
  const others = Object.entries(config.networks).filter(([, { builtin }]) => builtin === undefined);
  if (key === undefined && others.length > 0)
    throw new UsageError(
      `the key demo does not open ${others[0]?.[0]}: run portcullis keys create --name mcp --config ${file}, and set PORTCULLIS_KEY`,
    );
  const log = createLogger(config.log.level, { perMinute: config.log.perMinute });
  const service = await composeService(toLocal(config), log);
  const { host, port } = await service.server.listen();
  const base = formatUrl({ host, port }, 'http', '/{network}/v3');
  const { gateway } = parseGatewayUrl(base, Object.keys(config.networks));
  return { gateway, key: key ?? DEMO_KEY, close: () => service.close() };
}

/** Returns the configuration of a gateway that only this process uses. */
function toLocal({ listen: { tls: _, ...listen }, limits, ...config }: Config): Config {
  return {
    ...config,
    // No load balancer sends requests to this gateway.
    limits: { ...limits, drainDelay: 0 },
    listen: { ...listen, host: '127.0.0.1', port: 0 },
    admin: false,
  };
}

async function serveHttp(
  server: HttpMcpServer,
  { host, port }: ListenAddress,
  stop: AbortSignal,
): Promise<void> {
  const address = await server.listen(host, port).catch((error: unknown) => {
    throw new Error(`cannot listen on ${host}:${port}: ${describeSystemError(error)}`);
  });
  process.stdout.write(
    `Portcullis serves MCP at ${formatUrl({ host, port: address.port }, 'http', MCP_PATH)}\n` +
      '  Each client sends its key: Authorization: Bearer <key>\n',
  );
  await new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve(), { once: true }));
  await server.close();
}
