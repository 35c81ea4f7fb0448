/** Deliveries of a hostile node: responses, and messages that nobody requested. */
import type { Socket } from 'node:net';
import { Readable, type Transform } from 'node:stream';
import { constants, createBrotliCompress, createDeflate, createGzip } from 'node:zlib';
import type { RawAnswer } from '../faults/fault.ts';
import { CONTINUATION, encodeFrame, encodeFrameHead, FIN, PING, PONG, TEXT } from '../faults/frames.ts';
import { type Content, type Pieces, spellResponse } from './contents.ts';
import { type PourEnd, pour, trickleSlowly } from './pour.ts';

export type NodeTransport = 'HTTP' | 'WebSocket';

export type HostileDelivery = {
  readonly name: string;
  readonly transports: readonly NodeTransport[];
  /** Whether the delivery determines its size, or has none. */
  readonly hasOwnSize?: true;
  /** Whether the delivery determines its content. */
  readonly hasOwnContent?: true;
  /** Whether the node sends unrequested messages beside the true response. */
  readonly isFlood?: true;
  /** Whether the delivery lasts as long as the service waits. */
  readonly isSlow?: true;
  /** Whether each byte is so expensive that only the smallest sizes are tried. */
  readonly isDear?: true;
  send(answer: RawAnswer, content: Content, bytes: number): Promise<PourEnd>;
};

/** Rate of a few bytes per second. */
const TRICKLE = { bytes: 2, pauseMs: 200 } as const;
/** Length that the frame of a trickle announces. */
const TRICKLED_BYTES = 1024 * 1024;
const FLOOD_MS = 3_000;
const FLOOD_CONTENT_BYTES = 1024 * 1024;
const FLOOD_UNIT_BYTES = 64 * 1024;
/** Largest payload of a control frame, bytes (RFC 6455, section 5.5). */
const CONTROL_BYTES = 125;
/** Request id that is never reached. */
const UNKNOWN_ID = '900719925474';

const HTTP: readonly NodeTransport[] = ['HTTP'];
const WEB_SOCKET: readonly NodeTransport[] = ['WebSocket'];
const BOTH: readonly NodeTransport[] = ['HTTP', 'WebSocket'];

const spell = ({ text, call }: RawAnswer, content: Content, bytes: number): Pieces =>
  spellResponse(content, text, JSON.stringify(call.id), bytes);

function encodeHttpHead(headers: readonly string[]): Buffer {
  const lines = ['HTTP/1.1 200 OK', 'content-type: application/json', 'connection: close', ...headers];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`);
}

const CHUNKED_HEAD = encodeHttpHead(['transfer-encoding: chunked']);
const LAST_CHUNK = Buffer.from('0\r\n\r\n');

function encodeChunk(piece: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]);
}

/** Encodes each distinct piece once and caches the result. */
function encodeOnce(encode: (piece: Buffer) => Buffer): (piece: Buffer) => Buffer {
  const known = new WeakMap<Buffer, Buffer>();
  return (piece) => {
    const encoded = known.get(piece) ?? encode(piece);
    known.set(piece, encoded);
    return encoded;
  };
}

/** Encodes each byte as a chunk of its own, `1\r\nX\r\n`. */
const encodeByteChunks = encodeOnce((piece) => {
  const chunks = Buffer.alloc(piece.length * 6, '1\r\n \r\n');
  for (let at = 0; at < piece.length; at++) chunks[at * 6 + 3] = piece[at] as number;
  return chunks;
});

/** Encodes each byte as a continuation frame, none of them the first or last of its message. */
const encodeByteFrames = encodeOnce((piece) => {
  const frames = Buffer.alloc(piece.length * 3);
  for (let at = 0; at < piece.length; at++) {
    frames[at * 3] = CONTINUATION;
    frames[at * 3 + 1] = 1;
    frames[at * 3 + 2] = piece[at] as number;
  }
  return frames;
});

const FIRST_FRAME = encodeFrame(TEXT, Buffer.alloc(0));
const LAST_FRAME = encodeFrame(FIN | CONTINUATION, Buffer.alloc(0));

function* surround(head: Buffer, pieces: Iterable<Buffer>, tail: Buffer): Generator<Buffer> {
  yield head;
  yield* pieces;
  yield tail;
}

function* map(pieces: Iterable<Buffer>, encode: (piece: Buffer) => Buffer): Generator<Buffer> {
  for (const piece of pieces) yield encode(piece);
}

/** Pours a body; over HTTP the response is the last one on its connection. */
async function pourBody(answer: RawAnswer, pieces: Iterable<Buffer>): Promise<PourEnd> {
  const end = await pour(answer.socket, pieces);
  answer.socket.end();
  return end;
}

function pourInPieces(
  answer: RawAnswer,
  pieces: Iterable<Buffer>,
  encodeHttp: (piece: Buffer) => Buffer,
  encodeWebSocket: (piece: Buffer) => Buffer,
): Promise<PourEnd> {
  return answer.webSocket === undefined
    ? pourBody(answer, surround(CHUNKED_HEAD, map(pieces, encodeHttp), LAST_CHUNK))
    : pour(answer.socket, surround(FIRST_FRAME, map(pieces, encodeWebSocket), LAST_FRAME));
}

const encodeFragment = (piece: Buffer): Buffer => encodeFrame(CONTINUATION, piece);

type Compression = { readonly encoding: string; create(): Transform };
const COMPRESSIONS: readonly Compression[] = [
  { encoding: 'gzip', create: () => createGzip({ level: 1 }) },
  { encoding: 'deflate', create: () => createDeflate({ level: 1 }) },
  {
    encoding: 'br',
    create: () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  },
];

/** Compresses and sends a body as a stream. */
async function pourCompressed(
  answer: RawAnswer,
  pieces: Pieces,
  { encoding, create }: Compression,
): Promise<PourEnd> {
  const { socket } = answer;
  const compressor = create();
  const source = Readable.from(pieces);
  socket.once('close', () => source.destroy());
  source.once('error', () => compressor.destroy());
  source.once('close', () => compressor.end());
  socket.write(encodeHttpHead([`content-encoding: ${encoding}`, 'transfer-encoding: chunked']));
  try {
    for await (const chunk of source.pipe(compressor)) {
      if ((await pour(socket, [encodeChunk(chunk as Buffer)])) === 'closed') return 'closed';
    }
    return await pourBody(answer, [LAST_CHUNK]);
  } catch {
    return 'closed';
  } finally {
    source.destroy();
    compressor.destroy();
  }
}

const flooded = new WeakSet<Socket>();

/** Sends the true response, and beside it messages without end: one flood per connection. */
async function flood({ text, socket, webSocket }: RawAnswer, unit: Buffer): Promise<PourEnd> {
  webSocket?.send(text);
  if (flooded.has(socket)) return 'taken';
  flooded.add(socket);
  return pour(socket, repeatForever(unit), FLOOD_MS);
}

function* repeatForever(unit: Buffer): Generator<Buffer> {
  for (;;) yield unit;
}

function fill(makeFrame: (index: number) => Buffer): Buffer {
  const frames: Buffer[] = [];
  for (let bytes = 0; bytes < FLOOD_UNIT_BYTES; ) {
    const frame = makeFrame(frames.length);
    frames.push(frame);
    bytes += frame.length;
  }
  return Buffer.concat(frames);
}

const encodeText = (text: string): Buffer => encodeFrame(FIN | TEXT, Buffer.from(text));
const encodeNotification = (subscription: string, result: string): string =>
  `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${subscription}","result":${result}}}`;
const hash = (index: number): string => `0x${(index + 1).toString(16).padStart(64, 'e')}`;
/** Header that is consistent enough to be read. */
const encodeHeader = (index: number): string =>
  JSON.stringify({
    number: `0x${(100 + index).toString(16)}`,
    hash: hash(index),
    parentHash: hash(index * 7),
    timestamp: `0x${(1_800_000_000 + index).toString(16)}`,
    stateRoot: hash(index * 3),
    transactionsRoot: hash(index * 5),
    receiptsRoot: hash(index * 11),
    gasLimit: '0x1c9c380',
    gasUsed: '0x0',
    baseFeePerGas: '0x7',
    difficulty: '0x0',
    extraData: '0x',
  });
/** Subscription id that `FaultUpstream` assigns to every subscription. */
const SUBSCRIPTION = '0x1';

const floodOf = (name: string, makeUnit: () => Buffer): HostileDelivery => ({
  name,
  transports: WEB_SOCKET,
  isFlood: true,
  hasOwnSize: true,
  hasOwnContent: true,
  send: (answer) => flood(answer, makeUnit()),
});

function joinPieces(pieces: Pieces): Buffer {
  return Buffer.concat([...pieces]);
}

const slots = new WeakMap<Socket, Promise<unknown>>();

/** Sends a response; over a WebSocket after the earlier ones, because frames of two messages must not interleave. */
export function deliver(
  delivery: HostileDelivery,
  answer: RawAnswer,
  content: Content,
  bytes: number,
): Promise<PourEnd> {
  const send = (): Promise<PourEnd> => delivery.send(answer, content, bytes);
  if (answer.webSocket === undefined || delivery.isFlood === true) return send();
  const sent = (slots.get(answer.socket) ?? Promise.resolve()).then(send);
  slots.set(
    answer.socket,
    sent.catch(() => {}),
  );
  return sent;
}

/** Control without a fault: measures the cost of the measurement itself. */
export const CONTROL: HostileDelivery = {
  name: 'the true answer (control)',
  transports: BOTH,
  hasOwnSize: true,
  hasOwnContent: true,
  async send({ text, socket, webSocket }) {
    if (webSocket === undefined) {
      const body = Buffer.from(text);
      return pour(socket, [encodeHttpHead([`content-length: ${body.length}`]), body]);
    }
    webSocket.send(text);
    return 'taken';
  },
};

export const DELIVERIES: readonly HostileDelivery[] = [
  {
    name: 'as a whole',
    transports: BOTH,
    send(answer, content, bytes) {
      const pieces = spell(answer, content, bytes);
      const head =
        answer.webSocket === undefined
          ? encodeHttpHead([`content-length: ${pieces.bytes}`])
          : encodeFrameHead(FIN | TEXT, pieces.bytes);
      const parts = surround(head, pieces, Buffer.alloc(0));
      return answer.webSocket === undefined ? pourBody(answer, parts) : pour(answer.socket, parts);
    },
  },
  {
    name: 'in pieces',
    transports: BOTH,
    send: (answer, content, bytes) =>
      pourInPieces(answer, spell(answer, content, bytes), encodeChunk, encodeFragment),
  },
  {
    name: 'in pieces of a byte',
    transports: BOTH,
    isDear: true,
    send: (answer, content, bytes) =>
      pourInPieces(answer, spell(answer, content, bytes), encodeByteChunks, encodeByteFrames),
  },
  {
    name: 'without end',
    transports: BOTH,
    hasOwnSize: true,
    send: (answer, content) =>
      pourInPieces(answer, spell(answer, content, Number.POSITIVE_INFINITY), encodeChunk, encodeFragment),
  },
  {
    name: 'a few bytes a second',
    transports: BOTH,
    hasOwnSize: true,
    isSlow: true,
    send(answer, content) {
      const pieces = spell(answer, content, Number.POSITIVE_INFINITY);
      if (answer.webSocket === undefined) {
        return trickleSlowly(answer.socket, surround(encodeHttpHead([]), pieces, Buffer.alloc(0)), TRICKLE);
      }
      const head = encodeFrameHead(FIN | TEXT, TRICKLED_BYTES);
      return trickleSlowly(answer.socket, surround(head, pieces, Buffer.alloc(0)), TRICKLE);
    },
  },
  ...COMPRESSIONS.map(
    (compression): HostileDelivery => ({
      name: compression.encoding,
      transports: HTTP,
      send: (answer, content, bytes) => pourCompressed(answer, spell(answer, content, bytes), compression),
    }),
  ),
  floodOf('pings', () => fill(() => encodeFrame(FIN | PING, Buffer.alloc(CONTROL_BYTES, 'p')))),
  floodOf('pongs', () => fill(() => encodeFrame(FIN | PONG, Buffer.alloc(CONTROL_BYTES, 'p')))),
  floodOf('small answers to unknown ids', () =>
    fill((index) => encodeText(`{"jsonrpc":"2.0","id":${UNKNOWN_ID}${index},"result":"0x1"}`)),
  ),
  floodOf('small notifications of unknown subscriptions', () =>
    fill((index) => encodeText(encodeNotification(hash(index), '"0x1"'))),
  ),
  floodOf('random heads', () =>
    fill((index) => encodeText(encodeNotification(SUBSCRIPTION, encodeHeader(index)))),
  ),
  {
    name: 'answers to unknown ids',
    transports: WEB_SOCKET,
    isFlood: true,
    hasOwnSize: true,
    send(answer, content) {
      const pieces = spellResponse(content, answer.text, `${UNKNOWN_ID}1`, FLOOD_CONTENT_BYTES);
      return flood(answer, encodeFrame(FIN | TEXT, joinPieces(pieces)));
    },
  },
  {
    name: 'notifications of unknown subscriptions',
    transports: WEB_SOCKET,
    isFlood: true,
    hasOwnSize: true,
    send(answer, content) {
      const pieces = spellResponse(content, answer.text, '1', FLOOD_CONTENT_BYTES);
      const text = encodeNotification(hash(0), joinPieces(pieces).toString());
      return flood(answer, encodeText(text));
    },
  },
];
