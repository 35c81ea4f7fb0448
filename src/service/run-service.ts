import type { Config } from '../config/config.ts';
import { createLogger } from '../observe/logger.ts';
import type { ListenAddress } from '../server/lifecycle.ts';
import { closeOnSignal } from '../server/signals.ts';
import { type ConfigSource, makeConfig } from './config-source.ts';
import { requireFreePorts } from './free-ports.ts';
import { boundHeap } from './heap-settings.ts';
import { type OpenAdmin, openAdmin } from './open-admin.ts';
import { openAdminApi } from './open-admin-api.ts';
import { Reloader } from './reloader.ts';
import { openHost } from './service-host.ts';

/** Configuration and addresses of a service that accepts requests. */
export type Announcement = {
  readonly config: Config;
  /** Address of the status page; undefined if there is none. */
  readonly admin: ListenAddress | undefined;
};

export type RunOptions = {
  /** Networks that the key `demo` opens, besides the built-in networks. */
  readonly demoNetworks?: readonly string[];
  /** Whether a network that cannot be opened ends the process; by default the other networks are served without it. */
  readonly isStrict?: boolean;
  /** Called when requests are accepted. */
  readonly onReady: (address: ListenAddress, announcement: Announcement) => void;
};

/** Serves a configuration until a signal ends it. @returns the exit code */
export async function runService(
  configSource: ConfigSource,
  { demoNetworks = [], isStrict = false, onReady }: RunOptions,
): Promise<number> {
  const config = await makeConfig(configSource);
  await requireFreePorts(config, configSource.kind);
  const { level, format, perMinute } = config.log;
  const log = createLogger(level, { format, perMinute });
  const host = await openHost({ configSource, config, demoNetworks, isStrict, log });
  let admin: OpenAdmin | undefined;
  let reloader: Reloader | undefined;
  const close = async (): Promise<void> => {
    reloader?.stop();
    // The admin server shows the drain. It closes before the backends, because it reads from them.
    await host.drain();
    // A reload may wait for a worker that does not start, or for its networks, which only the drain ends.
    await reloader?.close();
    await admin?.server.close();
    await host.close();
  };
  try {
    const address = await host.listen();
    boundHeap();
    const { readStatus: status, readMetrics: metrics } = host;
    const api = await openAdminApi({
      findConfig: () => reloader?.running ?? config,
      host,
      reload: () => reloader?.reload(),
    });
    admin = await openAdmin({ config, service: address, status, metrics, api, log });
    // Without a configuration file, SIGHUP ends the process, for example when the terminal closes.
    if (configSource.kind === 'file') reloader = new Reloader(configSource, config, host, log);
    // Installed before the ready line is printed: a supervisor that reads the line may send a signal immediately.
    const closed = closeOnSignal(close, log);
    onReady(address, { config, admin: admin?.address });
    return await closed;
  } catch (error) {
    await close();
    throw error;
  }
}
