import type { Duplex } from 'node:stream';
import type { Connection } from './connection.ts';

/** A socket of node's HTTP server: what it keeps there is not public. */
type NodeSocket = Duplex & {
  setTimeout?: (ms: number) => unknown;
  /** node resumes the socket once less is unsent: without a listener for what then comes, that would be lost. */
  _paused?: boolean;
  /** The response that is being sent. */
  readonly _httpMessage?: NodeJS.EventEmitter | null;
};

/**
 * Runs `action` when all earlier requests of a connection are answered, with the socket as node leaves it at an upgrade: not
 * read, and without a listener. Until then a client that does not read its answers is cut off after `sendTimeout`
 * milliseconds.
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
  // The answer that is being sent waits for this, and node does not listen any more.
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
