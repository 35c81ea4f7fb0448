import { connect, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';

/** Address and certificate of a listener on this machine. */
export type LocalListener = {
  /** Address that the listener is bound to. */
  readonly host: string;
  readonly port: number;
  /** Whether a presented certificate, in DER form, is the expected one. If `admits` is present, the listener speaks TLS. */
  readonly admits?: (certificate: Buffer | undefined) => boolean;
};

/** The listener presents a certificate other than the expected one, so it is another service. */
export class WrongCertificateError extends Error {
  readonly code: string = 'ERR_WRONG_CERTIFICATE';

  constructor() {
    super('the service presents a certificate other than the configured one');
    this.name = 'WrongCertificateError';
  }
}

/** Map from a wildcard address to the loopback address under which its listener can be reached. */
const ANY_ADDRESS: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);

/**
 * Connects to a listener on this machine, and completes the handshake.
 * @throws (by rejection) node's error, or WrongCertificateError before anything is sent
 */
export function connectLocally({ host, port, admits }: LocalListener, signal: AbortSignal): Promise<Socket> {
  const target = { host: ANY_ADDRESS.get(host) ?? host, port };
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    // Name and issuer of the certificate are not checked. The certificate is for the host name that clients use, and need not name this machine's
    // address. `admits` identifies the certificate by its bytes, and the handshake proves that the peer has its key.
    const socket =
      admits === undefined
        ? connect(target)
        : connectTls({ ...target, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });
    const fail = (error: Error): void => {
      signal.removeEventListener('abort', abort);
      socket.destroy();
      reject(error);
    };
    const abort = (): void => fail(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    socket.once('error', fail);
    socket.once(admits === undefined ? 'connect' : 'secureConnect', () => {
      const isCorrect = admits?.((socket as TLSSocket).getPeerX509Certificate()?.raw) ?? true;
      if (!isCorrect) {
        fail(new WrongCertificateError());
        return;
      }
      signal.removeEventListener('abort', abort);
      socket.removeListener('error', fail);
      resolve(socket);
    });
  });
}
