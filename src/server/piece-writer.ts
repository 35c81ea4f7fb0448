import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { createGzip, constants as zlibConstants } from 'node:zlib';
import type { CancelSignal } from '../util/cancel-source.ts';
import { giveBack } from '../util/read-memory.ts';

/** Each piece leaves the compressor as soon as it is in: the source may pause after any of them. */
const GZIP_OPTIONS = { level: zlibConstants.Z_BEST_SPEED, flush: zlibConstants.Z_SYNC_FLUSH };

type Pieces = AsyncIterable<Uint8Array>;

/**
 * Writes pieces no faster than the client reads them. Their memory may be used again once they are written: what made them must not keep them. Rejects with what they throw; resolves when all are written, or
 * when the client has gone.
 * @param onChange called when a piece has to wait for the client, and when it waits no longer
 */
export async function writePieces(
  response: ServerResponse,
  pieces: Pieces,
  onChange: () => void,
): Promise<void> {
  for await (const piece of pieces) {
    if (response.destroyed) return;
    if (response.write(piece)) continue;
    onChange();
    await waitForRoom(response);
    onChange();
    if (!response.destroyed && response.writableLength === 0) giveBack(piece);
  }
}

/** Pieces that are counted as they are read. */
export class CountedPieces implements Pieces {
  readonly #source: Pieces;
  bytes = 0;

  constructor(source: Pieces) {
    this.#source = source;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const piece of this.#source) {
      this.bytes += piece.length;
      yield piece;
    }
  }
}

/** The pieces as one gzip stream; it throws what they throw. */
export function compressPieces(pieces: Pieces): Pieces {
  // Failures are part of the outcome.
  return pipeline(pieces, createGzip(GZIP_OPTIONS), () => {});
}

/** Resolves to whether it is this response's turn on its connection, or `signal` was aborted before. */
export function waitForTurn(response: ServerResponse, signal: CancelSignal): Promise<boolean> {
  if (response.socket !== null || signal.aborted) return Promise.resolve(!signal.aborted);
  return new Promise((resolve) => {
    const settle = (): void => {
      response.removeListener('socket', settle);
      signal.removeEventListener('abort', settle);
      resolve(!signal.aborted);
    };
    response.on('socket', settle);
    signal.addEventListener('abort', settle);
  });
}

function waitForRoom(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      response.removeListener('drain', settle);
      response.removeListener('close', settle);
      resolve();
    };
    response.on('drain', settle);
    response.on('close', settle);
  });
}
