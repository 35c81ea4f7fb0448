import type { Config } from '../config/config.ts';
import { createLogger } from '../observe/logger.ts';
import type { ListenAddress } from '../server/lifecycle.ts';
import { closeOnSignal } from '../server/signals.ts';
import { composeService } from './compose.ts';

export type RunOptions = {
  /** Networks beside the built-in ones that the key `demo` opens. */
  readonly hasDemoKey?: (network: string) => boolean;
  /** Whether SIGHUP means to read files again; otherwise it ends the process, as when a terminal is closed. */
  readonly reloadsOnHangup?: boolean;
  /** Called once requests are answered. */
  readonly onReady: (address: ListenAddress) => void;
};

function describeListenError(error: NodeJS.ErrnoException, { listen }: Config): string {
  const where = `${listen.host}:${listen.port}`;
  if (error.code === 'EADDRINUSE')
    return `${where} is in use; choose another port with PORTCULLIS_PORT or listen.port`;
  if (error.code === 'EACCES') return `${where} may not be bound`;
  return error.message;
}

/** Serves a configuration until a signal ends it. @returns the exit code */
export async function runService(
  config: Config,
  { hasDemoKey, onReady, reloadsOnHangup }: RunOptions,
): Promise<number> {
  const log = createLogger(config.log.level);
  const service = await composeService(config, log, hasDemoKey);
  if (reloadsOnHangup === true) process.on('SIGHUP', () => service.server.reload());
  try {
    onReady(await service.server.listen());
  } catch (error) {
    await service.close();
    throw new Error(describeListenError(error as NodeJS.ErrnoException, config));
  }
  return closeOnSignal(() => service.close(), log);
}
