/** A geth process with its own chain, without peers, on ports of 127.0.0.1 that the system picks. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTemporaryFolder } from '../../support/embedded.ts';
import { installGeth } from './geth-program.ts';

const JWT_SECRET = '11'.repeat(32);
const START_MS = 60_000;
/** Time limit of one request, seconds: on a busy machine, geth's own limits of 5 and 30 seconds are reached. */
export const REQUEST_SECONDS = 60;
const GAS_CAP_FACTOR = 10n;
const IMPORT_MS = 120_000;
const HTTP_LINE = /HTTP server started\s+endpoint=127\.0\.0\.1:(\d+)\s+auth=(true|false)/g;
const WEBSOCKET_LINE = /WebSocket enabled\s+url=ws:\/\/127\.0\.0\.1:(\d+)/g;
/** Maximum length of a process's output that is kept for its error. */
const MAX_PRINTED = 256 * 1024;
const SHOWN_PRINTED = 4_000;

export type GethChain = {
  /** Path of a genesis file. */
  readonly genesis: string;
  /** Path of blocks as RLP; without it the chain is its genesis block. */
  readonly blocks?: string;
  /** Body of the engine API call that sets the head; needed for blocks after the merge. */
  readonly headCall?: string;
  /** Gas limit of the head, which geth's pending blocks keep; calls may have ten times as much (spec 8). */
  readonly blockGasLimit: bigint;
  /** Gas cap of calls instead of ten times the block gas limit. */
  readonly gasCap?: bigint;
};

type TemporaryFolder = ReturnType<typeof makeTemporaryFolder>;

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** A running node. `close` ends it and removes its data. */
export class GethNode {
  readonly httpPort: number;
  readonly webSocketPort: number;
  readonly #enginePort: number;
  readonly #child: ChildProcess;
  readonly #folder: TemporaryFolder;

  constructor(child: ChildProcess, ports: Ports, folder: TemporaryFolder) {
    this.#child = child;
    this.#enginePort = ports.engine;
    this.httpPort = ports.http;
    this.webSocketPort = ports.webSocket;
    this.#folder = folder;
  }

  get httpUrl(): string {
    return `http://127.0.0.1:${this.httpPort}`;
  }

  get webSocketUrl(): string {
    return `ws://127.0.0.1:${this.webSocketPort}`;
  }

  /** Calls the node's public API. @returns the result @throws Error with the node's error */
  ask(method: string, params: readonly unknown[]): Promise<unknown> {
    return post(this.httpPort, { jsonrpc: '2.0', id: 1, method, params }, {});
  }

  /** Calls the engine API, which a consensus client uses. @returns the result @throws Error with the node's error */
  askEngine(method: string, params: readonly unknown[]): Promise<unknown> {
    return this.postToEngine({ jsonrpc: '2.0', id: 1, method, params });
  }

  postToEngine(call: unknown): Promise<unknown> {
    return postToEngine(this.#enginePort, call);
  }

  /** Ends the node, and writes its blocks as RLP to a file. */
  async export(file: string): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await exited;
    runGeth(installGeth(), ['--datadir', this.#folder.path, '--state.scheme', 'hash', 'export', file]);
  }

  async close(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const exited = once(this.#child, 'exit');
      this.#child.kill('SIGKILL');
      await exited;
    }
    this.#folder.remove();
  }
}

/** Imports a chain into a separate folder and starts a node over it. @throws Error with geth's output */
export async function startGeth(chain: GethChain): Promise<GethNode> {
  const program = installGeth();
  const folder = makeTemporaryFolder();
  try {
    const data = ['--datadir', folder.path];
    runGeth(program, [...data, '--state.scheme', 'hash', 'init', chain.genesis]);
    if (chain.blocks !== undefined) {
      runGeth(program, [...data, '--state.scheme', 'hash', '--gcmode', 'archive', 'import', chain.blocks]);
    }
    const secret = writeSecret(folder.path);
    const options = [...data, '--authrpc.jwtsecret', secret, '--config', writeTimeLimits(folder.path)];
    const launched = await launchGeth(program, options, chain);
    const node = new GethNode(launched.child, launched, folder);
    if (chain.headCall !== undefined)
      expectValid(await node.postToEngine(JSON.parse(readFileSync(chain.headCall, 'utf8'))));
    return node;
  } catch (error) {
    folder.remove();
    throw error;
  }
}

/** Runs one command of geth to its end. @throws Error with its output */
export function runGeth(program: string, args: readonly string[]): string {
  try {
    return execFileSync(program, [...args], { stdio: 'pipe', timeout: IMPORT_MS, encoding: 'utf8' });
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string };
    throw new Error(`geth ${args.join(' ')}:\n${stderr.slice(-4000)}`);
  }
}

export type Ports = { readonly http: number; readonly webSocket: number; readonly engine: number };
/** Lets the system pick free ports. */
const ANY_PORTS: Ports = { http: 0, webSocket: 0, engine: 0 };
/** `printed` returns the process's latest output. */
export type LaunchedGeth = Ports & { readonly child: ChildProcess; readonly printed: () => string };

/** Writes the engine API's secret into a folder. @returns its path */
export function writeSecret(folder: string): string {
  const secret = join(folder, 'jwt');
  writeFileSync(secret, JWT_SECRET);
  return secret;
}

/** Writes a configuration file for settings that have no option. @returns its path */
function writeTimeLimits(folder: string): string {
  const file = join(folder, 'config.toml');
  const limit = REQUEST_SECONDS * 1_000_000_000;
  writeFileSync(file, `[Node.HTTPTimeouts]\nReadTimeout = ${limit}\nWriteTimeout = ${limit}\n`);
  return file;
}

/**
 * Starts a node over existing data; it is killed at the latest when this process ends.
 * @param data options that locate the data
 */
export async function launchGeth(
  program: string,
  data: readonly string[],
  { blockGasLimit, gasCap = blockGasLimit * GAS_CAP_FACTOR }: Pick<GethChain, 'blockGasLimit' | 'gasCap'>,
  wanted: Ports = ANY_PORTS,
): Promise<LaunchedGeth> {
  const apis = 'eth,net,web3,debug,txpool,rpc';
  const args = [
    ...data,
    ...['--state.scheme', 'hash', '--gcmode', 'archive', '--syncmode', 'full'],
    ...['--nodiscover', '--maxpeers', '0', '--port', '0', '--ipcdisable', '--nat', 'none'],
    ...['--http', '--http.addr', '127.0.0.1', '--http.port', String(wanted.http), '--http.api', apis],
    ...['--ws', '--ws.addr', '127.0.0.1', '--ws.port', String(wanted.webSocket), '--ws.api', apis],
    ...['--authrpc.addr', '127.0.0.1', '--authrpc.port', String(wanted.engine)],
    ...['--rpc.gascap', String(gasCap), '--rpc.evmtimeout', `${REQUEST_SECONDS}s`],
    ...['--miner.gaslimit', String(blockGasLimit)],
  ];
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  running.add(child);
  child.once('exit', () => running.delete(child));
  let printed = '';
  let isUp = false;
  const timer = setTimeout(() => child.kill('SIGKILL'), START_MS);
  try {
    return await new Promise<LaunchedGeth>((resolve, reject) => {
      child.stderr?.on('data', (chunk: Buffer) => {
        printed = `${printed}${chunk}`.slice(-MAX_PRINTED);
        if (isUp) return;
        const ports = readPorts(printed);
        isUp = ports !== undefined;
        if (ports !== undefined) resolve({ child, ...ports, printed: () => printed.slice(-SHOWN_PRINTED) });
      });
      child.once('error', reject);
      child.once('exit', (code) =>
        reject(new Error(`geth ended with ${code}:\n${printed.slice(-SHOWN_PRINTED)}`)),
      );
    });
  } finally {
    clearTimeout(timer);
  }
}

/** Reads the ports from geth's log; undefined until it contains all three. */
function readPorts(log: string): Ports | undefined {
  const portWith = (auth: string): number | undefined => {
    const line = [...log.matchAll(HTTP_LINE)].find((match) => match[2] === auth);
    return line === undefined ? undefined : Number(line[1]);
  };
  const [http, engine] = [portWith('false'), portWith('true')];
  const sockets = [...log.matchAll(WEBSOCKET_LINE)].map((match) => Number(match[1]));
  const webSocket = sockets.find((port) => port !== engine);
  if (http === undefined || engine === undefined || webSocket === undefined) return undefined;
  return { http, engine, webSocket };
}

/** @throws Error unless the engine API reports the block as valid */
export function expectValid(result: unknown): void {
  const { payloadStatus = result } = result as { payloadStatus?: unknown };
  if ((payloadStatus as { status?: unknown }).status !== 'VALID') {
    throw new Error(`geth did not take a block: ${JSON.stringify(result)}`);
  }
}

/** Calls the engine API at a port. @param signal aborts the call before its answer */
export function postToEngine(port: number, call: unknown, signal?: AbortSignal): Promise<unknown> {
  return post(port, call, { authorization: `Bearer ${createToken()}` }, signal);
}

async function post(
  port: number,
  call: unknown,
  headers: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${port}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(call),
    signal: signal ?? null,
  });
  const answer = (await response.json()) as { result?: unknown; error?: { message: string } };
  if (answer.error !== undefined)
    throw new Error(`${JSON.stringify(answer.error)} to ${JSON.stringify(call)}`);
  return answer.result;
}

function createToken(): string {
  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ iat: Math.floor(Date.now() / 1000) })}`;
  const signature = createHmac('sha256', Buffer.from(JWT_SECRET, 'hex')).update(text).digest('base64url');
  return `${text}.${signature}`;
}
