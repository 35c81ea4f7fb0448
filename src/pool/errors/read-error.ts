import { ChainError, type SimulationRefusal } from '../../chain/errors.ts';
import { UnknownExecutionError, UpstreamFault } from '../fault.ts';
import type { NodeError } from '../node-call.ts';
import { classifyError } from './classify-error.ts';
import { readLogRefusal } from './log-refusals.ts';
import { isExecuting, isSending } from './methods.ts';
import { maskRevertData, maskSecrets, scrubMessage } from './scrub-message.ts';
import { findSendRefusal, guessSendRefusal, SendRefusal } from './send-refusals.ts';
import type { Verdict } from './verdict.ts';

/** Error codes for refused transactions and blocks that execution-apis specifies for `eth_simulateV1`. */
const REFUSALS: ReadonlyMap<number, SimulationRefusal> = new Map([
  [-38_010, 'nonceTooLow'],
  [-38_011, 'nonceTooHigh'],
  [-38_012, 'feeCapTooLow'],
  [-38_013, 'intrinsicGas'],
  [-38_014, 'insufficientFunds'],
  [-38_015, 'blockGasLimit'],
  [-38_020, 'blockNumberOrder'],
  [-38_021, 'blockTimestampOrder'],
  [-38_025, 'initCodeSize'],
  [-38_026, 'simulationLimit'],
]);
const INTERNAL = -32_603;
/** Prefix that geth and its forks write before simulation errors that have no error code of their own. */
const INVALID_CALL = /^err: /;

/** Returns why a node refuses a simulated block or transaction; undefined for other errors. */
function findRefusal({ code, message }: NodeError, method: string): SimulationRefusal | undefined {
  if (method !== 'eth_simulateV1') return undefined;
  return (
    REFUSALS.get(code) ?? (code === INTERNAL && INVALID_CALL.test(message) ? 'invalidSimulation' : undefined)
  );
}

/**
 * Verdicts after which the message is searched for the refusal of a log request. Some nodes refuse a large log request with a general error code, or
 * with the code for an invalid or unsupported request.
 */
const MAY_BE_REFUSALS: ReadonlySet<Verdict['kind']> = new Set<Verdict['kind']>([
  'invalid',
  'unknown',
  'unsupported',
]);

/**
 * Converts a node's error to a ChainError if it answers the request, or to an UpstreamFault if another node may answer.
 * @param secrets texts that are masked in messages of the node
 * @param credentials secrets that are masked in revert reasons too; they cannot be guessed
 */
export function readError(
  error: NodeError,
  method: string,
  secrets: readonly string[],
  credentials: readonly string[] = [],
): ChainError | UpstreamFault {
  const refusal = findRefusal(error, method);
  if (refusal !== undefined) return new ChainError(refusal, scrubMessage(error.message, secrets));
  const sendRefusal = findSendRefusal(error, method, secrets);
  if (sendRefusal !== undefined) return sendRefusal;
  const verdict = classifyError(error, method, (words) => maskSecrets(words, secrets));
  if (method === 'eth_getLogs' && MAY_BE_REFUSALS.has(verdict.kind)) {
    const refusal = readLogRefusal(scrubMessage(error.message, secrets));
    if (refusal !== undefined) return refusal;
  }
  switch (verdict.kind) {
    case 'reverted':
      return new ChainError('reverted', 'execution reverted', maskRevertData(verdict.data, credentials));
    case 'failed':
    case 'invalid':
      if (isSending(method)) return new SendRefusal('refused', scrubMessage(verdict.message, secrets), false);
      return new ChainError(verdict.kind, scrubMessage(verdict.message, secrets));
    case 'pruned':
      return new UpstreamFault('pruned', 'pruned history unavailable');
    case 'missing':
      return new UpstreamFault('missing', scrubMessage(verdict.message, secrets));
    case 'rateLimited':
      return new UpstreamFault('rateLimited', 'the node limits the rate of requests', verdict.retryAfterMs);
    case 'unsupported':
      return new UpstreamFault('unsupported', `${method} is not available`);
    case 'timeout':
      return new UpstreamFault('timeout', 'the node took too long');
    case 'unauthorized':
      return new UpstreamFault('unauthorized', 'the node refuses our credentials');
    case 'unknown': {
      const message = scrubMessage(verdict.message, secrets);
      const refusal = guessSendRefusal(error, method, message);
      if (refusal !== undefined) return refusal;
      return isExecuting(method)
        ? new UnknownExecutionError(verdict.code, message)
        : new UpstreamFault('unknown', message);
    }
  }
}
