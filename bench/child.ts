import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A server in its own process, so that its CPU time can be measured. */
export type ServerProcess = {
  readonly port: number;
  readonly pid: number;
  /** Reads the user and system time of all its threads so far, seconds. */
  readonly readCpuSeconds: () => Promise<number>;
  readonly stop: () => void;
};

/** Forks the bench file at `moduleUrl` as a child with `subject` as its argument; the child serves it by `runAsChild`. */
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

/** Runs the child's side: sends its port, then its CPU seconds on each message. */
export async function runAsChild(serve: () => Promise<number>): Promise<void> {
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.((user + system) / 1e6);
  });
  process.on('disconnect', () => process.exit());
  process.send?.(await serve());
}
