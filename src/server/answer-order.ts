import type { Duplex } from 'node:stream';
import type { Connection } from './connection.ts';

/** Non-public state of a socket of the Node.js HTTP server. */
type NodeSocket = Duplex & {
  setTimeout?: (ms: number) => unknown;
  /**
   * Set back to false: Node.js resumes a paused socket when its send backlog shrinks, and without a `data` listener the bytes that arrive then would
   * be lost.
   */
  _paused?: boolean;
  /** The response that is currently sent. */
  readonly _httpMessage?: NodeJS.EventEmitter | null;
};

/**
 * Runs `action` once all earlier requests of a connection are answered. The socket is then in the state in which Node.js leaves it at an upgrade: not
 * read, and without listeners. Until then, a client that does not read its answers is disconnected after `sendTimeout` milliseconds.
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
  // The current response waits for `drain`, but Node.js no longer listens for that event on the socket.
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
