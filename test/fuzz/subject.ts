/** The engine under test, behind the interface that the fuzzers use. */

import { bigIntToFixedBytes } from '../../packages/ethereum/primitives/bytes.ts';
import { hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import type { Evm } from '../../packages/evm/interpreter/evm.ts';
import type { BlockEnvironment, MessageResult } from '../../packages/evm/interpreter/message.ts';
import { type Revision, rulesOf } from '../../packages/evm/interpreter/revisions/revisions.ts';
import { WHOLE_SLICE } from '../../packages/evm/interpreter/slice.ts';
import { startTransaction } from '../../packages/evm/transition/apply-transaction.ts';
import type { BlockRules } from '../../packages/evm/transition/rules.ts';
import type { TransactionResult } from '../../packages/evm/transition/running-transaction.ts';
import { TransactionError } from '../../packages/evm/transition/transaction-error.ts';
import { createEvm } from '../../src/engine/create-evm.ts';
import { getCryptography } from '../../src/engine/node-cryptography.ts';
import { isAtLeast } from '../support/is-at-least.ts';
import { CaseState } from './case-state.ts';
import type { Engine, GuardedMemory } from './engine.ts';
import { blockHashOf, CHAIN_ID, type FuzzBlock, type FuzzCase } from './fuzz-case.ts';
import { guardRegions } from './guard-regions.ts';
import { type Outcome, REJECTED } from './outcome.ts';

/** Exceeds the memory that the gas of any case can pay for. */
const MEMORY_LIMIT: number = 64 << 20;
/** Slice sizes in gas; each case uses one of them. */
const SLICES: readonly bigint[] = [1n, 7n, 100n, 1000n, 50_000n, WHOLE_SLICE];

export function environmentOf(block: FuzzBlock): BlockEnvironment {
  return {
    ...block,
    beneficiary: hexToBytes(block.beneficiary),
    prevRandao: bigIntToFixedBytes(block.prevRandao, 32),
    getBlockHash: (number) => bigIntToFixedBytes(blockHashOf(number), 32),
  };
}

export function blockRulesOf(revision: Revision): BlockRules {
  return {
    chainId: CHAIN_ID,
    revision: rulesOf(revision),
    hasReplayProtection: true,
    isMerged: isAtLeast(revision, 'paris'),
    bombDelay: 0n,
    blobs: undefined,
    depositContract: '',
  };
}

/** Begins a case's message in an EVM on which `open` was called. */
export function startMessage(evm: Evm, fuzzCase: FuzzCase, block: BlockEnvironment, gasLimit: bigint): void {
  const { transaction: tx, revision, sender } = fuzzCase;
  evm.enter(block, CHAIN_ID, rulesOf(revision));
  evm.begin();
  evm.start({
    caller: hexToBytes(sender),
    to: tx.to,
    value: tx.value,
    data: tx.data,
    gasLimit,
    gasPrice: tx.maxFeePerGas,
    stateGas: 0n,
    blobVersionedHashes: tx.blobVersionedHashes,
    accessList: tx.accessList,
  });
}

function sliceOf({ transaction, block }: FuzzCase): bigint {
  const choice = Number(transaction.gasLimit % 97n) + transaction.data.length + Number(block.timestamp % 89n);
  return SLICES[choice % SLICES.length] as bigint;
}

export class Subject implements Engine {
  readonly #evm: Evm;
  #gasNeeded: bigint | undefined;

  constructor() {
    this.#evm = createEvm(new CaseState(new Map()), MEMORY_LIMIT);
  }

  runCase(fuzzCase: FuzzCase): Outcome {
    const state = new CaseState(fuzzCase.accounts);
    this.#evm.attach(state);
    return fuzzCase.level === 'message'
      ? this.#runMessage(fuzzCase, state)
      : this.#runTransaction(fuzzCase, state);
  }

  /** Gas need that the last message reported. */
  get gasNeeded(): bigint | undefined {
    return this.#gasNeeded;
  }

  #runMessage(fuzzCase: FuzzCase, state: CaseState): Outcome {
    const evm = this.#evm;
    const slice = sliceOf(fuzzCase);
    evm.open();
    startMessage(evm, fuzzCase, environmentOf(fuzzCase.block), fuzzCase.transaction.gasLimit);
    while (!evm.advance(slice));
    const result = evm.result();
    evm.finish();
    this.#gasNeeded = result.gasNeeded;
    const refund = result.status === 'success' ? result.gasRefund : 0n;
    return this.#outcome(result, refund, state);
  }

  #runTransaction(fuzzCase: FuzzCase, state: CaseState): Outcome {
    const { transaction: tx, block, revision, sender } = fuzzCase;
    // Block validation checks these two.
    if (tx.gasLimit > block.gasLimit) return REJECTED;
    const { transactionGasCap } = rulesOf(revision);
    if (transactionGasCap !== undefined && tx.gasLimit > transactionGasCap) return REJECTED;
    const evm = this.#evm;
    const slice = sliceOf(fuzzCase);
    evm.open();
    try {
      const { recoverPublicKey } = getCryptography();
      const context = { evm, block: environmentOf(block), rules: blockRulesOf(revision), recoverPublicKey };
      const running = startTransaction(tx, hexToBytes(sender), context, 'mined');
      while (!running.advance(slice));
      const result = running.finish();
      evm.finish();
      return this.#outcome(result, undefined, state);
    } catch (error) {
      if (!(error instanceof TransactionError)) throw error;
      evm.abandon();
      return REJECTED;
    }
  }

  #outcome(
    { status, output, gasUsed, logs }: MessageResult | TransactionResult,
    refund: bigint | undefined,
    state: CaseState,
  ): Outcome {
    const accounts = state.after(this.#evm.state.collectChanges());
    return { status, output, gasUsed, refund, logs, accounts };
  }

  guardedMemory(): GuardedMemory {
    return { bytes: this.#evm.memory, guards: guardRegions(MEMORY_LIMIT) };
  }
}

export async function createSubject(): Promise<Subject> {
  return new Subject();
}
