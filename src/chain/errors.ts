import type { HexData } from '../../packages/ethereum/primitives/hex-data.ts';
import { UntracedError } from '../../packages/ethereum/primitives/untraced-error.ts';
import { type BoundName, type BoundsOf, describeBoundRefusal } from '../util/bounds.ts';

/** Result of `Chain.request` for a method that this chain cannot serve. */
export const UNSUPPORTED: unique symbol = Symbol('unsupported');

/** Reason why a simulated block or transaction is rejected. The message is geth's text, and the error table has a row for each reason. */
export type SimulationRefusal =
  | 'nonceTooLow'
  | 'nonceTooHigh'
  | 'feeCapTooLow'
  | 'intrinsicGas'
  | 'insufficientFunds'
  | 'blockGasLimit'
  | 'blockNumberOrder'
  | 'blockTimestampOrder'
  | 'initCodeSize'
  | 'simulationLimit'
  | 'invalidSimulation';

/** Kind of a chain failure. The gateway maps each kind to one row of the error table. */
export type ChainErrorKind =
  /** The EVM executed REVERT; `data` is the raw revert data. */
  | 'reverted'
  /** An execution or its preparation failed permanently; the message is geth's text. */
  | 'failed'
  /** The block is older than the stored history. */
  | 'pruned'
  /** The block never had the requested data. */
  | 'absent'
  /** An argument is well formed but has no valid meaning; the message names the argument. */
  | 'invalid'
  /** The result exceeds a limit of the network; the message explains how to request less. */
  | 'exceeded'
  /** The call's time limit has passed. */
  | 'timeout'
  /** The request was rejected because a bound of the service is reached. The message names the bound; a later request may succeed. */
  | 'busy'
  /** No source of the chain's data has a trustworthy answer; a later request may succeed. */
  | 'unavailable'
  /** The chain consists of imported blocks, so transactions cannot be sent. */
  | 'readOnly'
  /** The configuration of the network does not match its chain. Repeating the request does not help; the message says what to change. */
  | 'misconfigured'
  /** No source of the chain's data supports the method; the message names the method. */
  | 'unsupported'
  /** A node rejects a forwarded method; the error is a `NodeRefusal` with the node's code. */
  | 'refused'
  /** The caller has disconnected or the process is stopping. */
  | 'aborted'
  | SimulationRefusal;

type ChainErrorArguments =
  | [
      kind: Exclude<ChainErrorKind, 'busy'>,
      message: string,
      data?: HexData | undefined,
      bound?: BoundName | undefined,
    ]
  | [kind: 'busy', bound: BoundsOf<'busy'>];

/** Serializable form of a `ChainError` for other threads. */
export type ChainErrorParts = {
  readonly kind: ChainErrorKind;
  readonly message: string;
  readonly data?: HexData | undefined;
  readonly bound?: BoundName | undefined;
};

/** Failure of a chain operation. A `ChainError` captures no stack trace. */
export class ChainError extends UntracedError {
  readonly kind: ChainErrorKind;
  /** Raw revert data; only for `reverted`. */
  readonly data: HexData | undefined;
  /** Bound that rejects the request; always present if the kind is `busy`. */
  readonly bound: BoundName | undefined;

  constructor(...args: ChainErrorArguments) {
    super(args[0] === 'busy' ? describeBoundRefusal(args[1]) : args[1]);
    this.name = 'ChainError';
    this.kind = args[0];
    this.data = args[0] === 'busy' ? undefined : args[2];
    this.bound = args[0] === 'busy' ? args[1] : args[3];
  }
}

/**
 * Creates the error for a bound whose kind is not `busy`: geth's error text, followed by the name of the bound.
 * @param detail value for the `{}` in the bound's text
 */
export function createBoundRefusal(
  kind: Exclude<ChainErrorKind, 'busy'>,
  bound: BoundName,
  detail?: number | string,
): ChainError {
  return new ChainError(kind, describeBoundRefusal(bound, detail), undefined, bound);
}

/**
 * Creates the error for an exceeded time limit, with geth's error text.
 * @param limitMs limit in milliseconds; the message rounds it to a tenth of a second, and below that to a millisecond
 */
export function createTimeout(limitMs: number): ChainError {
  const text = limitMs < 100 ? `${Math.round(limitMs)}ms` : `${Math.round(limitMs / 100) / 10}s`;
  return createBoundRefusal('timeout', 'call.time', text);
}

/** Restores an error that was sent from another thread. */
export function restoreChainError({ kind, message, data, bound }: ChainErrorParts): ChainError {
  if (kind !== 'busy') return new ChainError(kind, message, data, bound);
  return new ChainError(kind, (bound as BoundsOf<'busy'> | undefined) ?? 'executions.waiting');
}
