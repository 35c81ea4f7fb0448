/** Raw connections for any use, reopened when they are closed. */
import { connect, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import type { Attacker } from '../abuse.ts';

/** Delay before a connection is reopened. */
const REOPEN_MS = 50;
const STATUS = /^HTTP\/1\.1 (\d{3})/;
const START_BYTES = 2_048;

export type SocketPlan = {
  readonly count: number;
  /** `none` reads nothing, `own` leaves slow reading to `use`, `all` reads everything as it arrives. */
  readonly reading: 'none' | 'own' | 'all';
  /** Called when the connection is open. */
  use(socket: Socket, index: number): void;
  /** Number of source addresses; by default one. */
  readonly addresses?: number;
  /** Whether `use` gets the TCP connection without TLS; by default TLS is used where the service speaks it. */
  readonly isPlain?: boolean;
  readonly reopenMs?: number;
};

/** Keeps `count` connections open. Notes the first answer on each, and every close by the service. */
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

/** Writes pieces one by one with a pause between; restarts with the first when `isEndless`. */
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

/** Reads up to `bytes` every `everyMs` milliseconds. */
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
