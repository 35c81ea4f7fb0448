import { ChainError, createBoundRefusal } from '../chain/errors.ts';
import { BOUNDS } from '../util/bounds.ts';
import { PassedFault, UpstreamFault } from './fault.ts';

/** Converts the fault of a failed request to the error for the client. An error that is not an `UpstreamFault` is returned unchanged. */
export function toChainError(error: unknown): unknown {
  if (!(error instanceof UpstreamFault)) return error;
  if (error instanceof PassedFault) return error.refusal;
  switch (error.kind) {
    case 'unknown':
    case 'missing':
      return new ChainError('failed', error.message);
    case 'tooMuch':
      return new ChainError('exceeded', error.message);
    case 'pruned':
      return new ChainError('pruned', error.message);
    case 'rateLimited':
      return new ChainError('busy', error.bound);
    case 'tooLarge':
      return error.message === BOUNDS['node.answerBytes'].says
        ? createBoundRefusal('unavailable', 'node.answerBytes')
        : new ChainError('unavailable', error.message);
    case 'aborted':
      return new ChainError('aborted', error.message);
    default:
      return new ChainError('unavailable', error.message);
  }
}
