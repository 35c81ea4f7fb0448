/** Commands of the program, loaded on demand so that key administration does not load an engine. */
import type { Command } from '../service/command.ts';

export type CommandRow = {
  /** Command line in the list of commands. */
  readonly synopsis: string;
  readonly summary: string;
  /** Whether the command serves until it is stopped. */
  readonly isService?: true;
  load(): Promise<Command>;
};

export const COMMAND_TABLE: Readonly<Record<string, CommandRow>> = {
  start: {
    synopsis: 'start [OPTIONS]',
    summary: 'Serves the built-in development networks, with the key `demo`',
    isService: true,
    load: async () => (await import('./serve.ts')).startCommand,
  },
  examples: {
    synopsis: 'examples [--rollup FAMILY]',
    summary: 'Prints curl commands for `portcullis start`, which has to run when they are pasted',
    load: async () => (await import('./examples.ts')).examplesCommand,
  },
  dev: {
    synopsis: 'dev --genesis FILE --blocks FILE [OPTIONS]',
    summary: 'Imports a chain and serves it as the default network, with the key `demo`',
    isService: true,
    load: async () => (await import('./dev.ts')).devCommand,
  },
  serve: {
    synopsis: 'serve --config FILE [--strict]',
    summary: 'Serves the networks of a configuration file, until SIGINT or SIGTERM',
    isService: true,
    load: async () => (await import('./serve.ts')).serveCommand,
  },
  import: {
    synopsis: 'import --genesis FILE --blocks FILE [OPTIONS]',
    summary: 'Imports a chain into a store, which `portcullis serve` can serve',
    load: async () => (await import('./import.ts')).importCommand,
  },
  keys: {
    synopsis: 'keys SUBCOMMAND',
    summary: 'Manages API keys',
    load: async () => (await import('./keys.ts')).keysCommand,
  },
  init: {
    synopsis: 'init [OPTIONS]',
    summary: 'Writes a configuration file with comments, and prints the next commands',
    load: async () => (await import('./init.ts')).initCommand,
  },
  'check-config': {
    synopsis: 'check-config FILE',
    summary: 'Checks a configuration file',
    load: async () => (await import('./check-config.ts')).checkConfigCommand,
  },
  doctor: {
    synopsis: 'doctor --config FILE [OPTIONS]',
    summary: 'Examines what the nodes of a configuration file support',
    load: async () => (await import('./network-commands.ts')).doctorCommand,
  },
  spend: {
    synopsis: 'spend --config FILE [--format FORMAT]',
    summary: 'Prints the credits that calls to nodes with prices cost (upstreams[].credits)',
    load: async () => (await import('./spend.ts')).spendCommand,
  },
  usage: {
    synopsis: 'usage --config FILE [OPTIONS]',
    summary: 'Prints calls, refused calls and credits of clients by day, key, network and method',
    load: async () => (await import('./usage.ts')).usageCommand,
  },
  health: {
    synopsis: 'health [--config FILE]',
    summary: 'Checks that the service on this machine is alive',
    load: async () => (await import('./health.ts')).healthCommand,
  },
  prove: {
    synopsis: 'prove METHOD [PARAMS] --network NAME [OPTIONS]',
    summary: 'Answers a request with a bundle that proves the answer',
    load: async () => (await import('./network-commands.ts')).proveCommand,
  },
  verify: {
    synopsis: 'verify FILE --hash HASH [OPTIONS]',
    summary: 'Checks a bundle of `portcullis prove` against a block hash, offline',
    load: async () => (await import('./verify.ts')).verifyCommand,
  },
  mcp: {
    synopsis: 'mcp [OPTIONS]',
    summary: 'Serves tools for agents by the Model Context Protocol',
    isService: true,
    load: async () => (await import('./mcp.ts')).mcpCommand,
  },
  version: {
    synopsis: 'version',
    summary: 'Prints the version',
    load: async () => (await import('./version.ts')).versionCommand,
  },
};
