import { request } from 'node:http';
import type { Socket } from 'node:net';
import { parseArgs } from 'node:util';
import { createBuiltinConfig } from '../config/builtin-config.ts';
import { loadListenOptions } from '../config/load-config.ts';
import type { ListenOptions } from '../server/options.ts';
import { connectLocally } from '../util/local-connection.ts';
import { readErrorCode } from '../util/system-error.ts';

const HEALTH_USAGE = `portcullis health [--config FILE]

Requests /health/live from the service on this machine and prints \`live\`; exit code 0, or 1 with the reason. Its address and
its use of TLS are those of \`listen\` in the configuration file, or those of the built-in networks if there is none;
PORTCULLIS_HOST and PORTCULLIS_PORT override them. Nothing else in the file is read, and none of its secrets is needed.
Over TLS any certificate is accepted: a bad certificate is not a reason for a restart.
`;

/** Time limit from connecting to the response, milliseconds. */
const TIMEOUT_MS = 2_000;

/**
 * Runs `portcullis health`.
 * @returns the exit code
 * @throws ConfigError if the listener options are missing or invalid
 */
export async function runHealth(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: { config: { type: 'string', short: 'c' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help === true) {
    process.stdout.write(HEALTH_USAGE);
    return 0;
  }
  const listen =
    values.config === undefined
      ? createBuiltinConfig(process.env).listen
      : await loadListenOptions(values.config, process.env);
  const problem = await findProblem(listen);
  if (problem === undefined) process.stdout.write('live\n');
  else process.stderr.write(`portcullis: the service on port ${listen.port} is not alive: ${problem}\n`);
  return problem === undefined ? 0 : 1;
}

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
