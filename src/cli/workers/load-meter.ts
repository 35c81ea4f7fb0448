import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import type { Server } from '../../server/lifecycle.ts';
import type { WorkerLoad } from './worker-load.ts';

/** Measures what this process has to do, from one reading to the next. */
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
