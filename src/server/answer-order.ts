import type { Duplex } from 'node:stream';
import type { Connection } from './connection.ts';

/** Non-public state of a socket of node's HTTP server. */
type NodeSocket = Duplex & {
  setTimeout?: (ms: number) => unknown;
  /**
   * node resumes the socket once its send backlog shrinks: without a `data` listener, what then arrives would be
   * lost.
   */
  _paused?: boolean;
  /** The response that is being sent. */
  readonly _httpMessage?: NodeJS.EventEmitter | null;
};

/**
 * Runs `action` once all earlier requests of a connection are answered. The socket is then in the state that node
 * leaves at an upgrade: not read, without listeners. Until then, a client that does not read its answers is cut off
 * after `sendTimeout` milliseconds.
 */
export function waitForAnswers(
  socket: NodeSocket,
  connection: Connection,
  sendTimeout: number,
  action: () => void,
): void {
  const destroy = (): void => {
    socket.destroy();
  };
  const destroyIfUnread = (): void => {
    if (socket.writableLength > 0) socket.destroy();
  };
  // The response being sent waits for `drain`, which node no longer listens for.
  const passOn = (): void => {
    socket._httpMessage?.emit('drain');
  };
  socket._paused = false;
  socket.on('error', destroy);
  socket.on('timeout', destroyIfUnread);
  socket.on('drain', passOn);
  socket.setTimeout?.(sendTimeout);
  connection.runAfterAnswers(() => {
    socket.removeListener('error', destroy);
    socket.removeListener('timeout', destroyIfUnread);
    socket.removeListener('drain', passOn);
    socket.setTimeout?.(0);
    action();
  });
}
