import type { Logger } from '../observe/logger.ts';
import { FileWatch } from '../util/file-watch.ts';
import type { TlsOptions } from './options.ts';
import { readTlsPair, type TlsPair } from './tls-files.ts';

const EXPIRY_WARNING_MS = 7 * 24 * 3_600_000;

export type TlsWatchParts = {
  readonly files: TlsOptions;
  readonly log: Logger;
  /** Called with a new certificate and key, and must activate them. */
  readonly onPair: (pair: TlsPair) => void;
};

/** Reloads the certificate when its files change. If the new files cannot be used, an error is logged, and the previous certificate stays active. */
export class TlsWatch {
  readonly #parts: TlsWatchParts;
  readonly #watch: FileWatch;
  #digest: string;
  #complaint: string | undefined;

  /** @param pair active certificate and key */
  constructor(pair: TlsPair, parts: TlsWatchParts) {
    this.#parts = parts;
    this.#digest = pair.digest;
    this.#warnOfDates(pair);
    this.#watch = new FileWatch([parts.files.cert, parts.files.key], () => this.reload());
  }

  /** Reads the files now, and activates the certificate if it has changed. */
  reload(): void {
    this.#watch.acknowledge();
    try {
      const pair = readTlsPair(this.#parts.files);
      this.#complaint = undefined;
      if (pair.digest === this.#digest) return;
      this.#parts.onPair(pair);
      this.#digest = pair.digest;
      this.#parts.log.info({ validTo: pair.validTo.toISOString() }, 'the TLS certificate was replaced');
      this.#warnOfDates(pair);
    } catch (error) {
      const reason = (error as Error).message;
      if (reason !== this.#complaint) {
        this.#parts.log.error(
          { reason },
          'the new TLS certificate cannot be used; the previous one stays in use',
        );
      }
      this.#complaint = reason;
    }
  }

  close(): void {
    this.#watch.close();
  }

  #warnOfDates({ validFrom, validTo }: TlsPair): void {
    const now = Date.now();
    const fields = { validFrom: validFrom.toISOString(), validTo: validTo.toISOString() };
    if (validTo.getTime() < now) this.#parts.log.warn(fields, 'the TLS certificate has expired');
    else if (validFrom.getTime() > now) this.#parts.log.warn(fields, 'the TLS certificate is not valid yet');
    else if (validTo.getTime() - now < EXPIRY_WARNING_MS) {
      this.#parts.log.warn(fields, 'the TLS certificate expires soon');
    }
  }
}
