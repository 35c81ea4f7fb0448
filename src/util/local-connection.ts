import { connect, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';

/** A listener of this machine. */
export type LocalListener = {
  /** What it is bound to. */
  readonly host: string;
  readonly port: number;
  /** Present: it speaks TLS. Called with the certificate that is shown, in DER form; whether it is the right one. */
  readonly admits?: (certificate: Buffer | undefined) => boolean;
};

/** The listener speaks TLS, and is another service. */
export class WrongCertificateError extends Error {
  readonly code: string = 'ERR_WRONG_CERTIFICATE';

  constructor() {
    super('another certificate is shown than the configured one');
    this.name = 'WrongCertificateError';
  }
}

/** Listeners on every address take what comes to loopback. */
const ANY_ADDRESS: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);

/**
 * A connection to a listener of this machine, with the handshake done. Rejects with node's error, or with
 * WrongCertificateError before anything is sent.
 */
export function connectLocally({ host, port, admits }: LocalListener, signal: AbortSignal): Promise<Socket> {
  const target = { host: ANY_ADDRESS.get(host) ?? host, port };
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    // Names and signers are not asked: the certificate is for clients, and need not name this machine's address. `admits` knows
    // it by its bytes, and the handshake has proved that the peer has its key.
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
      const isRight = admits?.((socket as TLSSocket).getPeerX509Certificate()?.raw) ?? true;
      if (!isRight) {
        fail(new WrongCertificateError());
        return;
      }
      signal.removeEventListener('abort', abort);
      socket.removeListener('error', fail);
      resolve(socket);
    });
  });
}
