import type { WebSocket } from 'ws';
import type { BoundName } from '../util/bounds.ts';

/** Close code and bound by error code of the frame parser of ws. */
const REFUSALS: Readonly<Record<string, readonly [closeCode: number, bound: BoundName]>> = {
  WS_ERR_UNSUPPORTED_MESSAGE_LENGTH: [1009, 'body.bytes'],
  WS_ERR_TOO_MANY_BUFFERED_PARTS: [1008, 'webSocket.fragments'],
};

/** Frame parser of ws, which is in an undocumented field. */
type Receiver = { prependListener?(event: 'error', listener: (error: { code?: string }) => void): void };

/**
 * Calls `refuse` for a message that exceeds a bound of the frame parser of ws. `refuse` runs before ws closes the connection, because the close frame
 * that ws sends has no reason. If a version of ws has no frame parser in this field, connections close without a reason.
 */
export function watchRefusedMessages(
  ws: WebSocket,
  refuse: (closeCode: number, bound: BoundName) => void,
): void {
  const receiver = (ws as unknown as { readonly _receiver?: Receiver })._receiver;
  receiver?.prependListener?.('error', ({ code = '' }) => {
    const refusal = REFUSALS[code];
    if (refusal !== undefined) refuse(...refusal);
  });
}
