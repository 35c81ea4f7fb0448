import { X509Certificate } from 'node:crypto';
import { readRegularFile } from './read-file.ts';

/**
 * The certificate that stands first in a PEM file, as the only one that is trusted: by its bytes, so that neither a name, nor a
 * date, nor its issuer matters. A file that has changed is believed, and so is what it had before, which a listener may
 * still show.
 */
export class CertificatePin {
  readonly #file: string;
  #last: Buffer | undefined;

  constructor(file: string) {
    this.#file = file;
    this.#last = this.#read();
  }

  /** @param shown in DER form */
  admits(shown: Buffer | undefined): boolean {
    if (shown === undefined) return false;
    const now = this.#read();
    if (now?.equals(shown)) {
      this.#last = now;
      return true;
    }
    return this.#last?.equals(shown) ?? false;
  }

  #read(): Buffer | undefined {
    try {
      return new X509Certificate(readRegularFile(this.#file)).raw;
    } catch {
      // Not there yet, half written, or no file: what it had before counts.
      return undefined;
    }
  }
}
