import { composeService } from '../../src/cli/compose.ts';
import { parseConfig } from '../../src/config/load-config.ts';
import { createLogger } from '../../src/observe/logger.ts';

export type RunningService = {
  /** `127.0.0.1:port` */
  readonly authority: string;
  readonly port: number;
  /** Error-level log lines so far. */
  readonly errors: readonly string[];
  close(): Promise<void>;
};

/** What `portcullis start` serves. */
export const BUILTIN_NETWORKS: Readonly<Record<string, unknown>> = {
  defaultNetwork: 'devnet',
  networks: {
    devnet: { builtin: 'devnet', hosts: ['devnet.localhost'] },
    rollup: {
      builtin: 'rollup',
      hosts: ['rollup.localhost'],
      rollup: {
        family: 'linea',
        prefix: 'linea',
        mode: 'sequencer',
        l1: 'devnet',
        messageService: '0x508ca82df566dcd1b0de8296e70a96332cd644ec',
      },
    },
  },
};

/** Serves a configuration (anything JSON) on a port that the system picks. */
export async function startService(config: Readonly<Record<string, unknown>>): Promise<RunningService> {
  const errors: string[] = [];
  const log = createLogger('error', { write: (line) => void errors.push(line) });
  const text = JSON.stringify({ listen: { host: '127.0.0.1', port: 0 }, ...config });
  const parsed = parseConfig(text, { name: 'test', folder: process.cwd(), environment: {} });
  const service = await composeService(parsed, log, () => true);
  const { port } = await service.server.listen();
  return { authority: `127.0.0.1:${port}`, port, errors, close: () => service.close() };
}
