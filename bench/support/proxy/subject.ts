import { startServerProcess } from '../../child.ts';
import type { Row, Target } from './rows.ts';

/** A server that is measured. */
export type Subject = {
  readonly name: string;
  readonly pid: number;
  /** Undefined where it does not do what the row asks. */
  readonly targetOf: (row: Row) => Target | undefined;
  readonly stop: () => Promise<void> | void;
};

/** The bare proxy: the bench's own file runs it as a child that gets `bare <address>`. HTTP, one node. */
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
