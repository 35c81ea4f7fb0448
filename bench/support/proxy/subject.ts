import { startServerProcess } from '../../child.ts';
import type { Row, Target } from './rows.ts';

/** A server under measurement. */
export type Subject = {
  readonly name: string;
  readonly pid: number;
  /** Returns undefined where the server cannot serve the row. */
  readonly targetOf: (row: Row) => Target | undefined;
  readonly stop: () => Promise<void> | void;
};

/** Starts the bare proxy: the bench's own file runs it as a child with the argument `bare <address>`. It serves HTTP in front of one node. */
export async function startBare(moduleUrl: string, nodeUrl: string): Promise<Subject> {
  const { port, pid, stop } = await startServerProcess(moduleUrl, `bare ${nodeUrl}`);
  return {
    name: 'bare',
    pid,
    targetOf: ({ isWebSocket, upstreams }) =>
      isWebSocket || upstreams > 1 ? undefined : { port, path: '/' },
    stop,
  };
}
