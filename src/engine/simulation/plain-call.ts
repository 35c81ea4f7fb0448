import { ChainError } from '../../chain/errors.ts';
import type { RevisionRules } from '../../evm/revisions/revision-rules.ts';
import { StateLimitError } from '../../evm/world-state.ts';
import type { CallBytes } from '../../primitives/call-bytes.ts';
import type { HexData } from '../../primitives/hex-data.ts';
import { toChainError } from './execute-call.ts';
import { SLICE_GAS } from './execution.ts';
import type { Simulator, StateAt } from './simulator.ts';

const FIRST_SLICE_GAS = Number(SLICE_GAS);
/** The most that a transaction, and a byte of its data, cost in any revision: the latter before EIP-2028. */
const MAX_TRANSACTION_GAS = 21_000;
const MAX_BYTE_GAS = 68;

/**
 * Runs a call without value, price, lists and overrides until it is done or `endsAt` on the clock of `performance.now()`: what `executeJob` does
 * with such a call, without what others need.
 * @param gasLimit no less than `gasToBegin`
 * @returns its return data; undefined when the time was not enough, and nothing is left of it then
 * @throws ChainError with geth's texts
 */
export function runPlainCall(
  simulator: Simulator,
  call: CallBytes,
  at: StateAt,
  gasLimit: number,
  endsAt: number,
): HexData | undefined {
  const { freeBlock, rules } = simulator.environmentOf(at, 'call');
  const entry = simulator.evms.acquire(at.blockNumber);
  const { evm } = entry;
  let isSound = true;
  try {
    evm.enter(freeBlock, rules.chainId, rules.revision);
    const intrinsicGas = intrinsicGasOf(call, rules.revision);
    let isDone = evm.runPlain(call, gasLimit - intrinsicGas, FIRST_SLICE_GAS);
    while (!isDone) {
      if (evm.isAtLongStep || performance.now() >= endsAt) return undefined;
      isDone = evm.advance(SLICE_GAS);
    }
    simulator.meter.used += intrinsicGas + evm.gasUsedNumber;
    if (!evm.isSuccess) throw toChainError(evm.outcome);
    return evm.outputData;
  } catch (error) {
    if (error instanceof StateLimitError) throw new ChainError('failed', error.message);
    isSound = error instanceof ChainError;
    throw error;
  } finally {
    // After a fault of this program it is unknown what is in it: that one is not used again.
    if (isSound) {
      while (!evm.abandon());
      simulator.evms.release(entry);
    }
  }
}

/** Gas with which any call of so many bytes of data can begin: 21,000, and 68 for each byte at most (EIP-2028, 7623). */
export function gasToBegin(dataLength: number): number {
  return MAX_TRANSACTION_GAS + MAX_BYTE_GAS * dataLength;
}

function intrinsicGasOf({ dataLength, zeros }: CallBytes, { intrinsic }: RevisionRules): number {
  return intrinsic.transaction + zeros * intrinsic.zeroByte + (dataLength - zeros) * intrinsic.nonZeroByte;
}
