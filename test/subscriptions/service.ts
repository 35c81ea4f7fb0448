/** The program's configuration. */
import { Program } from '../support/program.ts';

export type NodeKind = 'geth' | 'scripted';

const WORKERS = 2;
const CHAIN_ID = 1337;

/** @param order the nodes are turned round by it */
export function networkOf(urls: readonly string[], genesisHash: string, order: number): object {
  const by = order % urls.length;
  return {
    workers: WORKERS,
    log: { level: 'warn' },
    defaultNetwork: 'chaos',
    networks: {
      chaos: {
        hosts: ['chaos.localhost'],
        upstreams: [...urls.slice(by), ...urls.slice(0, by)],
        pool: { chainId: CHAIN_ID, genesisHash },
      },
    },
  };
}

/** The program over a configuration, with a key. @returns it, not started, and the path that requests go to */
export async function createService(
  config: object,
): Promise<{ readonly program: Program; readonly path: string }> {
  const program = new Program(config as Record<string, unknown>);
  const { key } = await program.createKey();
  return { program, path: `/v3/${key}` };
}
