import { createHash, createPrivateKey, X509Certificate } from 'node:crypto';
import { readRegularFile } from '../util/read-file.ts';
import { readErrorCode } from '../util/system-error.ts';
import type { TlsOptions } from './options.ts';

/** A certificate and its private key, read from their files. */
export type TlsPair = {
  readonly cert: string;
  readonly key: string;
  readonly validFrom: Date;
  readonly validTo: Date;
  /** SHA-256 of both files; shows whether the files have changed. */
  readonly digest: string;
};

/**
 * Reads a certificate and its key, and checks that they match. The validity period is not checked.
 * @throws Error with the option and the problem, never with contents of a file
 */
export function readTlsPair(files: TlsOptions): TlsPair {
  const cert = readPem('listen.tls.cert', files.cert);
  const key = readPem('listen.tls.key', files.key);
  const certificate = parse(
    'listen.tls.cert',
    'not a certificate in PEM form',
    () => new X509Certificate(cert),
  );
  const privateKey = parse('listen.tls.key', 'not a private key in PEM form without a passphrase', () =>
    createPrivateKey(key),
  );
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new Error('listen.tls.key: not the key of the certificate in listen.tls.cert');
  }
  return {
    cert,
    key,
    validFrom: new Date(certificate.validFrom),
    validTo: new Date(certificate.validTo),
    digest: createHash('sha256').update(`${cert}\n${key}`).digest('hex'),
  };
}

function readPem(option: string, file: string): string {
  try {
    return readRegularFile(file).toString('utf8');
  } catch (error) {
    const code = readErrorCode(error);
    if (code === undefined) throw new Error(`${option}: ${(error as Error).message}: ${file}`);
    throw new Error(`${option}: ${READ_ERRORS.get(code) ?? `cannot be read (${code})`}: ${file}`);
  }
}

const READ_ERRORS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'no such file'],
  ['EACCES', 'may not be read'],
  ['EISDIR', 'is a folder'],
]);

function parse<T>(option: string, problem: string, read: () => T): T {
  try {
    return read();
  } catch {
    throw new Error(`${option}: ${problem}`);
  }
}
