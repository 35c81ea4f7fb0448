import type { Header } from '../../../../../packages/ethereum/codecs/header.ts';
import { ChainError, createBoundRefusal } from '../../../../chain/errors.ts';
import type { BlockStateCalls, SimulatedBlockOverrides } from '../../../../chain/requests.ts';
import { limitOf } from '../../../../util/bounds.ts';

export type PlannedBlock = Omit<BlockStateCalls, 'blockOverrides'> & {
  readonly number: bigint;
  readonly timestamp: bigint;
  readonly overrides: SimulatedBlockOverrides;
};

/** Maximum number of blocks per simulation, including blocks that fill gaps. */
const MAX_BLOCKS = BigInt(limitOf('simulation.blocks'));
/** Seconds from the previous block to a block without an explicit time: one slot. */
const SLOT_SECONDS = 12n;

/** Adds one slot to a timestamp. geth's timestamps have 64 bits and wrap around. */
function addSlot(timestamp: bigint): bigint {
  return BigInt.asUintN(64, timestamp + SLOT_SECONDS);
}

/**
 * Assigns a number and a time to every block, in ascending order from `base`. Empty blocks fill the gaps between requested numbers.
 * @throws ChainError with geth's texts
 */
export function planBlocks(
  blocks: readonly BlockStateCalls[],
  base: Pick<Header, 'number' | 'timestamp'>,
): PlannedBlock[] {
  const planned: PlannedBlock[] = [];
  let { number, timestamp } = base;
  for (const { blockOverrides: overrides = {}, ...rest } of blocks) {
    const next = overrides.number === undefined ? number + 1n : BigInt(overrides.number);
    if (next <= number) {
      throw new ChainError(
        'blockNumberOrder',
        `block numbers must be in order: ${BigInt.asUintN(64, next)} <= ${number}`,
      );
    }
    if (next - base.number > MAX_BLOCKS) throw createBoundRefusal('simulationLimit', 'simulation.blocks');
    for (number++; number < next; number++) {
      timestamp = addSlot(timestamp);
      planned.push({ number, timestamp, overrides: {} });
    }
    const time = overrides.time === undefined ? addSlot(timestamp) : BigInt(overrides.time);
    if (overrides.time !== undefined && time <= timestamp) {
      throw new ChainError(
        'blockTimestampOrder',
        `block timestamps must be in order: ${time} <= ${timestamp}`,
      );
    }
    timestamp = time;
    planned.push({ ...rest, number, timestamp, overrides });
  }
  return planned;
}
