import { minBigInt } from '../../../../packages/ethereum/primitives/bigint.ts';
import {
  type CallBytes,
  LATEST_BLOCK,
  NO_GAS_LIMIT,
} from '../../../../packages/ethereum/primitives/call-bytes.ts';
import {
  encodeHexData,
  type HexData,
  streamBytes,
} from '../../../../packages/ethereum/primitives/hex-data.ts';
import type { JsonResult, JsonText } from '../../../../packages/ethereum/primitives/json-result.ts';
import {
  continueWith,
  type PromiseOrValue,
} from '../../../../packages/ethereum/primitives/promise-or-value.ts';
import type { Executions } from '../../../chain/chain.ts';
import type { BlockReference, CallRequest, SimulateRequest } from '../../../chain/requests.ts';
import type { RequestScope } from '../../../util/request-scope.ts';
import type { StoredBlocks } from '../reads/stored-blocks.ts';
import { CallsAhead } from '../simulation/calls-ahead.ts';
import { gasToBegin } from '../simulation/fast-path-call.ts';
import { needsTip } from '../simulation/fill-fees.ts';
import { StoredChain } from '../simulation/simulated-chain.ts';
import { MAX_CALL_GAS, type SimulationRequest, Simulator } from '../simulation/simulator.ts';
import type { StoredHeader } from '../store/chain-reader.ts';
import type { ExecutionPool } from './execution-pool.ts';
import { type FastPathJob, type StoredPlace, toCallBytes, toCallJob } from './fast-path-job.ts';
import type { CallJob } from './job.ts';

const LATEST: BlockReference = { kind: 'tag', tag: 'latest' };
/** The gas cap of a call is this multiple of the head's gas limit (spec 8). */
const GAS_CAP_FACTOR = 10n;
const MAX_GAS = Number(MAX_CALL_GAS);

/** Executes calls and estimates on the state of stored blocks. */
export class EngineExecutions implements Executions {
  readonly #blocks: StoredBlocks;
  readonly #store: string;
  readonly #pool: ExecutionPool;
  readonly #suggestTip: (scope: RequestScope) => PromiseOrValue<bigint>;
  /** Simulator of the calling thread. */
  readonly #simulator: Simulator;
  /** Cached state and gas limit of fast path calls at the head, valid as long as `head` is the current head. */
  #headPlace: { readonly head: StoredHeader; readonly place: StoredPlace } | undefined;
  readonly #ahead = new CallsAhead();

  /** @param suggestTip returns a priority fee that recent blocks accepted, wei per gas */
  constructor(
    blocks: StoredBlocks,
    store: string,
    pool: ExecutionPool,
    suggestTip: (scope: RequestScope) => PromiseOrValue<bigint>,
  ) {
    this.#suggestTip = suggestTip;
    this.#blocks = blocks;
    this.#store = store;
    this.#pool = pool;
    this.#simulator = new Simulator(new StoredChain(blocks.reader), pool.memoryLimit, pool.meter);
  }

  call(request: CallRequest, scope: RequestScope): PromiseOrValue<JsonResult> {
    const plain = toCallBytes(request);
    if (plain !== undefined) {
      const place = this.#placeOf(plain.block);
      const gasLimit = plain.gas === NO_GAS_LIMIT ? place.gasLimit : Math.min(plain.gas, MAX_GAS);
      const job: FastPathJob = { kind: 'plain', call: plain, place, gasLimit, ahead: undefined };
      return this.#runFastPath(job, scope, performance.now());
    }
    return continueWith(this.#execute('call', request, scope), encodeHexData);
  }

  callFastPath(call: CallBytes, scope: RequestScope): PromiseOrValue<JsonResult> {
    const place = this.#placeOf(call.block);
    const known = this.#ahead.take(call, place);
    if (known !== undefined) {
      scope.endedAt = scope.startedAt + this.#pool.lastCallMs;
      return `"${known}"`;
    }
    const gasLimit = Math.min(call.gas, place.gasLimit);
    const job: FastPathJob = { kind: 'plain', call, place, gasLimit, ahead: this.#ahead };
    return this.#runFastPath(job, scope, scope.startedAt);
  }

  /** @param now current time of `performance.now()` */
  #runFastPath(job: FastPathJob, scope: RequestScope, now: number): PromiseOrValue<JsonResult> {
    // If the gas may be too low to begin the call, the general path runs the call and reports the error.
    const canBegin = job.gasLimit >= gasToBegin(job.call.dataLength);
    const result = this.#pool.run(canBegin ? job : toCallJob(job), this.#simulator, scope, now);
    return typeof result === 'string' ? `"${result}"` : continueWith(result, encodeHexData);
  }

  #placeOf(block: number): StoredPlace {
    const { head } = this.#blocks;
    const known = this.#headPlace;
    if (block === LATEST_BLOCK && known?.head === head) return known.place;
    const reference = block === LATEST_BLOCK ? LATEST : ({ kind: 'number', number: BigInt(block) } as const);
    const { header } = this.#blocks.findState(reference).block;
    const gasLimit = Number(minBigInt(head.header.gasLimit * GAS_CAP_FACTOR, MAX_CALL_GAS));
    const place = { store: this.#store, blockNumber: header.number, isPending: false, gasLimit };
    if (block === LATEST_BLOCK) this.#headPlace = { head, place };
    return place;
  }

  estimateGas(request: CallRequest, scope: RequestScope): PromiseOrValue<JsonText> {
    return continueWith(this.#execute('estimate', request, scope), (quantity) => `"${quantity}"`);
  }

  createAccessList(request: CallRequest, scope: RequestScope): PromiseOrValue<JsonResult> {
    const tip = needsTip(request.call) ? this.#suggestTip(scope) : 0n;
    return continueWith(tip, (suggestedTip) =>
      continueWith(this.#execute('accessList', request, scope, suggestedTip), toJson),
    );
  }

  simulate({ simulation, block }: SimulateRequest, scope: RequestScope): PromiseOrValue<JsonResult> {
    const { block: base, isPending } = this.#blocks.findState(block);
    const gasLimit = this.#pool.simulationGas ?? this.#blocks.head.header.gasLimit * GAS_CAP_FACTOR;
    const job = {
      kind: 'blocks',
      store: this.#store,
      gasLimit: minBigInt(gasLimit, MAX_CALL_GAS),
      request: { blockNumber: base.header.number, isPending, simulation },
    } as const;
    return continueWith(this.#pool.run(job, this.#simulator, scope), toJson);
  }

  #execute(
    kind: CallJob['kind'],
    request: CallRequest,
    scope: RequestScope,
    suggestedTip?: bigint,
  ): PromiseOrValue<HexData> {
    const { block, isPending } = this.#blocks.findState(request.block);
    const job: CallJob = {
      kind,
      store: this.#store,
      gasLimit: this.#blocks.head.header.gasLimit * GAS_CAP_FACTOR,
      request: createSimulationRequest(block.header.number, isPending, request),
      suggestedTip,
    };
    return this.#pool.run(job, this.#simulator, scope);
  }
}

function toJson(result: HexData): JsonResult {
  return typeof result === 'string' ? result : streamBytes(result);
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
