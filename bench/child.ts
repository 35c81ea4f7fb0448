import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A server in a process of its own, so that its CPU time can be read. */
export type ServerProcess = {
  readonly port: number;
  readonly pid: number;
  /** User and system time of all its threads so far. */
  readonly readCpuSeconds: () => Promise<number>;
  readonly stop: () => void;
};

/** Runs this bench's own file again as a child; there `runAsChild` serves `subject`. */
export async function startServerProcess(moduleUrl: string, subject: string): Promise<ServerProcess> {
  const child: ChildProcess = fork(fileURLToPath(moduleUrl), [subject]);
  const [port] = (await once(child, 'message')) as [number];
  return {
    port,
    pid: child.pid as number,
    async readCpuSeconds() {
      child.send('cpu');
      const [seconds] = (await once(child, 'message')) as [number];
      return seconds;
    },
    stop: () => void child.kill(),
  };
}

/** The child's side: sends its port, then its CPU time whenever it is asked. */
export async function runAsChild(serve: () => Promise<number>): Promise<void> {
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.((user + system) / 1e6);
  });
  process.on('disconnect', () => process.exit());
  process.send?.(await serve());
}
