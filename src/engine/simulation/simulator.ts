import type { BlockOverrides, CallObject, StateOverrides } from '../../chain/chain.ts';
import { isAtLeast } from '../../evm/revision.ts';
import { bytesToBigInt, padLeft } from '../../primitives/bytes.ts';
import { hexToBytes } from '../../primitives/hex.ts';
import type { ChainReader } from '../../store/chain-reader.ts';
import type { PrecompileChanges } from '../ethereumjs/interpreter.ts';
import { Interpreters } from '../ethereumjs/interpreters.ts';
import type { BlockEnvironment } from '../message.ts';
import { type Account, EMPTY_ACCOUNT } from '../state/account.ts';
import { type StateView, TrieStateView } from '../state/state-view.ts';
import { WorldState } from '../state/world-state.ts';
import {
  applyTransaction,
  type ExecutionContext,
  type TransactionResult,
} from '../transition/apply-transaction.ts';
import { environmentOf } from '../transition/block-environment.ts';
import { type BlockRules, isMergedAfter, rulesAt } from '../transition/rules.ts';
import { buildCallTransaction, type SimulatedTransaction } from './call-transaction.ts';
import { buildPendingHeader } from './pending-header.ts';
import { applyStateOverrides } from './state-overrides.ts';

/** One execution as it is asked for, at a block that exists. */
export type SimulationRequest = {
  /** State after this block is what the call sees. */
  readonly blockNumber: bigint;
  /** Run in the environment of the block after it. */
  readonly isPending: boolean;
  readonly call: CallObject;
  readonly stateOverrides?: StateOverrides;
  readonly blockOverrides?: BlockOverrides;
};

/**
 * A call's gas limit at most, whatever is asked for and however high the blocks' own limit is: gas is what bounds
 * the EVM's memory. This much buys 45 MiB in one frame or 1.4 MiB in each of 1,024; running it takes minutes.
 */
export const MAX_CALL_GAS: bigint = 2n ** 32n;

const NO_HASH = new Uint8Array(32);

function overrideEnvironment(block: BlockEnvironment, overrides: BlockOverrides): BlockEnvironment {
  const integer = (text: string | undefined, otherwise: bigint): bigint =>
    text === undefined ? otherwise : BigInt(text);
  return {
    ...block,
    number: integer(overrides.number, block.number),
    difficulty: integer(overrides.difficulty, block.difficulty),
    timestamp: integer(overrides.time, block.timestamp),
    gasLimit: integer(overrides.gasLimit, block.gasLimit),
    beneficiary:
      overrides.feeRecipient === undefined ? block.beneficiary : hexToBytes(overrides.feeRecipient),
    prevRandao:
      overrides.prevRandao === undefined ? block.prevRandao : padLeft(hexToBytes(overrides.prevRandao), 32),
    baseFeePerGas:
      overrides.baseFeePerGas === undefined ? block.baseFeePerGas : BigInt(overrides.baseFeePerGas),
    blobBaseFee: integer(overrides.blobBaseFee, block.blobBaseFee),
  };
}

/** A block from before London that is moved past it by overrides has a base fee too: none to pay. */
function withBaseFee(block: BlockEnvironment, { revision }: BlockRules): BlockEnvironment {
  if (block.baseFeePerGas !== undefined || !isAtLeast(revision, 'london')) return block;
  return { ...block, baseFeePerGas: 0n };
}

/**
 * Executes calls over the state of stored blocks. One call at a time.
 * The view of the last state root that was asked for is kept warm.
 */
export class Simulator {
  readonly #reader: ChainReader;
  readonly #interpreters: Interpreters;
  #warm: { readonly root: bigint; readonly view: StateView } | undefined;

  constructor(reader: ChainReader) {
    this.#reader = reader;
    this.#interpreters = new Interpreters(reader.config.chainId);
  }

  /** Prepares state and environment once; the execution may then be run many times, each from the start. */
  async prepare(request: SimulationRequest): Promise<PreparedSimulation> {
    const { config } = this.#reader;
    const stored = this.#reader.getHeader(request.blockNumber);
    if (stored === undefined) throw new Error(`block ${request.blockNumber} is not stored`);
    const header = request.isPending ? buildPendingHeader(stored, config) : stored.header;
    const { number, timestamp } = header;
    const parentDifficulty = request.isPending
      ? stored.totalDifficulty
      : stored.totalDifficulty - stored.header.difficulty;
    const isMerged = number === 0n ? isMergedAfter(config, 0n) : isMergedAfter(config, parentDifficulty);
    const headerRules = rulesAt(config, { number, timestamp, isMerged });
    const natural = environmentOf(
      header,
      headerRules,
      // With the block number overridden, code may ask for blocks that come after this one.
      (ancestor) => (ancestor < number && this.#reader.getHeader(ancestor)?.hash) || NO_HASH,
    );
    const overridden = overrideEnvironment(natural, request.blockOverrides ?? {});
    const rules = rulesAt(config, { number: overridden.number, timestamp: overridden.timestamp, isMerged });
    const block = withBaseFee(overridden, rules);
    const interpreter = await this.#interpreters.get(rules.revision);
    const world = new WorldState(this.#viewOf(stored.header.stateRoot));
    const precompiles = applyStateOverrides(request.stateOverrides ?? {}, world, interpreter);
    return new PreparedSimulation(request.call, { world, interpreter, block, rules }, precompiles);
  }

  #viewOf(stateRoot: Uint8Array): StateView {
    const root = bytesToBigInt(stateRoot);
    if (this.#warm?.root !== root) {
      const loadNode = (hash: Uint8Array): Uint8Array | undefined => this.#reader.getNode(hash);
      const loadCode = (hash: Uint8Array): Uint8Array | undefined => this.#reader.getCode(hash);
      this.#warm = { root, view: new TrieStateView(stateRoot, { loadNode, loadCode }) };
    }
    return this.#warm.view;
  }
}

/** A call over its state; every run leaves the state as it was. */
export class PreparedSimulation {
  readonly #call: CallObject;
  readonly #context: ExecutionContext;
  readonly #precompiles: PrecompileChanges;

  constructor(call: CallObject, context: ExecutionContext, precompiles: PrecompileChanges) {
    this.#call = call;
    this.#context = context;
    this.#precompiles = precompiles;
  }

  get rules(): BlockRules {
    return this.#context.rules;
  }

  /** The most that the call offers for a unit of gas, wei; 0n when it offers no price. */
  get feeCap(): bigint {
    return this.#buildTransaction(0n).body.maxFeePerGas;
  }

  getAccount(address: Uint8Array): Account {
    return this.#context.world.getAccount(address) ?? EMPTY_ACCOUNT;
  }

  getCodeLength(address: Uint8Array): number {
    return this.#context.world.getCode(address).length;
  }

  /** @throws TransactionError when the call cannot even begin. */
  async run(gasLimit: bigint): Promise<TransactionResult> {
    const { world, interpreter, block } = this.#context;
    const { body, sender } = this.#buildTransaction(gasLimit);
    // geth: who offers no price is not asked for the base fee, and sees none.
    const baseFeePerGas =
      body.maxFeePerGas === 0n && block.baseFeePerGas !== undefined ? 0n : block.baseFeePerGas;
    const isBlobFree = body.blobVersionedHashes.length > 0 && body.maxFeePerBlobGas === 0n;
    const blobBaseFee = isBlobFree ? 0n : block.blobBaseFee;
    const context = { ...this.#context, block: { ...block, baseFeePerGas, blobBaseFee } };
    world.checkpoint();
    try {
      return await interpreter.withPrecompiles(this.#precompiles, () =>
        applyTransaction(body, sender, context, 'simulated'),
      );
    } finally {
      world.rollback();
    }
  }

  #buildTransaction(gasLimit: bigint): SimulatedTransaction {
    return buildCallTransaction(this.#call, gasLimit, this.#context.block.baseFeePerGas !== undefined);
  }
}
