import { connect, isIP, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { AbstractConnector } from 'iovalkey';
import type { RedisTarget } from './redis-url.ts';

/** Received bytes that are not yet part of a complete reply. If `unclaimedBytes` exceeds `limit`, the connection is closed. */
export type ReplyMeter = { unclaimedBytes: number; readonly limit: number };

type ConnectorClass = new (options: unknown) => AbstractConnector;

/**
 * Creates the connector class from which the client gets its sockets. The client's parser trusts its input. It buffers without bound, and throws out
 * of the socket's `data` event on malformed lengths or replies. With this connector, excessive or malformed replies close the connection instead of
 * ending the process.
 */
export function createConnectorClass(target: RedisTarget, meter: ReplyMeter): ConnectorClass {
  return class extends AbstractConnector {
    constructor() {
      super(0);
    }

    override async connect(): Promise<Socket> {
      this.connecting = true;
      meter.unclaimedBytes = 0;
      this.stream = openSocket(target);
      guardData(this.stream, meter);
      this.stream.once('error', (error) => {
        this.firstError = error;
      });
      return this.stream;
    }

    /** Closes immediately: callers that wait for a reply have already given up. */
    override disconnect(): void {
      this.connecting = false;
      this.stream?.destroy();
    }
  };
}

function openSocket({ host, port, tls }: RedisTarget): Socket {
  if (!tls) return connect({ host, port });
  return connectSecurely({ host, port, ...(isIP(host) === 0 && { servername: host }) });
}

function guardData(socket: Socket, meter: ReplyMeter): void {
  const { emit } = socket;
  socket.emit = (event: string | symbol, ...values: unknown[]): boolean => {
    if (event !== 'data') return Reflect.apply(emit, socket, [event, ...values]);
    meter.unclaimedBytes += (values[0] as Buffer).length;
    try {
      if (meter.unclaimedBytes <= meter.limit) return Reflect.apply(emit, socket, [event, ...values]);
    } catch {
      // The parser's error adds no information to the error passed to `destroy` below.
    }
    socket.destroy(new Error('the server sent replies that the protocol does not allow'));
    return true;
  };
}
