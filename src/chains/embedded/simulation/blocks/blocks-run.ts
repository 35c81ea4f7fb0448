import type { HexData } from '../../../../../packages/ethereum/primitives/hex-data.ts';
import type { ChainReader, StoredHeader } from '../../store/chain-reader.ts';
import type { PooledEvm } from '../evm-pool.ts';
import type { Execution } from '../execution.ts';
import { NO_BENEFICIARY } from '../pending-header.ts';
import type { Simulator } from '../simulator.ts';
import { openTries, type SimulateBlocksRequest, simulateBlocks } from './simulate-blocks.ts';
import { SimulatedState } from './simulated-state.ts';
import { TextBuffer } from './text-buffer.ts';

/** Maximum number of attempts at a simulation; an attempt fails when the store's head moves meanwhile. */
const MAX_ATTEMPTS = 3;

/** One `eth_simulateV1` execution with its EVM, state and result buffer. */
export class BlocksRun {
  readonly #simulator: Simulator;
  readonly #request: SimulateBlocksRequest;
  readonly #gasLimit: bigint;
  #entry: PooledEvm | undefined;
  #bytesBefore = 0;
  #state: SimulatedState | undefined;
  #text = new TextBuffer();

  /** @param gasLimit total gas limit of all calls */
  constructor(simulator: Simulator, request: SimulateBlocksRequest, gasLimit: bigint) {
    this.#simulator = simulator;
    this.#request = request;
    this.#gasLimit = gasLimit;
  }

  /** Memory that the simulation has allocated since its start, bytes. */
  get memoryGrowth(): number {
    const growth = this.#entry === undefined ? 0 : this.#entry.evm.memoryPeak - this.#bytesBefore;
    return growth + (this.#state?.size ?? 0) + this.#text.size;
  }

  /**
   * Runs the simulation. The tries are read from the store's head, so the simulation restarts when the head moves.
   * @throws ChainError with geth's texts
   */
  *execute(): Execution<HexData> {
    const { reader } = this.#simulator;
    for (let attempt = 1; ; attempt++) {
      const { hashText } = reader.head;
      try {
        const result = yield* this.#attempt(reader);
        if (reader.head.hashText === hashText || attempt === MAX_ATTEMPTS) return result;
      } catch (error) {
        if (reader.head.hashText === hashText || attempt === MAX_ATTEMPTS) throw error;
      }
      this.close();
    }
  }

  *#attempt(reader: ChainReader): Execution<HexData> {
    const { blockNumber, isPending, simulation } = this.#request;
    const base = reader.getHeader(blockNumber) as StoredHeader;
    const tries = yield* openTries(reader, base);
    const state = new SimulatedState(reader, Number(blockNumber), tries, base.header.stateRoot);
    this.#state = state;
    const entry = this.#simulator.evms.acquireFor(state);
    this.#entry = entry;
    this.#bytesBefore = entry.evm.memoryPeak;
    const { meter } = this.#simulator;
    const parts = { reader, evm: entry.evm, state, meter, gasLimit: this.#gasLimit, text: this.#text };
    const { header } = base;
    const parent = isPending ? { ...base, header: { ...header, beneficiary: NO_BENEFICIARY } } : base;
    return yield* simulateBlocks(parts, parent, simulation);
  }

  /** Releases the EVM and all buffers; may also be called when the simulation was stopped before its end. */
  close(): void {
    if (this.#entry !== undefined) this.#simulator.evms.releaseUnknown(this.#entry);
    this.#entry = undefined;
    this.#state = undefined;
    this.#text = new TextBuffer();
  }
}
