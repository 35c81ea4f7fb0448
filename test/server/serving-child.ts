import { createLogger } from '../../src/observe/logger.ts';
import { createServer } from '../../src/server/lifecycle.ts';
import { closeOnSignal } from '../../src/server/signals.ts';
import { createFakeGateway, defaultLimits } from './support.ts';

/** A process that serves until it receives a message to stop; a body `"slow"` takes as many milliseconds as its argument. */
async function serve(slowMs: number): Promise<void> {
  const log = createLogger('silent');
  const gateway = createFakeGateway(async (text) => {
    if (text === '"slow"') {
      process.send?.('started');
      await new Promise((resolve) => setTimeout(resolve, slowMs));
    }
    return { status: 200, body: text };
  });
  const server = createServer({
    gateway,
    options: { listen: { host: '127.0.0.1', port: 0 }, cors: { origins: [] }, limits: defaultLimits() },
    log,
  });
  process.send?.((await server.listen()).port);
  process.channel?.unref();
  process.exitCode = await closeOnSignal(() => server.close(), log);
}

if (process.send !== undefined) await serve(Number(process.argv[2]));
