import { request } from 'node:http';
import type { Socket } from 'node:net';
import { createBuiltinConfig } from '../config/builtin-config.ts';
import { loadListenOptions } from '../config/load-config.ts';
import type { ListenOptions } from '../server/options.ts';
import { type Command, createCommand } from '../service/command.ts';
import { CONFIG_OPTION, LISTEN_VARIABLES } from '../service/common-help.ts';
import { connectLocally } from '../util/local-connection.ts';
import { readErrorCode } from '../util/system-error.ts';

/** Time limit from connecting to the response, milliseconds. */
const TIMEOUT_MS = 2_000;

/** `portcullis health`, which throws a ConfigError if the listener options are missing or invalid. */
export const healthCommand: Command = createCommand({
  name: 'health',
  about: `Checks that the service on this machine is alive.

    The command requests /health/live from the service and prints \`live\`, or the reason within 2 s. The address of the
    service and its use of TLS are those of \`listen\` in the configuration file, or those of the built-in networks if there is
    no file. Nothing else in the file is read, and none of its secrets is needed. Over TLS any certificate is accepted: a bad
    certificate is not a reason for a restart.`,
  options: { config: CONFIG_OPTION },
  environment: LISTEN_VARIABLES,
  examples: ['portcullis health --config portcullis.yaml'],
  exitCodes: { 0: 'the service is alive', 1: 'the service is not alive, with the reason on stderr' },
  async run({ config }) {
    const listen =
      config === undefined
        ? createBuiltinConfig(process.env).listen
        : await loadListenOptions(config, process.env);
    const problem = await findProblem(listen);
    if (problem === undefined) process.stdout.write('live\n');
    else process.stderr.write(`portcullis: the service on port ${listen.port} is not alive: ${problem}\n`);
    return problem === undefined ? 0 : 1;
  },
});

/** Any certificate is accepted, because no secret is sent. The certificate in the file may be newer than the one that the service has loaded. */
const admits = (): boolean => true;

async function findProblem({ host, port, tls }: ListenOptions): Promise<string | undefined> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const socket = await connectLocally({ host, port, ...(tls !== undefined && { admits }) }, signal);
    const status = await requestLive(socket, signal);
    return status === 200 ? undefined : `it answered with ${status}`;
  } catch (error) {
    if (signal.aborted) return `no answer in ${TIMEOUT_MS / 1_000} s`;
    return (error as Error).message || readErrorCode(error) || 'no answer';
  }
}

function requestLive(socket: Socket, signal: AbortSignal): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const requested = request({
      createConnection: () => socket,
      path: '/health/live',
      headers: { Host: 'localhost', Connection: 'close' },
      signal,
    });
    requested.once('response', (response) => {
      resolve(response.statusCode);
      socket.destroy();
    });
    requested.once('error', reject);
    requested.end();
  });
}
