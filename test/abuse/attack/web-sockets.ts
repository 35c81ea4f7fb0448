/** WebSockets that send messages and treat the answers as the abuse requires. */
import { WebSocket } from 'ws';
import type { Attacker } from '../abuse.ts';

const REOPEN_MS = 100;
const START_CHARACTERS = 2_048;

export type WebSocketPlan = {
  readonly count: number;
  readonly host: string;
  /** Whether answers are read. */
  readonly isRead: boolean;
  /** Called when the WebSocket is open. */
  use(socket: WebSocket, index: number): void;
  /** Called when an answer has arrived. */
  onAnswer?(socket: WebSocket): void;
};

/** Keeps `count` WebSockets open. */
export function holdWebSockets(attacker: Attacker, plan: WebSocketPlan): void {
  for (let index = 0; index < plan.count; index++) hold(attacker, plan, index);
}

/** Sends a message, and the next as soon as its answer arrives. */
export function messageForever(
  attacker: Attacker,
  plan: Pick<WebSocketPlan, 'count' | 'host'> & { readonly body: Uint8Array | (() => Uint8Array) },
): void {
  const send = (socket: WebSocket): void => {
    attacker.seen.sent++;
    socket.send(typeof plan.body === 'function' ? plan.body() : plan.body, { binary: false });
  };
  holdWebSockets(attacker, { ...plan, isRead: true, use: send, onAnswer: send });
}

function hold(attacker: Attacker, plan: WebSocketPlan, index: number): void {
  const { target, seen, signal } = attacker;
  if (signal.aborted) return;
  const protocol = target.isSecure ? 'wss' : 'ws';
  const socket = new WebSocket(`${protocol}://127.0.0.1:${target.port}/ws/v3/${target.key}`, {
    headers: { host: plan.host },
    localAddress: target.address,
    rejectUnauthorized: false,
    perMessageDeflate: false,
    skipUTF8Validation: true,
    maxPayload: 0,
  });
  const onEnd = (): void => socket.terminate();
  signal.addEventListener('abort', onEnd, { once: true });
  socket.on('error', (error) => {
    if (!signal.aborted) seen.note(error.message.slice(0, 60));
  });
  socket.once('open', () => {
    seen.note('opened');
    if (!plan.isRead) socket.pause();
    plan.use(socket, index);
  });
  socket.on('message', (data: Buffer) => {
    seen.bytes += data.length;
    seen.noteAnswer(undefined, data.toString('latin1', 0, START_CHARACTERS));
    plan.onAnswer?.(socket);
  });
  socket.once('close', (code) => {
    signal.removeEventListener('abort', onEnd);
    if (signal.aborted) return;
    seen.note(`closed ${code}`);
    setTimeout(() => hold(attacker, plan, index), REOPEN_MS);
  });
}
