import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import type { Logger } from '../observe/logger.ts';
import { FileWatch } from '../util/file-watch.ts';
import { type ConfigSource, makeConfig, readConfigSource } from './config-source.ts';
import { checkReload } from './reload-rules.ts';
import type { ServiceHost } from './service-host.ts';

/**
 * Reloads the configuration file when it changes, and on SIGHUP. SIGHUP reloads an unchanged file too, so that networks that could not be opened are
 * tried again.
 */
export class Reloader {
  readonly #file: string;
  readonly #host: ServiceHost;
  readonly #log: Logger;
  readonly #watch: FileWatch;
  readonly #onHangup = (): void => {
    this.#host.reloadCertificate();
    this.#watch.acknowledge();
    void this.#reload(true);
  };
  #running: Config;
  /** Configuration text of the last reload, whether applied or rejected. The same text is tried again only if a signal requests a reload. */
  #text: string;
  #last: Promise<void> = Promise.resolve();

  constructor(
    configSource: Extract<ConfigSource, { kind: 'file' }>,
    running: Config,
    host: ServiceHost,
    log: Logger,
  ) {
    this.#file = configSource.file;
    this.#text = configSource.text;
    this.#running = running;
    this.#host = host;
    // The outcome of every reload is logged, regardless of the rate limit on log lines.
    this.#log = log.everyLine ?? log;
    this.#watch = new FileWatch([configSource.file], () => void this.#reload(false));
    process.on('SIGHUP', this.#onHangup);
  }

  /** Stops watching, and waits for a running reload. */
  async close(): Promise<void> {
    this.#watch.close();
    process.removeListener('SIGHUP', this.#onHangup);
    await this.#last;
  }

  /** @param isRequested whether a signal requested the reload, which retries an unchanged file */
  #reload(isRequested: boolean): Promise<void> {
    this.#last = this.#last.then(() => this.#tryReload(isRequested));
    return this.#last;
  }

  async #tryReload(isRequested: boolean): Promise<void> {
    try {
      const configSource = await readConfigSource(this.#file);
      if (configSource.kind !== 'file' || (configSource.text === this.#text && !isRequested)) return;
      this.#text = configSource.text;
      const next = await makeConfig(configSource);
      checkReload(this.#running, next);
      await this.#host.reload(configSource);
      this.#running = next;
      this.#log.info({ networks: Object.keys(next.networks) }, 'the new configuration is in force');
    } catch (error) {
      const problems = error instanceof ConfigError ? error.lines : [(error as Error).message];
      this.#log.error({ problems }, 'the new configuration cannot be used; the previous one stays in force');
    }
  }
}
