/** Connections that are used in any way, and opened again when they are closed. */
import { connect, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import type { Attacker } from '../abuse.ts';

/** Before a connection is opened again. */
const REOPEN_MS = 50;
const STATUS = /^HTTP\/1\.1 (\d{3})/;
const START_BYTES = 2_048;

export type SocketPlan = {
  readonly count: number;
  /** Not read at all, read slowly by `use` itself, or everything as it comes. */
  readonly reading: 'none' | 'own' | 'all';
  /** The connection is there. */
  use(socket: Socket, index: number): void;
  /** Of how many addresses they come; by default one. */
  readonly addresses?: number;
  /** TLS below `use`; by default where the service speaks it. */
  readonly isPlain?: boolean;
  readonly reopenMs?: number;
};

/** Keeps so many connections open. What the service says first on each, and that it closes one, is noted. */
export function holdSockets(attacker: Attacker, plan: SocketPlan): void {
  for (let index = 0; index < plan.count; index++) hold(attacker, plan, index);
}

function hold(attacker: Attacker, plan: SocketPlan, index: number): void {
  const { target, seen, signal } = attacker;
  if (signal.aborted) return;
  const localAddress =
    plan.addresses === undefined
      ? target.address
      : `127.8.${(index % plan.addresses) >> 7}.${1 + ((index % plan.addresses) & 127)}`;
  const options = { host: '127.0.0.1', port: target.port, localAddress, noDelay: true };
  const isSecure = target.isSecure && plan.isPlain !== true;
  const socket: Socket = isSecure
    ? connectSecurely({ ...options, rejectUnauthorized: false })
    : connect(options);
  const onEnd = (): void => void socket.destroy();
  let start = '';
  signal.addEventListener('abort', onEnd, { once: true });
  socket.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (!signal.aborted) seen.note(code ?? 'error');
  });
  socket.once(isSecure ? 'secureConnect' : 'connect', () => {
    seen.sent++;
    plan.use(socket, index);
  });
  if (plan.reading === 'all') {
    socket.on('data', (chunk: Buffer) => {
      seen.bytes += chunk.length;
      if (start.length === 0 && STATUS.test(chunk.toString('latin1', 0, 16))) {
        start = chunk.toString('latin1', 0, START_BYTES);
        seen.noteAnswer(Number(STATUS.exec(start)?.[1]), start);
      }
    });
  } else socket.pause();
  socket.once('close', () => {
    signal.removeEventListener('abort', onEnd);
    if (signal.aborted) return;
    seen.note('closed by the service');
    setTimeout(() => hold(attacker, plan, index), plan.reopenMs ?? REOPEN_MS);
  });
}

/** Writes pieces one by one with a pause between; goes on with the first when `isEndless`. */
export function writeSlowly(
  socket: Socket,
  pieces: readonly Uint8Array[],
  everyMs: number,
  isEndless = false,
): void {
  let next = 0;
  const timer = setInterval(() => {
    if (next === pieces.length && isEndless) next = 0;
    const piece = pieces[next++];
    if (piece === undefined) clearInterval(timer);
    else socket.write(piece);
  }, everyMs);
  socket.once('close', () => clearInterval(timer));
}

/** Reads so many bytes now and then. */
export function readSlowly(attacker: Attacker, socket: Socket, bytes: number, everyMs: number): void {
  let owed = 0;
  socket.on('readable', take);
  const timer = setInterval(() => {
    owed = bytes;
    take();
  }, everyMs);
  socket.once('close', () => clearInterval(timer));

  function take(): void {
    const chunk: Buffer | null = owed === 0 ? null : (socket.read(owed) ?? socket.read());
    if (chunk === null) return;
    attacker.seen.bytes += chunk.length;
    owed = Math.max(0, owed - chunk.length);
  }
}
