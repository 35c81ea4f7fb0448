/**
 * A 21 MB answer through Portcullis: the receipts of block 2 of the execution-apis chain, from an embedded Portcullis behind another one. It measures
 * the memory that concurrent fast and slow readers cost the front gateway, and by how much its first byte is later than that of the one behind.
 */
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { importChain } from '../src/service/import.ts';
import { SILENT_PROGRESS } from '../src/service/import-progress.ts';
import { makeTemporaryFolder } from '../test/support/embedded.ts';
import { findVectors, SKIP_REASON } from '../test/support/vectors.ts';
import { runAsChild, startServerProcess } from './child.ts';
import { encodePost, median } from './load.ts';
import { readResidentBytes } from './support/memory.ts';
import { awaitHead, serveNetwork } from './upstream-service.ts';

const READERS = Number(process.env['READERS'] ?? 6);
const ROUNDS = Number(process.env['ROUNDS'] ?? 9);
const BODY = '{"jsonrpc":"2.0","id":1,"method":"eth_getBlockReceipts","params":["0x2"]}';
const REQUEST: Buffer = encodePost('/v3/demo', '127.0.0.1', BODY);
const HEAD_END = '\r\n\r\n';
const MIN_ANSWER_BYTES = 20 * 1024 * 1024;
/** Every other reader pauses after this many bytes. */
const SLOW_PIECE_BYTES = 512 * 1024;
const SLOW_PAUSE_MS = 50;
const SAMPLE_MS = 10;
const TARGETS = { copies: 1.5, firstByteMs: 20 } as const;

type Reading = {
  /** Bytes of the body. */
  readonly length: number;
  /** Milliseconds from the request to the first byte. */
  readonly firstByte: number;
};

/** Reads one answer to its end; a slow reader pauses between pieces. */
function read(port: number, isSlow: boolean): Promise<Reading> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    let [sentAt, firstByte, received, sincePause] = [0, 0, 0, 0];
    let head = '';
    const finish = (length: number): void => {
      socket.destroy();
      resolve({ length, firstByte });
    };
    socket.on('connect', () => {
      sentAt = performance.now();
      socket.write(REQUEST);
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`the answer ended after ${received} bytes`)));
    socket.on('data', (chunk: Buffer) => {
      if (firstByte === 0) firstByte = performance.now() - sentAt;
      received += chunk.length;
      sincePause += chunk.length;
      if (!head.includes(HEAD_END)) head += chunk.toString('latin1');
      const bodyStart = head.indexOf(HEAD_END) + HEAD_END.length;
      const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
      const isChunked = length === undefined && chunk.toString('latin1').endsWith(`0${HEAD_END}`);
      if (isChunked || received - bodyStart === Number(length)) finish(received - bodyStart);
      if (isSlow && sincePause > SLOW_PIECE_BYTES) {
        sincePause = 0;
        socket.pause();
        setTimeout(() => socket.resume(), SLOW_PAUSE_MS);
      }
    });
  });
}

/** Returns by how much resident memory of `pid` rises above its present value while `work` runs, bytes. */
async function measureGrowth(pid: number, work: () => Promise<void>): Promise<number> {
  const before = readResidentBytes(pid);
  let peak = before;
  const sampler = setInterval(() => {
    peak = Math.max(peak, readResidentBytes(pid));
  }, SAMPLE_MS);
  try {
    await work();
  } finally {
    clearInterval(sampler);
  }
  return Math.max(peak, readResidentBytes(pid)) - before;
}

/** Returns the delay of the first byte through the gateway, milliseconds: the difference of the medians of interleaved rounds. */
async function measureFirstByte(direct: number, through: number): Promise<number> {
  const times = { direct: [] as number[], through: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    times.direct.push((await read(direct, false)).firstByte);
    times.through.push((await read(through, false)).firstByte);
  }
  console.log(
    `first byte: ${median(times.direct).toFixed(1)} ms direct, ${median(times.through).toFixed(1)} ms through`,
  );
  return median(times.through) - median(times.direct);
}

async function runParent(vectors: string): Promise<void> {
  const folder = makeTemporaryFolder();
  const store = join(folder.path, 'chain');
  const [genesis, blocks] = ['tests/genesis.json', 'tests/chain.rlp'].map((file) => join(vectors, file));
  await importChain(
    { genesis: genesis as string, blocks: blocks as string, data: store, seal: 'ethash-format' },
    SILENT_PROGRESS,
  );
  const node = await startServerProcess(import.meta.url, JSON.stringify({ embedded: { data: store } }));
  const url = `http://127.0.0.1:${node.port}/v3/demo`;
  // With verification, eight times `pool.streamBytes` would be buffered before the first byte.
  const row = JSON.stringify({ upstreams: [url], verify: 'off' });
  const gateway = await startServerProcess(import.meta.url, row);
  try {
    await awaitHead(gateway.port);
    const { length } = await read(node.port, false);
    if (length < MIN_ANSWER_BYTES) throw new Error(`the answer has ${length} bytes only`);
    const growth = await measureGrowth(gateway.pid, async () => {
      const readers = Array.from({ length: READERS }, (_, index) => read(gateway.port, index % 2 === 1));
      for (const reading of await Promise.all(readers)) {
        if (reading.length < MIN_ANSWER_BYTES) throw new Error(`a reader got ${reading.length} bytes only`);
      }
      await sleep(SAMPLE_MS);
    });
    const copies = growth / (READERS * length);
    const later = await measureFirstByte(node.port, gateway.port);
    const met = copies < TARGETS.copies && later < TARGETS.firstByteMs;
    const [answer, grown] = [length, growth].map((bytes) => `${(bytes / 1e6).toFixed(1)} MB`);
    console.log(
      `${answer} to ${READERS} readers: memory +${grown}, ${copies.toFixed(2)} copies a reader (target < ${TARGETS.copies}), ` +
        `first byte ${later.toFixed(1)} ms later (target < ${TARGETS.firstByteMs}): ${met ? 'met' : 'MISSED'}`,
    );
    process.exitCode = met ? 0 : 1;
  } finally {
    gateway.stop();
    node.stop();
    folder.remove();
  }
}

const row = process.argv[2];
const vectors = findVectors('execution-apis');
if (row !== undefined) await runAsChild(() => serveNetwork(JSON.parse(row)));
else if (vectors === undefined) throw new Error(SKIP_REASON);
else await runParent(vectors);
