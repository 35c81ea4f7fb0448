import * as z from 'zod';
import { KEPT_CHANGES } from '../store/block-changes.ts';

/** Blocks below the head of an embedded chain at which `eth_getProof` answers. */
export const DEFAULT_PROOF_BLOCKS = 128;

/** `proofBlocks:` of an embedded network. A store remembers no more. */
export const proofBlocksSchema: z.ZodType<number> = z
  .int()
  .min(0)
  .max(KEPT_CHANGES)
  .default(DEFAULT_PROOF_BLOCKS);

/** How calls are executed here; sizes are bytes. */
export type ExecutionOptions = {
  /** Memory that the frames of one call may have together. Beyond it the call fails as if it were out of gas. */
  readonly callMemory: number;
  /** Calls that take longer than a slice and run at the same time. Each has an EVM of its own. */
  readonly heavyCalls: number;
  /** Such calls that may wait for a place. */
  readonly waitingCalls: number;
  /** Gas of all calls of one `eth_simulateV1` together; absent: 10 times the latest block's gas limit. */
  readonly simulationGas?: number;
  /** Proven state and codes of each network of nodes on which calls are executed here. */
  readonly provenState: number;
};

const MiB = 1024 * 1024;
/** Of each network on which calls are executed on proven state, bytes. */
export const DEFAULT_PROVEN_STATE: number = 64 * MiB;
/** At the interpreter's speed this much runs for several seconds. */
export const MAX_SIMULATION_GAS: number = 2 ** 32;
export const MIN_SIMULATION_GAS = 21_000;
/** The most memory that the frames of one execution may be given, bytes. */
export const MAX_CALL_MEMORY: number = 1_024 * MiB;

/** `execution:` in the configuration file. */
export const executionOptionsSchema: z.ZodType<ExecutionOptions> = z
  .strictObject({
    callMemory: z
      .int()
      .min(MiB)
      .max(MAX_CALL_MEMORY)
      .default(256 * MiB),
    heavyCalls: z.int().min(1).max(256).default(14),
    waitingCalls: z.int().min(1).max(100_000).default(4_096),
    provenState: z
      .int()
      .min(MiB)
      .max(16_384 * MiB)
      .default(DEFAULT_PROVEN_STATE),
    simulationGas: z.int().min(MIN_SIMULATION_GAS).max(MAX_SIMULATION_GAS).exactOptional(),
  })
  .prefault({});
