/** The program as a user starts it in front of nodes: configuration file, key, rates, metrics; all else at its default. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '../../../test/support/redis.ts';
import { awaitHead } from '../../upstream-service.ts';
import { pinTo, SERVER_CORE } from '../cpu.ts';
import { type StartOptions, startPortcullis } from '../portcullis.ts';
import type { Subject } from './subject.ts';

export type Program = Subject & {
  /** Fetches the text of `/metrics`. */
  readonly readMetrics: () => Promise<string>;
};

export type ProgramOptions = {
  readonly name: string;
  /** Main module of the program. */
  readonly main: string;
  readonly folder: string;
  /** URLs of the nodes; the network with one node uses the first. */
  readonly nodes: readonly string[];
  readonly hasEmbedded?: boolean;
  /** Settings of all networks. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Additional networks in front of the first node, by name; their settings override the common ones. */
  readonly further?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** URL of a Valkey or Redis server that stores shared limits and heights. */
  readonly shared?: string;
} & Pick<StartOptions, 'environment' | 'nodeArguments'>;

/** Limits so high that nothing is refused, while all requests are counted. */
const LIMITS = ['--rate', '1000000/1000000', '--daily-credits', '1000000000000'];
export const EMBEDDED_NETWORK = 'devnet';

export async function startProgram(options: ProgramOptions): Promise<Program> {
  const { name, main, folder, nodes, hasEmbedded = false, settings, further = {} } = options;
  const { environment, nodeArguments = [], shared } = options;
  const adminPort = await findFreePort();
  const network = (label: string, upstreams: readonly string[]): object => ({
    hosts: [`${label}.localhost`],
    upstreams,
    // Forwarding is measured, and the nodes here have made-up blocks.
    verify: 'off',
    ...settings,
  });
  const furtherRows = Object.entries(further).map(([label, own]) => [
    label,
    { ...network(label, nodes.slice(0, 1)), ...own },
  ]);
  mkdirSync(folder, { recursive: true });
  const config = join(folder, 'portcullis.yaml');
  const text = JSON.stringify({
    listen: { host: '127.0.0.1', port: 0 },
    dataDir: folder,
    admin: { host: '127.0.0.1', port: adminPort },
    ...(shared !== undefined && { access: { valkey: { url: shared, prefix: name.replaceAll(' ', '-') } } }),
    networks: {
      nodes1: network('nodes1', nodes.slice(0, 1)),
      ...(nodes.length > 1 && { nodes3: network('nodes3', nodes) }),
      ...Object.fromEntries(furtherRows),
      ...(hasEmbedded && { [EMBEDDED_NETWORK]: { hosts: ['devnet.localhost'], builtin: 'devnet' } }),
    },
  });
  writeFileSync(config, text);
  const keys = [main, 'keys', 'create', '--name', 'bench', '--config', config, ...LIMITS];
  const key = execFileSync(process.execPath, keys, { stdio: ['ignore', 'pipe', 'ignore'] })
    .toString()
    .trim();
  const server = await startPortcullis(['serve', '--config', config], {
    launcher: pinTo(SERVER_CORE),
    environment: { NODE_OPTIONS: '', ...environment },
    nodeArguments,
    program: main,
  });
  const { port, pid, stop } = server;
  await awaitHead(port, `/nodes1/v3/${key}`);
  if (nodes.length > 1) await awaitHead(port, `/nodes3/v3/${key}`);
  for (const label of Object.keys(further)) await awaitHead(port, `/${label}/v3/${key}`);
  return {
    name,
    pid,
    targetOf: ({ isWebSocket, upstreams, network = `nodes${upstreams}` }) => ({
      port,
      path: `/${network}/${isWebSocket ? 'ws/' : ''}v3/${key}`,
    }),
    stop,
    readMetrics: async () => (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text(),
  };
}
