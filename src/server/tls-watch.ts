import { type FSWatcher, watch } from 'node:fs';
import { dirname } from 'node:path';
import type { Logger } from '../observe/logger.ts';
import type { TlsOptions } from './options.ts';
import { readTlsPair, stampTlsFiles, type TlsPair } from './tls-files.ts';

/** Files are written one after the other: how long after the last of them they are read. */
const SETTLE_MS = 200;
/** Where a file system tells nothing (network drives, some container volumes), and for links in the middle of a path. */
const POLL_MS = 10_000;
const EXPIRY_WARNING_MS = 7 * 24 * 3_600_000;

export type TlsWatchParts = {
  readonly files: TlsOptions;
  readonly log: Logger;
  /** Takes a new pair into use. */
  readonly onPair: (pair: TlsPair) => void;
};

/** Reads the certificate again when its files change. A pair that cannot be used is logged, and the one before it stays. */
export class TlsWatch {
  readonly #parts: TlsWatchParts;
  readonly #watchers: FSWatcher[] = [];
  readonly #poll: NodeJS.Timeout;
  #settling: NodeJS.Timeout | undefined;
  #stamp: string;
  #digest: string;
  #complaint: string | undefined;

  /** @param pair in use */
  constructor(pair: TlsPair, parts: TlsWatchParts) {
    this.#parts = parts;
    this.#digest = pair.digest;
    this.#stamp = stampTlsFiles(parts.files);
    this.#warnOfDates(pair);
    this.#poll = setInterval(() => this.#look(), POLL_MS);
    this.#poll.unref();
    for (const folder of new Set([parts.files.cert, parts.files.key].map((file) => dirname(file)))) {
      this.#watchFolder(folder);
    }
  }

  /** Reads the files now. */
  reload(): void {
    clearTimeout(this.#settling);
    this.#settling = undefined;
    this.#stamp = stampTlsFiles(this.#parts.files);
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
        this.#parts.log.error({ reason }, 'the new TLS certificate cannot be used; the one before it stays');
      }
      this.#complaint = reason;
    }
  }

  close(): void {
    clearInterval(this.#poll);
    clearTimeout(this.#settling);
    for (const watcher of this.#watchers) watcher.close();
  }

  /** A folder, not a file: what replaces a file, or a link to it, is another one. */
  #watchFolder(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, () => this.#settle());
      watcher.on('error', () => watcher.close());
      this.#watchers.push(watcher);
    } catch {
      // There are no watches left, or the file system has none: the poll sees it.
    }
  }

  #settle(): void {
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => this.#look(), SETTLE_MS);
    this.#settling.unref();
  }

  #look(): void {
    if (stampTlsFiles(this.#parts.files) !== this.#stamp) this.reload();
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
