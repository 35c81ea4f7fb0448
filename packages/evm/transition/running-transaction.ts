import type { Authorization, TransactionBody } from '../../ethereum/codecs/transaction.ts';
import { maxBigInt } from '../../ethereum/primitives/bigint.ts';
import { EMPTY_BYTES } from '../../ethereum/primitives/bytes.ts';
import type { RecoverPublicKey } from '../../ethereum/primitives/signature.ts';
import type { Evm } from '../interpreter/evm.ts';
import type {
  BlockEnvironment,
  ExecutionLog,
  MessageOutcome,
  MessageResult,
} from '../interpreter/message.ts';
import { StateLimitError } from '../interpreter/world-state.ts';
import type { BlockAccessRecorder } from './block-access-recorder.ts';
import type { BlockGas } from './block-gas.ts';
import { checkAuthorization, designate, endsDelegation } from './delegation.ts';
import { type FinalGas, finalizeGas, GasBudget } from './gas-budget.ts';
import type { BlockRules } from './rules.ts';
import { RuntimeCharges } from './runtime-charges.ts';
import type { TransactionRules } from './transaction-modes.ts';

/** EVM, block, rules and key recovery with which a transaction is executed. */
export type ExecutionContext = {
  readonly evm: Evm;
  readonly block: BlockEnvironment;
  readonly rules: BlockRules;
  readonly recoverPublicKey: RecoverPublicKey;
  /** Gas of the block that contains the transaction, and the block's access list under construction. */
  readonly blockGas?: BlockGas | undefined;
  readonly accessList?: BlockAccessRecorder | undefined;
};

export type TransactionResult = MessageOutcome &
  FinalGas & {
    /** Logs of the transaction; empty when the transaction was only simulated. */
    readonly logs: readonly ExecutionLog[];
    /** Smallest gas limit with which execution would be identical; undefined when code read its remaining gas. */
    readonly gasNeeded: bigint | undefined;
  };

/** Gas price and minimum gas, computed when a transaction starts. */
export type TransactionCharges = {
  readonly gasPrice: bigint;
  readonly intrinsicGas: bigint;
  /** Floor gas (EIP-7623): minimum gas that the transaction pays. */
  readonly floorGas: bigint;
};

/** Authorizations applied per step. One step takes 0.5 ms, since each authorization needs a public key recovery. */
const AUTHORIZATIONS_PIECE = 8;

/** Outcome when the charges before the message could not be paid. */
const OUT_OF_GAS: MessageOutcome = { status: 'halt', reason: 'out of gas', output: EMPTY_BYTES };

/** A started transaction whose sender is charged. The transaction applies authorizations first, then runs its message. */
export class RunningTransaction {
  readonly #tx: TransactionBody;
  readonly #sender: Uint8Array;
  readonly #context: ExecutionContext;
  readonly #mode: TransactionRules;
  readonly #charges: TransactionCharges;
  readonly #budget: GasBudget;
  /** State-dependent charges; present from Amsterdam on. */
  readonly #runtime: RuntimeCharges | undefined;
  /** Position in the journal. Undoing down to this position removes the effect of the authorizations. */
  readonly #mark: number;
  /** Number of processed authorizations. */
  #authorized = 0;
  /** EIP-7702 refund for authorities that already existed. */
  #authorityRefund = 0n;
  /** State gas charged for the account that the message creates. */
  #newAccountGas = 0n;
  /** Execution and state gas passed to the message. */
  #messageGas = 0n;
  /** True when the gas limit could not pay the charges before the message. No message runs then. */
  #isOutOfGas = false;

  constructor(
    tx: TransactionBody,
    sender: Uint8Array,
    context: ExecutionContext,
    mode: TransactionRules,
    charges: TransactionCharges,
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

  /** Runs for at most `slice` gas. @returns whether the transaction is finished */
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

  /** Applies one authorization, or skips an invalid authorization. @returns false when the budget cannot pay */
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

  /** Ends a transaction that cannot pay: consumes the execution gas and rolls the authorizations back. */
  #runOutOfGas(): void {
    this.#isOutOfGas = true;
    this.#context.evm.rollbackTo(this.#mark);
    this.#budget.halt();
  }

  /** Whether the next step may take longer than a slice and cannot be split. */
  get isAtLongStep(): boolean {
    return !this.#isOutOfGas && this.#context.evm.isAtLongStep;
  }

  /** Outcome of the finished message, for callers that do not need its gas. */
  get outcome(): MessageOutcome {
    return this.#isOutOfGas ? OUT_OF_GAS : this.#context.evm.outcome;
  }

  /** Execution gas used before refunds, including all charges before the message; valid when the transaction is finished. */
  get gasSpent(): bigint {
    const { gasLimit } = this.#tx;
    if (this.#isOutOfGas) return gasLimit - this.#budget.reservoir;
    return gasLimit - this.#messageGas + this.#context.evm.gasUsed;
  }

  /** Applies the refund and the payments of a finished transaction, and returns its result. */
  finish(): TransactionResult {
    const { revision } = this.#context.rules;
    const { floorGas } = this.#charges;
    const { gasRefund, gasNeeded, logs, ...outcome } = this.#isOutOfGas ? NO_MESSAGE : this.#finishMessage();
    const spent = this.#tx.gasLimit - this.#budget.gasLeft - this.#budget.reservoir;
    const gas = finalizeGas(
      { spent, stateUsed: this.#budget.stateUsed, refund: gasRefund + this.#authorityRefund, floorGas },
      revision.refundQuotient,
      revision.stateGas === undefined,
    );
    if (this.#mode.isCompleted) this.#pay(gas.gasUsed);
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

  /** Returns the gas of the message to the budget. A failed message also refills the state gas of the account that the message would have created. */
  #finishMessage(): MessageResult {
    const { isCompleted } = this.#mode;
    const result = this.#context.evm.result(isCompleted);
    if (isCompleted && result.isLimited) throw new StateLimitError();
    const { status, gasUsed, stateGasLeft, stateGasUsed } = result;
    const budget = this.#budget;
    budget.absorb({ gasLeft: budget.gasLeft - gasUsed, stateGasLeft, stateGasUsed });
    if (status !== 'success') budget.refillState(this.#newAccountGas);
    // A halt also consumes execution gas that the refill of state gas has just repaid.
    if (status === 'halt' && this.#runtime !== undefined) budget.burn();
    return result;
  }

  /** Pays the unused gas to the sender and the tip to the block's beneficiary. */
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
