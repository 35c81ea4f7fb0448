import type { CallRequest, Executions } from '../../chain/chain.ts';
import { encodeHexData, type HexData } from '../../primitives/hex-data.ts';
import type { JsonResult, JsonText } from '../../primitives/json-result.ts';
import { continueWith, type PromiseOrValue } from '../../primitives/promise-or-value.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import type { StoredBlocks } from '../reads/stored-blocks.ts';
import { type SimulationRequest, Simulator } from '../simulation/simulator.ts';
import type { ExecutionPool } from './execution-pool.ts';
import type { Job } from './job.ts';

/** The cap on a call's gas, in units of the head's gas limit (spec 8). */
const GAS_CAP_FACTOR = 10n;

/** Calls and estimates in the state of stored blocks. */
export class EngineExecutions implements Executions {
  readonly #blocks: StoredBlocks;
  readonly #store: string;
  readonly #pool: ExecutionPool;
  /** Runs what is executed on this thread. */
  readonly #simulator: Simulator;

  constructor(blocks: StoredBlocks, store: string, pool: ExecutionPool) {
    this.#blocks = blocks;
    this.#store = store;
    this.#pool = pool;
    this.#simulator = new Simulator(blocks.reader, pool.memoryLimit, pool.meter);
  }

  call(request: CallRequest, scope: RequestScope): PromiseOrValue<JsonResult> {
    return continueWith(this.#execute('call', request, scope), encodeHexData);
  }

  estimateGas(request: CallRequest, scope: RequestScope): PromiseOrValue<JsonText> {
    return continueWith(this.#execute('estimate', request, scope), (quantity) => `"${quantity}"`);
  }

  #execute(kind: Job['kind'], request: CallRequest, scope: RequestScope): PromiseOrValue<HexData> {
    const { block, isPending } = this.#blocks.findState(request.block);
    const job: Job = {
      kind,
      store: this.#store,
      gasLimit: this.#blocks.head.header.gasLimit * GAS_CAP_FACTOR,
      request: createSimulationRequest(block.header.number, isPending, request),
    };
    return this.#pool.run(job, this.#simulator, scope);
  }
}

function createSimulationRequest(
  blockNumber: bigint,
  isPending: boolean,
  { call, stateOverrides, blockOverrides }: CallRequest,
): SimulationRequest {
  if (stateOverrides === undefined && blockOverrides === undefined) return { blockNumber, isPending, call };
  return {
    blockNumber,
    isPending,
    call,
    ...(stateOverrides !== undefined && { stateOverrides }),
    ...(blockOverrides !== undefined && { blockOverrides }),
  };
}
