import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const LIMIT_MS = 20_000;
const PAUSE_MS = 50;

/**
 * Listens on the loopback interface and resolves to the port.
 * @param port 0 for any free port, or the port of an earlier listener: where the system has assigned that to a connection of another
 * program meanwhile, waits until the connection ends
 */
export async function listenOn(server: Server, port: number): Promise<number> {
  const end = performance.now() + LIMIT_MS;
  for (;;) {
    try {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
      return (server.address() as AddressInfo).port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || performance.now() > end) throw error;
      await sleep(PAUSE_MS);
    }
  }
}
