import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

/** A TCP server that follows no protocol but its script's. */
export type RogueServer = {
  readonly port: number;
  /** Connections so far. */
  readonly connections: number;
  close(): Promise<void>;
};

/** `serve` is called with each connection. */
export async function startRogueServer(serve: (socket: Socket) => void): Promise<RogueServer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // Whatever happens to the connection is the other side's doing.
    socket.on('error', () => {});
    serve(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    get connections() {
      return connections;
    },
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
