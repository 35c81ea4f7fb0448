import type { Authorization, TransactionBody } from '../../chain/transaction.ts';
import type { Evm } from '../../evm/evm.ts';
import type { BlockEnvironment, ExecutionLog, MessageOutcome, MessageResult } from '../../evm/message.ts';
import { StateLimitError } from '../../evm/world-state.ts';
import { maxBigInt } from '../../primitives/bigint.ts';
import { EMPTY_BYTES } from '../../primitives/bytes.ts';
import type { RecoverPublicKey } from '../../primitives/signature.ts';
import type { BlockAccessRecorder } from './block-access-recorder.ts';
import type { BlockGas } from './block-gas.ts';
import { checkAuthorization, designate, endsDelegation } from './delegation.ts';
import { GasBudget, type SettledGas, settleGas } from './gas-budget.ts';
import type { BlockRules } from './rules.ts';
import { RuntimeCharges } from './runtime-charges.ts';
import type { TransactionRules } from './transaction-modes.ts';

/** Where a transaction is executed. */
export type ExecutionContext = {
  readonly evm: Evm;
  readonly block: BlockEnvironment;
  readonly rules: BlockRules;
  readonly recoverPublicKey: RecoverPublicKey;
  /** Of the block that the transaction is part of: what is left of its gas, and the access list that is being made of it. */
  readonly blockGas?: BlockGas | undefined;
  readonly accessList?: BlockAccessRecorder | undefined;
};

export type TransactionResult = MessageOutcome &
  SettledGas & {
    /** None when it was only simulated. */
    readonly logs: readonly ExecutionLog[];
    /** Least gas limit with which it would have run the same way; undefined when code looked at its gas. */
    readonly gasNeeded: bigint | undefined;
  };

/** What was settled when a transaction began. */
export type Charges = {
  readonly gasPrice: bigint;
  readonly intrinsicGas: bigint;
  /** EIP-7623. */
  readonly floorGas: bigint;
};

/** Authorizations that are applied in one piece: 0.5 ms, for each takes the recovery of a key. */
const AUTHORIZATIONS_PIECE = 8;

/** It could not pay for what comes before its message. */
const OUT_OF_GAS: MessageOutcome = { status: 'halt', reason: 'out of gas', output: EMPTY_BYTES };

/** A transaction that has begun: its sender has paid. Its authorizations come first, then its message. */
export class RunningTransaction {
  readonly #tx: TransactionBody;
  readonly #sender: Uint8Array;
  readonly #context: ExecutionContext;
  readonly #mode: TransactionRules;
  readonly #charges: Charges;
  readonly #budget: GasBudget;
  /** From Amsterdam. */
  readonly #runtime: RuntimeCharges | undefined;
  /** Where authorizations are undone to. */
  readonly #mark: number;
  /** Authorizations that were applied. */
  #authorized = 0;
  /** EIP-7702: what comes back for authorities that existed already. */
  #authorityRefund = 0n;
  /** State gas for the account that the message creates. */
  #newAccountGas = 0n;
  /** Gas of both kinds that the message has. */
  #messageGas = 0n;
  /** There is no message: what comes before it could not be paid. */
  #isOutOfGas = false;

  constructor(
    tx: TransactionBody,
    sender: Uint8Array,
    context: ExecutionContext,
    mode: TransactionRules,
    charges: Charges,
  ) {
    this.#tx = tx;
    this.#sender = sender;
    this.#context = context;
    this.#mode = mode;
    this.#charges = charges;
    const { executionGasCap, stateGas } = context.rules.revision;
    const isCapped = mode.capsExecution && executionGasCap !== undefined;
    const { intrinsicGas } = charges;
    this.#budget = new GasBudget(
      tx.gasLimit - intrinsicGas,
      isCapped ? executionGasCap - intrinsicGas : undefined,
    );
    this.#runtime = stateGas && new RuntimeCharges(tx, sender, context, stateGas, this.#budget);
    this.#mark = context.evm.mark();
    context.accessList?.touch(sender);
    if (tx.authorizationList.length === 0) this.#startMessage();
  }

  /** Runs on for at most that much gas. @returns whether it is done */
  advance(slice: bigint): boolean {
    if (this.#isOutOfGas) return true;
    if (this.#authorized < this.#tx.authorizationList.length) {
      this.#authorize();
      return false;
    }
    return this.#context.evm.advance(slice);
  }

  #authorize(): void {
    const { authorizationList: list } = this.#tx;
    const end = Math.min(list.length, this.#authorized + AUTHORIZATIONS_PIECE);
    const isPaid = list.slice(this.#authorized, end).every((authorization) => this.#apply(authorization));
    this.#authorized = end;
    if (!isPaid) this.#runOutOfGas();
    else if (end === list.length) this.#startMessage();
  }

  /** @returns false where it cannot be paid; one that is invalid is skipped */
  #apply(authorization: Authorization): boolean {
    const { evm, rules } = this.#context;
    const authority = checkAuthorization(authorization, this.#context);
    if (authority === undefined) return true;
    const isPaid = this.#runtime?.chargeAuthority(authority, endsDelegation(authorization)) ?? true;
    if (!isPaid || !authority.isApplicable) return isPaid;
    if (evm.state.getAccount(authority.address) !== undefined) {
      this.#authorityRefund += rules.revision.intrinsic.existingAuthorityRefund;
    }
    designate(evm.state, authority.address, authorization);
    return true;
  }

  #startMessage(): void {
    const newAccountGas = this.#runtime === undefined ? 0n : this.#runtime.chargeNewAccount();
    if (newAccountGas === undefined || this.#runtime?.chargeDelegate() === false) {
      this.#runOutOfGas();
      return;
    }
    this.#newAccountGas = newAccountGas;
    const { to, value, data, blobVersionedHashes, accessList } = this.#tx;
    const { gasLeft, reservoir } = this.#budget;
    this.#messageGas = gasLeft + reservoir;
    this.#context.evm.start({
      caller: this.#sender,
      to,
      value,
      data,
      gasLimit: gasLeft,
      stateGas: reservoir,
      gasPrice: this.#charges.gasPrice,
      blobVersionedHashes,
      accessList,
    });
  }

  /** Its execution gas is lost, and its authorizations are undone. */
  #runOutOfGas(): void {
    this.#isOutOfGas = true;
    this.#context.evm.rollbackTo(this.#mark);
    this.#budget.halt();
  }

  /** Whether what comes next may take longer than a slice, and cannot be cut. */
  get isAtLongStep(): boolean {
    return !this.#isOutOfGas && this.#context.evm.isAtLongStep;
  }

  /** Once it is done: what became of its message, for callers that do not need its gas. */
  get outcome(): MessageOutcome {
    return this.#isOutOfGas ? OUT_OF_GAS : this.#context.evm.outcome;
  }

  /** Once it is done: the execution gas that it used before refunds, and what was charged before its message. */
  get gasSpent(): bigint {
    const { gasLimit } = this.#tx;
    if (this.#isOutOfGas) return gasLimit - this.#budget.reservoir;
    return gasLimit - this.#messageGas + this.#context.evm.gasUsed;
  }

  /** Once it is done: refund and payment, and what became of it. */
  finish(): TransactionResult {
    const { revision } = this.#context.rules;
    const { floorGas } = this.#charges;
    const { gasRefund, gasNeeded, logs, ...outcome } = this.#isOutOfGas ? NO_MESSAGE : this.#finishMessage();
    const spent = this.#tx.gasLimit - this.#budget.gasLeft - this.#budget.reservoir;
    const gas = settleGas(
      { spent, stateUsed: this.#budget.stateUsed, refund: gasRefund + this.#authorityRefund, floorGas },
      revision.refundQuotient,
      revision.stateGas === undefined,
    );
    if (this.#mode.isSettled) this.#pay(gas.gasUsed);
    const { status, reason, output } = outcome;
    return {
      status,
      reason,
      output,
      logs,
      ...gas,
      gasNeeded:
        gasNeeded === undefined
          ? undefined
          : maxBigInt(this.#tx.gasLimit - this.#messageGas + gasNeeded, floorGas),
    };
  }

  /** The gas of the message comes back. If it failed, so does the state gas of the account that it was to create. */
  #finishMessage(): MessageResult {
    const { isSettled } = this.#mode;
    const result = this.#context.evm.result(isSettled);
    if (isSettled && result.isLimited) throw new StateLimitError();
    const { status, gasUsed, stateGasLeft, stateGasUsed } = result;
    const budget = this.#budget;
    budget.absorb({ gasLeft: budget.gasLeft - gasUsed, stateGasLeft, stateGasUsed });
    if (status !== 'success') budget.refillState(this.#newAccountGas);
    // What comes back of a spilled charge is lost as well.
    if (status === 'halt' && this.#runtime !== undefined) budget.burn();
    return result;
  }

  /** What is left goes back to the sender, the tip to the block's beneficiary. */
  #pay(gasUsed: bigint): void {
    const { evm, block, accessList } = this.#context;
    const { gasPrice } = this.#charges;
    if (gasPrice > 0n) evm.state.addBalance(this.#sender, (this.#tx.gasLimit - gasUsed) * gasPrice);
    const tip = gasPrice - (block.baseFeePerGas ?? 0n);
    evm.state.addBalance(block.beneficiary, gasUsed * maxBigInt(tip, 0n));
    accessList?.touch(block.beneficiary);
  }
}

const NO_MESSAGE = { ...OUT_OF_GAS, gasRefund: 0n, gasNeeded: undefined, logs: [] } as const;
