import { X509Certificate } from 'node:crypto';
import { readRegularFile } from './read-file.ts';

/**
 * Trusts only the first certificate of a PEM file, which it compares by bytes. Name, dates and issuer of the certificate are not checked. After the
 * file has changed, a listener may still present the previous certificate. The previous certificate therefore remains trusted until the new one is
 * presented.
 */
export class CertificatePin {
  readonly #file: string;
  #last: Buffer | undefined;

  constructor(file: string) {
    this.#file = file;
    this.#last = this.#read();
  }

  /**
   * Whether a presented certificate is trusted.
   * @param shown presented certificate in DER form
   */
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
      // The file is missing, half written, or not a file. The previous certificate then remains trusted.
      return undefined;
    }
  }
}
