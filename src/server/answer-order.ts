import type { Duplex } from 'node:stream';
import type { Connection } from './connection.ts';

/** Socket of the Node.js HTTP server, with internal members. */
type NodeSocket = Duplex & {
  setTimeout?: (ms: number) => unknown;
  /**
   * Internal flag of Node.js that must be reset to false. While the flag is true, Node.js resumes the socket when its send backlog shrinks, and bytes
   * that arrive without a `data` listener are lost.
   */
  _paused?: boolean;
  /** Response that is being sent. */
  readonly _httpMessage?: NodeJS.EventEmitter | null;
};

/**
 * Runs `action` once all earlier requests of a connection are answered. When `action` runs, the socket is in the same state as after an upgrade in
 * Node.js: not read, and without listeners. Before `action` runs, a client that does not read its answers is disconnected after `sendTimeout` ms.
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
  // The current response waits for `drain`, which Node.js no longer forwards from the socket after an upgrade.
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
