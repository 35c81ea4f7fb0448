import type { HexData } from '../../packages/ethereum/primitives/hex-data.ts';
import { UntracedError } from '../../packages/ethereum/primitives/untraced-error.ts';
import { type BoundName, type BoundsOf, describeBoundRefusal } from '../util/bounds.ts';

/** Result of `Chain.request` for a method that this chain cannot serve. */
export const UNSUPPORTED: unique symbol = Symbol('unsupported');

/** Reason why a simulated block or transaction is rejected; the message is geth's text. The error table has a row for each. */
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
  /** The EVM executed REVERT: `data` is the raw revert data. */
  | 'reverted'
  /** Execution or its preparation failed permanently; the message is geth's text. */
  | 'failed'
  /** The block is older than the stored history. */
  | 'pruned'
  /** The block never had the requested data. */
  | 'absent'
  /** An argument is well formed but has no valid meaning; the message names it. */
  | 'invalid'
  /** The result exceeds a limit of the network; the message says how to request less. */
  | 'exceeded'
  /** The call's time limit has passed. */
  | 'timeout'
  /** A bound rejects the request; the message names it, and retrying later may help. */
  | 'busy'
  /** No source of the chain's data has a trustworthy answer; retrying later may help. */
  | 'unavailable'
  /** The chain consists of imported blocks: transactions cannot be sent. */
  | 'readOnly'
  /** The network's configuration does not fit its chain: retrying cannot help, and the message says what would. */
  | 'misconfigured'
  /** No source of the chain's data has the method that the message names. */
  | 'unsupported'
  /** A node rejects a forwarded method: a `NodeRefusal` with the node's code. */
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

/** Failure of a chain operation; it captures no stack. */
export class ChainError extends UntracedError {
  readonly kind: ChainErrorKind;
  /** Raw revert data; only for `reverted`. */
  readonly data: HexData | undefined;
  /** Bound that rejects the request; always present for `busy`. */
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
 * Creates the error of a bound whose kind is not `busy`: geth's words followed by the name of the bound.
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
 * Creates the error of an exceeded time limit in geth's words.
 * @param limitMs limit in milliseconds; the message rounds it to a tenth of a second
 */
export function createTimeout(limitMs: number): ChainError {
  return createBoundRefusal('timeout', 'call.time', `${Math.round(limitMs / 100) / 10}s`);
}

/** Restores an error from another thread. */
export function restoreChainError({ kind, message, data, bound }: ChainErrorParts): ChainError {
  if (kind !== 'busy') return new ChainError(kind, message, data, bound);
  return new ChainError(kind, (bound as BoundsOf<'busy'> | undefined) ?? 'executions.waiting');
}
