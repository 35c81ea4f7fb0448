import type { ReloadAnswer } from '../admin/api/api-sources.ts';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import type { Logger } from '../observe/logger.ts';
import { FileWatch } from '../util/file-watch.ts';
import { type ConfigSource, makeConfig, readConfigSource } from './config-source.ts';
import { checkReload, listChanges } from './reload-rules.ts';
import type { ServiceHost } from './service-host.ts';

/**
 * Reloads the configuration file when it changes, on SIGHUP, and on request of the Admin API. SIGHUP and a request reload even an unchanged file,
 * which opens networks that could not be opened before.
 */
export class Reloader {
  readonly #file: string;
  readonly #host: ServiceHost;
  readonly #log: Logger;
  readonly #watch: FileWatch;
  readonly #onHangup = (): void => void this.reload();
  #running: Config;
  /** Configuration text of the last reload, whether applied or rejected. The same text is tried again only if a signal requests a reload. */
  #text: string;
  #last: Promise<unknown> = Promise.resolve();
  #isStopped = false;

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

  /** Configuration in force. */
  get running(): Config {
    return this.#running;
  }

  /** Stops watching, and refuses reloads that have not begun. */
  stop(): void {
    this.#isStopped = true;
    this.#watch.close();
    process.removeListener('SIGHUP', this.#onHangup);
  }

  /** Stops, and waits for a running reload. The reload ends at the latest when the host has drained. */
  async close(): Promise<void> {
    this.stop();
    await this.#last;
  }

  /** Reloads the file and the TLS certificate, even if the file is unchanged. Never rejects. */
  reload(): Promise<ReloadAnswer> {
    this.#host.reloadCertificate();
    this.#watch.acknowledge();
    return this.#reload(true);
  }

  /** @param isRequested whether a signal or the operator requested the reload, which retries an unchanged file */
  #reload(isRequested: boolean): Promise<ReloadAnswer> {
    const done = this.#last.then(() => this.#tryReload(isRequested));
    this.#last = done;
    return done;
  }

  async #tryReload(isRequested: boolean): Promise<ReloadAnswer> {
    if (this.#isStopped) return { outcome: 'refused', problems: ['the service is stopping'] };
    try {
      const configSource = await readConfigSource(this.#file);
      if (configSource.kind !== 'file' || (configSource.text === this.#text && !isRequested))
        return { outcome: 'applied', changes: [] };
      this.#text = configSource.text;
      const next = await makeConfig(configSource);
      checkReload(this.#running, next);
      await this.#host.reload(configSource);
      const changes = listChanges(this.#running, next);
      this.#running = next;
      this.#log.info({ networks: Object.keys(next.networks) }, 'the new configuration is in force');
      return { outcome: 'applied', changes };
    } catch (error) {
      const problems = error instanceof ConfigError ? error.lines : [(error as Error).message];
      this.#log.error({ problems }, 'the new configuration cannot be used; the previous one stays in force');
      return { outcome: 'refused', problems };
    }
  }
}
