import type { WebSocket } from 'ws';
import type { BoundName } from '../util/bounds.ts';

/** Close code and bound for each error code of the library's frame parser. */
const REFUSALS: Readonly<Record<string, readonly [closeCode: number, bound: BoundName]>> = {
  WS_ERR_UNSUPPORTED_MESSAGE_LENGTH: [1009, 'body.bytes'],
  WS_ERR_TOO_MANY_BUFFERED_PARTS: [1008, 'webSocket.fragments'],
};

/** Frame parser of the library; the field that contains it is undocumented. */
type Receiver = { prependListener?(event: 'error', listener: (error: { code?: string }) => void): void };

/**
 * Calls `refuse` for a message that exceeds a bound of the library's frame parser, before the library closes the connection: the library's own close
 * frame has no reason. If a version of the library has no such parser, connections close without a reason.
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
