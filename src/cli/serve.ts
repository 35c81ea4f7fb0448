import { parseArgs } from 'node:util';
import { ROLLUP_STYLES } from '../config/builtin-config.ts';
import type { Config } from '../config/config.ts';
import type { ListenAddress } from '../server/lifecycle.ts';
import { formatUrl } from '../server/listen-url.ts';
import { readConfigSource } from '../service/config-source.ts';
import { readChoice, requireOption } from '../service/option-values.ts';
import { runService } from '../service/run-service.ts';
import { buildCurlLines } from './curl-lines.ts';

export const SERVE_USAGE: string = `portcullis serve --config FILE [--strict]

Serves the networks of a configuration file until SIGINT or SIGTERM. On SIGHUP, and when the file has
changed, the new configuration takes effect if it is valid; so does a new TLS certificate.

The port opens whether nodes answer or not. A network that cannot be opened (for example, without a store in its folder)
is named in the log, and the others are served without it.

  --strict   a network that cannot be opened ends the process

Environment variables override the file: PORTCULLIS_HOST and PORTCULLIS_PORT (listen), PORTCULLIS_ADMIN_PORT (admin.port; off
disables it), PORTCULLIS_DATA_DIR (dataDir).
`;

const START_USAGE = `portcullis [start] [--rollup linea|op-stack]

Serves the built-in development networks on 127.0.0.1:8545, with the key \`demo\`: a layer 1 and a rollup with
the prices of Linea (default) or of the OP Stack. Environment: PORTCULLIS_HOST,
PORTCULLIS_PORT, PORTCULLIS_ADMIN_PORT (status page; off disables it), PORTCULLIS_DATA_DIR (default .portcullis in the working folder).
`;

function announce(config: Config, address: ListenAddress, admin: ListenAddress | undefined): void {
  const lines = [`Portcullis listens on ${address.host}:${address.port}`];
  for (const [name, { hosts }] of Object.entries(config.networks)) {
    const isDefault = name === config.defaultNetwork ? ' (and every other host name)' : '';
    lines.push(`  ${name}: ${hosts.length === 0 ? 'by path' : hosts.join(', ')}${isDefault}`);
  }
  const [http, ws] =
    config.listen.tls === undefined ? (['http', 'ws'] as const) : (['https', 'wss'] as const);
  lines.push(`  HTTP:      POST ${formatUrl(address, http, '/<network>/v3/<API_KEY>')}`);
  lines.push(`  WebSocket: ${formatUrl(address, ws, '/<network>/ws/v3/<API_KEY>')}`);
  lines.push('  Without a network in the path, the Host header selects it.');
  if (admin !== undefined) lines.push(`  Status:    ${formatUrl(admin, 'http', '/status')}`);
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** Serves the built-in networks, for `portcullis start` and for `portcullis` without a command. @returns the exit code */
export async function runStart(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: { rollup: { type: 'string', default: 'linea' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help === true) {
    process.stdout.write(START_USAGE);
    return 0;
  }
  const style = readChoice('rollup', values.rollup, ROLLUP_STYLES);
  return runService(
    { kind: 'builtin', style },
    {
      onReady: (address, { config, admin }) => {
        announce(config, address, admin);
        process.stdout.write(
          `\nThe key is \`demo\`. Try:\n\n${buildCurlLines(address, style).join('\n\n')}\n`,
        );
      },
    },
  );
}

/** Runs `portcullis serve`. @returns the exit code */
export async function runServe(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      config: { type: 'string', short: 'c' },
      strict: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true) {
    process.stdout.write(SERVE_USAGE);
    return 0;
  }
  const config = requireOption('serve', 'config', values.config);
  return runService(await readConfigSource(config), {
    isStrict: values.strict,
    onReady: (address, { config, admin }) => announce(config, address, admin),
  });
}
