import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import type { CancelSignal } from '../util/cancel-source.ts';
import { giveBack } from '../util/read-memory.ts';
import type { Coding } from './codings/coding.ts';

type Pieces = AsyncIterable<Uint8Array>;

/**
 * Writes pieces no faster than the client reads them. The memory of written pieces may be reused, so the source must not use a piece after yielding
 * it.
 * Rejects with the error of `pieces`; resolves when all pieces are written, or when the client has disconnected.
 * @param onChange called when the socket is full, and when it has drained
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

/** Pieces of a stream; counts their bytes while they are read. */
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

/** Compresses pieces into one stream. The stream fails with the errors of `pieces`. */
export function compressPieces(pieces: Pieces, coding: Coding): Pieces {
  // The callback ignores the error, because the reader of the stream gets it.
  return pipeline(pieces, coding.createStream(), () => {});
}

/** Resolves to true when this response is the next one on its connection, or to false if `signal` is aborted first. */
export function waitForTurn(response: ServerResponse, signal: CancelSignal): Promise<boolean> {
  if (response.socket !== null || signal.aborted) return Promise.resolve(!signal.aborted);
  return new Promise((resolve) => {
    const complete = (): void => {
      response.removeListener('socket', complete);
      signal.removeEventListener('abort', complete);
      resolve(!signal.aborted);
    };
    response.on('socket', complete);
    signal.addEventListener('abort', complete);
  });
}

function waitForRoom(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const complete = (): void => {
      response.removeListener('drain', complete);
      response.removeListener('close', complete);
      resolve();
    };
    response.on('drain', complete);
    response.on('close', complete);
  });
}
