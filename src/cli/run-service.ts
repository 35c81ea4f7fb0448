import type { Config } from '../config/config.ts';
import { createLogger } from '../observe/logger.ts';
import type { ListenAddress } from '../server/lifecycle.ts';
import { closeOnSignal } from '../server/signals.ts';
import { makeConfig, type Recipe } from './recipe.ts';
import { Reloader } from './reloader.ts';
import { openHost } from './service-host.ts';

export type RunOptions = {
  /** Networks beside the built-in ones that the key `demo` opens. */
  readonly demoNetworks?: readonly string[];
  /** Called once requests are answered. */
  readonly onReady: (address: ListenAddress, config: Config) => void;
};

/** Serves a configuration until a signal ends it. @returns the exit code */
export async function runService(
  recipe: Recipe,
  { demoNetworks = [], onReady }: RunOptions,
): Promise<number> {
  const config = await makeConfig(recipe);
  const log = createLogger(config.log.level);
  const host = await openHost({ recipe, config, demoNetworks, log });
  let reloader: Reloader | undefined;
  try {
    const address = await host.listen();
    // Without a file SIGHUP ends the process, as when a terminal is closed.
    if (recipe.kind === 'file') reloader = new Reloader(recipe, config, host, log);
    onReady(address, config);
  } catch (error) {
    await host.close();
    throw error;
  }
  return closeOnSignal(async () => {
    await reloader?.close();
    await host.close();
  }, log);
}
