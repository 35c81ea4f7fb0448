import type { HexData } from '../primitives/hex-data.ts';
import { UntracedError } from '../primitives/untraced-error.ts';
import { type BoundName, type BoundsOf, describeBoundRefusal } from '../util/bounds.ts';

/** Answer of `Chain.request` for a method that this chain cannot serve. */
export const UNSUPPORTED: unique symbol = Symbol('unsupported');

/** Why a simulated block or transaction is refused; the message is geth's text. The error table has a row for each. */
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

/** Why a chain could not answer with a result. The gateway maps each kind to one row of the error table. */
export type ChainErrorKind =
  /** The EVM executed REVERT: `data` holds the raw revert data. */
  | 'reverted'
  /** Execution or its preparation failed for good; the message is geth's text. */
  | 'failed'
  /** The block is older than the history that is kept. */
  | 'pruned'
  /** The block never had what is asked for. */
  | 'absent'
  /** An argument is well formed but cannot be meant; the message says which. */
  | 'invalid'
  /** The answer would be larger than the network allows; the message says how to ask for less. */
  | 'exceeded'
  /** The call's time limit passed. */
  | 'timeout'
  /** A bound refuses, which the message names; trying later may help. */
  | 'busy'
  /** No source of the chain's data could give an answer that can be trusted; trying later may help. */
  | 'unavailable'
  /** The chain is of imported blocks: transactions cannot be sent. */
  | 'readOnly'
  /** The network's configuration does not fit its chain: trying again does not help, the message says what would. */
  | 'misconfigured'
  /** No source of the chain's data has the method, which the message names. */
  | 'unsupported'
  /** A node refuses a method that is passed on to it: a `NodeRefusal`, with the node's code. */
  | 'refused'
  /** The caller is gone or the process is stopping. */
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

/** A `ChainError` as it passes from thread to thread. */
export type ChainErrorParts = {
  readonly kind: ChainErrorKind;
  readonly message: string;
  readonly data?: HexData | undefined;
  readonly bound?: BoundName | undefined;
};

export class ChainError extends UntracedError {
  readonly kind: ChainErrorKind;
  /** Raw revert data; present for `reverted` only. */
  readonly data: HexData | undefined;
  /** The bound that refuses; always present for `busy`. */
  readonly bound: BoundName | undefined;

  constructor(...args: ChainErrorArguments) {
    super(args[0] === 'busy' ? describeBoundRefusal(args[1]) : args[1]);
    this.name = 'ChainError';
    this.kind = args[0];
    this.data = args[0] === 'busy' ? undefined : args[2];
    this.bound = args[0] === 'busy' ? args[1] : args[3];
  }
}

/** An error of a bound that has other words than `busy`: those of geth, with the name of the bound behind them. @param detail fills the `{}` of the bound's words */
export function createBoundRefusal(
  kind: Exclude<ChainErrorKind, 'busy'>,
  bound: BoundName,
  detail?: number | string,
): ChainError {
  return new ChainError(kind, describeBoundRefusal(bound, detail), undefined, bound);
}

/** The failure of what has taken all the time that it had, in geth's words. @param limitMs as it was given; the message has it to the tenth of a second */
export function createTimeout(limitMs: number): ChainError {
  return createBoundRefusal('timeout', 'call.time', `${Math.round(limitMs / 100) / 10}s`);
}

/** The error that another thread had. */
export function restoreChainError({ kind, message, data, bound }: ChainErrorParts): ChainError {
  if (kind !== 'busy') return new ChainError(kind, message, data, bound);
  return new ChainError(kind, (bound as BoundsOf<'busy'> | undefined) ?? 'executions.waiting');
}
