import { X509Certificate } from 'node:crypto';
import { readRegularFile } from './read-file.ts';

/**
 * Trusts only the first certificate of a PEM file, by its bytes: neither name, date nor issuer matter. After a
 * change of the file, the previous certificate remains trusted until the new one is presented, since a listener may
 * still present it.
 */
export class CertificatePin {
  readonly #file: string;
  #last: Buffer | undefined;

  constructor(file: string) {
    this.#file = file;
    this.#last = this.#read();
  }

  /** @param shown presented certificate in DER form */
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
      // The file is missing, half written, or not a file: the previous certificate counts.
      return undefined;
    }
  }
}
