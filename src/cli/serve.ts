import { ROLLUP_STYLES } from '../config/builtin-config.ts';
import { type Command, createCommand } from '../service/command.ts';
import {
  DEFAULT_PORT,
  FILE_VARIABLES,
  PORT_OPTION,
  REQUIRED_CONFIG_OPTION,
  SERVICE_EXIT_CODES,
  SERVICE_VARIABLES,
} from '../service/common-help.ts';
import { readConfigSource } from '../service/config-source.ts';
import { runService } from '../service/run-service.ts';
import { formatBanner } from './banner.ts';
import { findProgram } from './program-name.ts';

/** `portcullis start`, and `portcullis` without a command */
export const startCommand: Command = createCommand({
  name: 'start',
  about: `Serves the built-in development networks, with the key \`demo\`. \`portcullis\` without a command is the same.

    The networks are a layer 1 (devnet) and a rollup with the prices of Linea or of the OP Stack, on 127.0.0.1:${DEFAULT_PORT}.
    \`portcullis examples\` prints requests.`,
  options: {
    port: PORT_OPTION,
    rollup: { value: 'FAMILY', choices: ROLLUP_STYLES, default: 'linea', about: 'family of the rollup' },
  },
  environment: SERVICE_VARIABLES,
  examples: ['portcullis', 'portcullis start --port 9000 --rollup op-stack'],
  exitCodes: SERVICE_EXIT_CODES,
  run: ({ rollup: style, port }) =>
    runService(
      { kind: 'builtin', style, ...(port !== undefined && { port }) },
      {
        onReady: (address, { config, admin }) => {
          const variable = address.port === DEFAULT_PORT ? '' : `PORTCULLIS_PORT=${address.port} `;
          const more = `${variable}${findProgram()} examples${style === 'linea' ? '' : ` --rollup ${style}`}`;
          const title = `Portcullis listens on ${address.host}:${address.port}`;
          const keysPlace = ['--data', config.dataDir] as const;
          process.stdout.write(formatBanner({ title, config, address, admin, keysPlace, more }));
        },
      },
    ),
});

/** `portcullis serve` */
export const serveCommand: Command = createCommand({
  name: 'serve',
  about: `Serves the networks of a configuration file, until SIGINT or SIGTERM.

    On SIGHUP, and when the file has changed, the new configuration takes effect if it is valid; so does a new TLS certificate.

    The port opens whether nodes answer or not. A network that cannot be opened (for example, without a store in its folder) is
    named in the log, and the others are served without it.`,
  options: {
    config: REQUIRED_CONFIG_OPTION,
    strict: { about: 'a network that cannot be opened ends the process' },
  },
  environment: { ...SERVICE_VARIABLES, ...FILE_VARIABLES },
  examples: ['portcullis serve --config portcullis.yaml'],
  exitCodes: SERVICE_EXIT_CODES,
  run: async ({ config: file, strict }) =>
    runService(await readConfigSource(file), {
      isStrict: strict,
      onReady: (address, { config, admin }) => {
        const title = `Portcullis listens on ${address.host}:${address.port}`;
        const folder = config.access.valkey === undefined ? process.env['PORTCULLIS_DATA_DIR'] : undefined;
        const keysPlace = folder ? (['--config', file, folder] as const) : (['--config', file] as const);
        process.stdout.write(formatBanner({ title, config, address, admin, keysPlace }));
      },
    }),
});
