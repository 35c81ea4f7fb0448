import type { WebSocket } from 'ws';
import type { BoundName } from '../util/bounds.ts';

/** What the library's reader of frames emits, by the code of the error. */
const REFUSALS: Readonly<Record<string, readonly [closeCode: number, bound: BoundName]>> = {
  WS_ERR_UNSUPPORTED_MESSAGE_LENGTH: [1009, 'body.bytes'],
  WS_ERR_TOO_MANY_BUFFERED_PARTS: [1008, 'webSocket.fragments'],
};

/** The library's reader; the field is not documented. */
type Receiver = { prependListener?(event: 'error', listener: (error: { code?: string }) => void): void };

/**
 * Calls `refuse` for a message that exceeds a bound of the library's reader, before the library closes the connection: its own close frame
 * has no reason. Another version of the library that has no such reader closes as before.
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
