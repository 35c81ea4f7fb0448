import * as z from 'zod';
import { option } from '../../util/option.ts';
import { formatSize } from '../../util/size.ts';
import { sizeBetween } from '../../util/size-schema.ts';
import { STORED_CHANGES } from './store/block-changes.ts';

/** Default number of blocks below the head for which `eth_getProof` answers on an embedded chain. */
export const DEFAULT_PROOF_BLOCKS = 128;

/** Schema of `proofBlocks:` of an embedded network; the maximum is the number of blocks whose changes a store retains. */
export const proofBlocksSchema: z.ZodType<number> = z
  .int()
  .min(0)
  .max(STORED_CHANGES)
  .default(DEFAULT_PROOF_BLOCKS);

/** Options of local execution; sizes are in bytes. */
export type ExecutionOptions = {
  /** Limit on the total memory of all frames of one call, bytes. A call that exceeds the limit fails as if it ran out of gas. */
  readonly callMemory: number;
  /** Maximum number of concurrently running calls that take longer than one slice; each has its own EVM. */
  readonly heavyCalls: number;
  /** Maximum number of calls that wait until fewer than `heavyCalls` calls run. */
  readonly waitingCalls: number;
  /** Total gas limit of all calls of one `eth_simulateV1`; default: 10 times the gas limit of the latest block. */
  readonly simulationGas?: number;
  /**
   * Size of the cache of verified state and codes, bytes. Each network whose calls execute locally on the state of upstream nodes has its own cache.
   */
  readonly provenState: number;
};

const MiB = 1024 * 1024;
/** Default of `provenState`, bytes. */
export const DEFAULT_STATE_CACHE_BYTES: number = 64 * MiB;
/** Upper bound of `simulationGas`: interpreting this much gas takes several seconds. */
export const MAX_SIMULATION_GAS: number = 2 ** 32;
export const MIN_SIMULATION_GAS = 21_000;
/** Upper bound of `callMemory`, bytes. */
export const MAX_CALL_MEMORY: number = 1_024 * MiB;

/** Schema of `execution:` in the configuration file. */
export const executionOptionsSchema: z.ZodType<ExecutionOptions> = z
  .strictObject({
    callMemory: option(
      'Maximum EVM memory of one call. A call that exceeds it fails as if it ran out of gas.',
      sizeBetween('1MiB', formatSize(MAX_CALL_MEMORY)).prefault('256MiB'),
    ),
    heavyCalls: option(
      'Maximum number of calls that run at the same time for longer than 2 ms.',
      z.int().min(1).max(256).default(14),
    ),
    waitingCalls: option(
      'Maximum number of calls that wait for one of the `heavyCalls`. Further calls are refused with status 429.',
      z.int().min(1).max(100_000).default(4_096),
    ),
    provenState: option(
      'Size of the cache of state that the nodes of one network have sent with Merkle proofs.',
      sizeBetween('1MiB', '16GiB').prefault(formatSize(DEFAULT_STATE_CACHE_BYTES)),
    ),
    simulationGas: option(
      'Maximum gas of all calls of one `eth_simulateV1`. By default, it is 10 times the gas limit of the latest block.',
      z.int().min(MIN_SIMULATION_GAS).max(MAX_SIMULATION_GAS).exactOptional(),
    ),
  })
  .prefault({});
