import type { Config } from '../config/config.ts';
import { createLogger } from '../observe/logger.ts';
import type { ListenAddress } from '../server/lifecycle.ts';
import { closeOnSignal } from '../server/signals.ts';
import { boundHeap } from './heap-settings.ts';
import { type OpenAdmin, openAdmin } from './open-admin.ts';
import { makeConfig, type Recipe } from './recipe.ts';
import { Reloader } from './reloader.ts';
import { openHost } from './service-host.ts';

/** What a service that answers requests can be called by. */
export type Announcement = {
  readonly config: Config;
  /** Where the status page is, if anywhere. */
  readonly admin: ListenAddress | undefined;
};

export type RunOptions = {
  /** Networks beside the built-in ones that the key `demo` opens. */
  readonly demoNetworks?: readonly string[];
  /** Whether a network that cannot be opened ends the process; by default the others are served without it. */
  readonly isStrict?: boolean;
  /** Called once requests are answered. */
  readonly onReady: (address: ListenAddress, announcement: Announcement) => void;
};

/** Serves a configuration until a signal ends it. @returns the exit code */
export async function runService(
  recipe: Recipe,
  { demoNetworks = [], isStrict = false, onReady }: RunOptions,
): Promise<number> {
  const config = await makeConfig(recipe);
  const log = createLogger(config.log.level, { perMinute: config.log.perMinute });
  const host = await openHost({ recipe, config, demoNetworks, isStrict, log });
  let admin: OpenAdmin | undefined;
  let reloader: Reloader | undefined;
  const close = async (): Promise<void> => {
    await reloader?.close();
    // First: it looks at what is closed next.
    await admin?.server.close();
    await host.close();
  };
  try {
    const address = await host.listen();
    boundHeap();
    const { readStatus: status, readMetrics: metrics } = host;
    admin = await openAdmin({ config, service: address, status, metrics, log });
    // Without a file SIGHUP ends the process, as when a terminal is closed.
    if (recipe.kind === 'file') reloader = new Reloader(recipe, config, host, log);
    // Before the ready line: a supervisor may send a signal as soon as it has read it.
    const closed = closeOnSignal(close, log);
    onReady(address, { config, admin: admin?.address });
    return await closed;
  } catch (error) {
    await close();
    throw error;
  }
}
