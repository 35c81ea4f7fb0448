import { createHash } from 'node:crypto';
import { type IncomingMessage, request } from 'node:http';
import type { Readable } from 'node:stream';
import type { TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { composeGateway } from '../../src/gateway/gateway.ts';
import { NetworkRegistry } from '../../src/gateway/network-registry.ts';
import { CallRecorder } from '../../src/observe/call-recorder.ts';
import type { Server } from '../../src/server/lifecycle.ts';
import { createRecordingLog } from '../gateway/recording-log.ts';
import { createScriptedNetwork } from '../gateway/scripted-network.ts';
import { type ScriptedSource, type SourcePlan, StreamingChain } from '../gateway/scripted-source.ts';
import { openTo } from '../support/access.ts';
import { HOST, KEY, PATH, type Setup, startServer } from './support.ts';

/** Larger than the kernel's buffers of both ends of a connection. */
export const MOST_BUFFERED_BYTES = 40_000_000;
export const PIECE_BYTES = 65_536;
/** A source without an end, for readers with back-pressure. */
export const ENDLESS: SourcePlan = {
  pieces: Number.POSITIVE_INFINITY,
  pieceBytes: PIECE_BYTES,
  isRandom: true,
};

export type StreamingService = {
  readonly port: number;
  readonly server: Server;
  readonly chain: StreamingChain;
};

/** Starts the real gateway over a chain that answers the receipts of block n by the n-th plan, behind real sockets. */
export async function startStreaming(
  t: TestContext,
  plans: readonly SourcePlan[],
  setup: Omit<Setup, 'gateway' | 'handler'> = {},
): Promise<StreamingService> {
  const chain = new StreamingChain(plans);
  const gateway = composeGateway({
    networks: new NetworkRegistry([{ hosts: [HOST], network: createScriptedNetwork(chain) }]),
    access: openTo((key) => (key === KEY ? { id: 'p', name: 'p' } : undefined)),
    clientVersion: 'Portcullis/1.2.3',
    log: createRecordingLog(),
    observer: new CallRecorder(new Set()),
  });
  const { port, server } = await startServer(t, { ...setup, gateway });
  return { port, server, chain };
}

/** Sends a body on its own connection; resolves to the response before any of its body is read. */
export function post(
  t: TestContext,
  port: number,
  body: string,
  headers: Record<string, string> = {},
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request({
      host: '127.0.0.1',
      port,
      path: PATH,
      method: 'POST',
      agent: false,
      headers: { Host: HOST, 'Content-Type': 'application/json', ...headers },
    });
    t.after(() => sent.destroy());
    sent.on('response', resolve);
    sent.on('error', reject);
    sent.end(body);
  });
}

export type Received = { readonly bytes: number; readonly digest: string; readonly isComplete: boolean };

/** Reads a body until it ends or breaks off. */
export async function receive(response: IncomingMessage): Promise<Received> {
  const decoded: Readable =
    response.headers['content-encoding'] === 'gzip'
      ? response.on('error', (error) => decoded.destroy(error)).pipe(createGunzip())
      : response;
  const hash = createHash('sha256');
  let bytes = 0;
  let isComplete = true;
  try {
    for await (const chunk of decoded) {
      bytes += chunk.length;
      hash.update(chunk);
    }
  } catch {
    isComplete = false;
  }
  return { bytes, digest: hash.digest('hex'), isComplete: isComplete && response.complete };
}

export function receivedFrom(text: string): Received {
  const bytes = Buffer.from(text);
  return { bytes: bytes.length, digest: createHash('sha256').update(bytes).digest('hex'), isComplete: true };
}

/** Waits until these sources are not read for a while; returns early when more was read than buffers can hold. @returns bytes read from them */
export async function untilHeldBack(sources: readonly ScriptedSource[]): Promise<number> {
  const countBytes = (): number => sources.reduce((sum, { taken }) => sum + taken * PIECE_BYTES, 0);
  for (let before = -1, now = countBytes(); now !== before && now < sources.length * MOST_BUFFERED_BYTES; ) {
    await setTimeout(200);
    [before, now] = [now, countBytes()];
  }
  return countBytes();
}
