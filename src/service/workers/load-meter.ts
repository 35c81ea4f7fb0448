import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import type { Server } from '../../server/lifecycle.ts';
import type { WorkerLoad } from './worker-load.ts';

/** Measures the load of this process between two reads. */
export class LoadMeter {
  readonly #server: Server;
  #last: EventLoopUtilization = performance.eventLoopUtilization();

  constructor(server: Server) {
    this.#server = server;
  }

  read(): WorkerLoad {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, this.#last);
    this.#last = now;
    const { connections, webSockets } = this.#server;
    return { utilization, connections: connections - webSockets };
  }
}
