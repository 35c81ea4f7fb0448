import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

/** A TCP server that follows a script instead of a protocol. */
export type RogueServer = {
  readonly port: number;
  /** Number of connections so far. */
  readonly connections: number;
  close(): Promise<void>;
};

/** Starts the server. @param serve called with each connection */
export async function startRogueServer(serve: (socket: Socket) => void): Promise<RogueServer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // Errors of the connection are caused by the other side.
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
