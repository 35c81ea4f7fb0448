import {
  isComplete,
  type JsonResult,
  type JsonStream,
} from '../../../packages/ethereum/primitives/json-result.ts';
import { toChainError } from '../../pool/chain-errors.ts';

/** Wraps a stream so that it fails with ChainErrors; a complete result is returned unchanged. */
export function translateFaults<T extends JsonResult | null>(result: T): T | JsonStream {
  if (result === null || isComplete(result)) return result;
  return { pieces: readTranslated(result), cancel: () => result.cancel() };
}

async function* readTranslated(source: JsonStream): AsyncGenerator<Uint8Array> {
  try {
    yield* source.pieces;
  } catch (error) {
    throw toChainError(error);
  }
}
