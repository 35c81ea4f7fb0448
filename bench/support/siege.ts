/**
 * Clients that only occupy connections, in their own process: silent WebSockets, and connections on which the head of a request arrives byte by byte
 * and which reopen whenever they are closed.
 */
import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';

/** Wanted number of slow clients of each kind. */
export type Besiegers = { readonly port: number; readonly idle: number; readonly lorises: number };

export const SIEGE_HOST = 'devnet.localhost';
/** Interval between the bytes of each slow client. */
const TRICKLE_MS = 1_000;
/** Handshakes in progress at the same time. */
const OPENING = 100;
const HEAD = Buffer.from(`POST /v3/demo HTTP/1.1\r\nHost: ${SIEGE_HOST}\r\n${'X-Slow: yes\r\n'.repeat(500)}`);

/** Parent's handle of the process that runs the slow clients. */
export class Siege {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /**
   * @param isMeasured whether latencies are measured: the clients, which would be on other machines, then get the processor only when the measuring
   * client does not want it, and on a busy machine they take long to connect
   */
  static async open(isMeasured: boolean): Promise<Siege> {
    const child = fork(fileURLToPath(import.meta.url), ['besiege']);
    await once(child, 'message');
    if (isMeasured) yieldToOthers(child.pid as number);
    return new Siege(child);
  }

  /**
   * Opens missing clients and closes surplus ones. Resolves when the wanted numbers are reached.
   * @throws Error when the process has ended
   */
  async set(besiegers: Besiegers): Promise<void> {
    const ended = new AbortController();
    const { signal } = ended;
    this.#child.send(besiegers);
    try {
      const hasExited = await Promise.race([
        once(this.#child, 'message', { signal }).then(() => false),
        once(this.#child, 'exit', { signal }).then(() => true),
      ]);
      if (hasExited) throw new Error('the process of the slow clients has ended; its output says why');
    } finally {
      ended.abort();
    }
  }

  close(): void {
    if (this.#child.connected) this.#child.disconnect();
  }
}

/**
 * Even at the lowest priority Linux's EEVDF leaves a process a slice of some milliseconds, which would show in the measured latencies. The idle
 * policy leaves it none; without `chrt` to set that, the priority has to do.
 */
function yieldToOthers(pid: number): void {
  setPriority(pid, constants.priority.PRIORITY_LOW);
  spawnSync('chrt', ['--all-tasks', '--idle', '--pid', '0', String(pid)]);
}

const sockets: WebSocket[] = [];
const lurking = new Set<Socket>();
let lorises = 0;

async function besiege(wanted: Besiegers): Promise<void> {
  let refused = 0;
  for (const socket of sockets.splice(wanted.idle)) socket.terminate();
  const open = async (): Promise<void> => {
    while (sockets.length < wanted.idle) {
      const url = `ws://127.0.0.1:${wanted.port}/ws/v3/demo`;
      const socket = new WebSocket(url, { headers: { Host: SIEGE_HOST } });
      sockets.push(socket);
      try {
        await once(socket, 'open');
        socket.on('error', () => {});
      } catch (error) {
        // On a busy machine a handshake may take longer than the service's handshake timeout.
        sockets.splice(sockets.indexOf(socket), 1);
        if (++refused > wanted.idle) throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: OPENING }, open));
  lorises = wanted.lorises;
  for (const socket of [...lurking].slice(lorises)) socket.destroy();
  while (lurking.size < lorises) lurk(wanted.port);
}

function lurk(port: number): void {
  const socket = connect(port, '127.0.0.1');
  lurking.add(socket);
  let sent = 0;
  const trickle = (): void => {
    socket.write(HEAD.subarray(sent, ++sent));
    timer = setTimeout(trickle, TRICKLE_MS);
  };
  // The clients are independent: 200 bytes in one millisecond would act as one client.
  let timer = setTimeout(trickle, Math.random() * TRICKLE_MS);
  socket.on('error', () => {});
  socket.resume();
  socket.once('close', () => {
    clearTimeout(timer);
    lurking.delete(socket);
    if (lurking.size < lorises) lurk(port);
  });
}

if (process.argv[2] === 'besiege') {
  process.on('disconnect', () => process.exit());
  process.on('message', async (wanted: Besiegers) => {
    await besiege(wanted);
    process.send?.('done');
  });
  process.send?.('there');
}
