import { parseConfig } from '../../src/config/load-config.ts';
import { createLogger } from '../../src/observe/logger.ts';
import type { LogLevel } from '../../src/observe/options.ts';
import { composeService, type Service } from '../../src/service/compose.ts';
import { placeBuiltinStores } from './builtin-stores.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

export type RunningService = {
  /** `127.0.0.1:port` */
  readonly authority: string;
  readonly port: number;
  /** Log lines so far, of level `error` by default. */
  readonly errors: readonly string[];
  readonly service: Service;
  close(): Promise<void>;
};

/** Serves a configuration (any JSON) on a port that the system picks, with these parts instead of the usual ones. */
export async function startService(
  config: Readonly<Record<string, unknown>>,
  level: LogLevel = 'error',
  parts: Parameters<typeof composeService>[2] = {},
): Promise<RunningService> {
  const errors: string[] = [];
  const log = createLogger(level, { sink: { write: (line) => void errors.push(line) } });
  const text = JSON.stringify({ listen: { host: '127.0.0.1', port: 0 }, admin: false, ...config });
  const parsed = parseConfig(text, { name: 'test', folder: process.cwd(), environment: {} });
  // Records of sent transactions outlive a service: those of another test would change pending counts here.
  const folder =
    config['dataDir'] === undefined && config['networks'] !== undefined ? makeTemporaryFolder() : undefined;
  const placed = folder === undefined ? parsed : { ...parsed, dataDir: folder.path };
  await placeBuiltinStores(placed.dataDir, config);
  const service = await composeService(placed, log, { hasDemoKey: () => true, ...parts });
  const { port } = await service.server.listen();
  const close = async (): Promise<void> => {
    await service.close();
    folder?.remove();
  };
  return { authority: `127.0.0.1:${port}`, port, errors, service, close };
}
