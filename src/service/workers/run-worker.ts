import cluster from 'node:cluster';
import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { ConfigError } from '../../config/config-error.ts';
import { createLogger } from '../../observe/logger.ts';
import type { Server } from '../../server/lifecycle.ts';
import { composeService, type Service } from '../compose.ts';
import { makeConfig } from '../config-source.ts';
import { boundHeap } from '../heap-settings.ts';
import { describeListenError } from '../listen-error.ts';
import { UsageError } from '../usage.ts';
import type { FromWorker, Request, ToWorker, WorkerAnswer } from './messages.ts';
import type { WorkerLoad } from './worker-load.ts';

/** Measures the load of this process since the previous measurement. */
class LoadMeter {
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

/** Runs `portcullis worker`, which only the primary starts. @returns the exit code */
export async function runWorker(): Promise<number> {
  if (!cluster.isWorker || process.send === undefined) {
    throw new UsageError('workers are started by the service itself: set workers in its configuration');
  }
  // A terminal sends signals to the whole process group; the primary decides when to stop.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  const task = receive('serve');
  const stop = stopped();
  void send({ say: 'hello' });
  const { configSource, workers, demoNetworks, isStrict, cordons } = await task;
  let service: Service;
  try {
    const config = await makeConfig(configSource);
    const { level, format, perMinute } = config.log;
    const log = createLogger(level, { format, perMinute, process: process.pid });
    service = await composeService(config, log, {
      processes: workers,
      isStrict,
      cordons,
      hasDemoKey: (network) => demoNetworks.includes(network),
    });
    try {
      void send({ say: 'ready', address: await service.server.listen() });
      boundHeap();
    } catch (error) {
      await service.close();
      throw new Error(describeListenError(error, config.listen));
    }
  } catch (error) {
    await send({ say: 'failed', reason: (error as Error).message });
    // An open channel to the primary would keep the process alive.
    process.disconnect?.();
    return 1;
  }
  const meter = new LoadMeter(service.server);
  process.on('message', (message: ToWorker) => {
    if (message.say === 'ask')
      void answer(service, meter, message).then((text) =>
        send({ say: 'answer', id: message.id, answer: text }),
      );
  });
  await stop;
  await service.close();
  process.disconnect?.();
  return 0;
}

async function answer(service: Service, meter: LoadMeter, request: Request): Promise<WorkerAnswer> {
  try {
    switch (request.what) {
      case 'status':
        return { status: await service.readStatus() };
      case 'metrics':
        return { metrics: await service.readMetrics() };
      case 'certificate':
        service.server.reload();
        return { done: true };
      case 'load':
        return { load: meter.read() };
      case 'partWith':
        service.server.partWith(request.connections);
        return { done: true };
      case 'nodes':
        return { nodes: service.listNodes() };
      case 'cordon':
        return { cordon: await service.cordon(request.name, request.isForced) };
      case 'uncordon':
        return { cordon: await service.uncordon(request.name) };
      case 'evict':
        return { isKnown: await service.evictCache(request.network) };
      case 'reload':
        await service.reload(await makeConfig(request.configSource));
        return { done: true };
    }
  } catch (error) {
    return { failed: error instanceof ConfigError ? error.lines : [(error as Error).message] };
  }
}

/** Resolves with the first message from the primary that has this kind. */
function receive<S extends ToWorker['say']>(say: S): Promise<Extract<ToWorker, { say: S }>> {
  return new Promise((resolve) => {
    const onMessage = (message: ToWorker): void => {
      if (message.say !== say) return;
      process.removeListener('message', onMessage);
      resolve(message as Extract<ToWorker, { say: S }>);
    };
    process.on('message', onMessage);
  });
}

/** Resolves when the primary sends `stop` or disconnects. */
function stopped(): Promise<void> {
  return new Promise((resolve) => {
    process.on('message', (message: ToWorker) => {
      if (message.say === 'stop') resolve();
    });
    process.on('disconnect', () => resolve());
  });
}

/** Resolves once the message is sent; immediately if the primary has disconnected. */
function send(message: FromWorker): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => resolve());
    else resolve();
  });
}
