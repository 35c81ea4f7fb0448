import type { HexData } from '../../../../../packages/ethereum/primitives/hex-data.ts';
import type { Evm } from '../../../../../packages/evm/interpreter/evm.ts';
import type { BlockSimulation } from '../../../../chain/requests.ts';
import { buildPastTrie } from '../../state/past-trie.ts';
import { StateTrie } from '../../state/state-trie.ts';
import type { ChainReader, StoredHeader } from '../../store/chain-reader.ts';
import type { Execution } from '../execution.ts';
import type { GasMeter } from '../gas-meter.ts';
import { encodeSimulatedBlock } from './encode-block.ts';
import { planBlocks } from './plan-blocks.ts';
import { type HashedHeader, prepareHeader } from './prepare-header.ts';
import { type SimulationParts, simulateBlock } from './simulate-block.ts';
import type { SimulatedState } from './simulated-state.ts';
import type { TextBuffer } from './text-buffer.ts';

/** An `eth_simulateV1` request on top of a stored block. */
export type SimulateBlocksRequest = {
  /** Number of the stored block that is the parent of the first simulated block. */
  readonly blockNumber: bigint;
  /** True if the request named `pending`: fields without an override are then those of the pending block. */
  readonly isPending: boolean;
  readonly simulation: BlockSimulation;
};

export type SimulationEnvironment = {
  readonly reader: ChainReader;
  readonly evm: Evm;
  readonly state: SimulatedState;
  readonly meter: GasMeter;
  /** Total gas limit of all calls. */
  readonly gasLimit: bigint;
  readonly text: TextBuffer;
};

/**
 * Simulates blocks, each on top of the previous one.
 * @returns a JSON array of block objects
 * @throws ChainError with geth's texts
 */
export function* simulateBlocks(
  { reader, evm, state, meter, gasLimit, text }: SimulationEnvironment,
  base: StoredHeader,
  simulation: BlockSimulation,
): Execution<HexData> {
  const { blockStateCalls, traceTransfers, validation = false, returnFullTransactions } = simulation;
  const planned = planBlocks(blockStateCalls, base.header);
  const parts: SimulationParts = {
    evm,
    state,
    meter,
    isValidated: validation,
    tracesTransfers: traceTransfers === true,
    logsByHash: new Map(),
    budget: gasLimit,
  };
  const hashes = new Map<bigint, Uint8Array>();
  const getBlockHash = (number: bigint): Uint8Array =>
    hashes.get(number) ??
    (number <= base.header.number ? reader.getHeader(number)?.hash : undefined) ??
    new Uint8Array(32);
  let parent: HashedHeader = base;
  text.add('[');
  for (const block of planned) {
    if (parent !== base) text.add(',');
    const prepared = prepareHeader(block, parent, reader.config, validation);
    const simulated = yield* simulateBlock(parts, { ...prepared, planned: block, getBlockHash });
    for (const part of encodeSimulatedBlock(simulated, returnFullTransactions === true)) {
      text.add(part);
      if (text.isPieceFull) yield 'sliceUsed';
    }
    hashes.set(simulated.header.number, simulated.hash);
    parent = simulated;
    yield 'sliceUsed';
  }
  text.add(']');
  return text.take();
}

/** Opens the tries of a stored block for a simulation, which may change them without writing to the store. */
export function* openTries(reader: ChainReader, base: StoredHeader): Execution<StateTrie> {
  const head = reader.head.header.number;
  if (head === base.header.number) return new StateTrie(reader);
  const building = buildPastTrie(reader, base, Number(head));
  for (let step = building.next(); ; step = building.next()) {
    if (step.done) return step.value;
    yield 'sliceUsed';
  }
}
