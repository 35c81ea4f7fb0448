import { readErrorCode } from '../util/system-error.ts';

/** Error: invalid command line, reported as a message and exit code 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** Whether an error is a `UsageError` or comes from Node's `parseArgs`. */
export function isUsageError(error: unknown): error is Error {
  if (error instanceof UsageError) return true;
  return readErrorCode(error)?.startsWith('ERR_PARSE_ARGS_') ?? false;
}

export const USAGE: string = `portcullis - a JSON-RPC gateway to blockchain nodes

portcullis [start] [--rollup FAMILY]  serve the built-in development networks
portcullis serve --config FILE        serve the networks of a configuration file
portcullis dev --genesis G --blocks B import a chain and serve it as the default network
portcullis import --genesis G --blocks B [--data DIR] [--verify full|header|none]
                                      import a chain, to be served later
portcullis keys create --name NAME    create an API key; it is shown once
portcullis keys list | revoke ID      manage API keys
portcullis doctor --config FILE       examine what the nodes of a configuration file support
portcullis prove METHOD [PARAMS] --network NAME
                                      answer a request with a bundle that proves the answer
portcullis verify FILE --hash HASH    check such a bundle against a block hash, offline
portcullis init [--mode MODE]         write a configuration file: dev, nodes, embedded or rollup
portcullis check-config FILE          check a configuration file
portcullis health [--config FILE]     check that the service on this machine is alive
portcullis help | --version

\`portcullis COMMAND --help\` describes a command.
`;
