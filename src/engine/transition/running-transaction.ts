import type { TransactionBody } from '../../chain/transaction.ts';
import type { Evm } from '../../evm/evm.ts';
import type { BlockEnvironment, ExecutionLog, MessageOutcome } from '../../evm/message.ts';
import { StateLimitError } from '../../evm/world-state.ts';
import { maxBigInt, minBigInt } from '../../primitives/bigint.ts';
import type { RecoverPublicKey } from '../../primitives/signature.ts';
import { applyAuthorization } from './delegation.ts';
import type { BlockRules } from './rules.ts';
import type { TransactionRules } from './transaction-modes.ts';

/** Where a transaction is executed. */
export type ExecutionContext = {
  readonly evm: Evm;
  readonly block: BlockEnvironment;
  readonly rules: BlockRules;
  readonly recoverPublicKey: RecoverPublicKey;
};

export type TransactionResult = MessageOutcome & {
  /** None when it was only simulated. */
  readonly logs: readonly ExecutionLog[];
  /** Charged to the sender: after refunds and EIP-7623's floor. */
  readonly gasUsed: bigint;
  /** The most that was in use at any time: before refunds, but not below the floor. */
  readonly peakGasUsed: bigint;
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

/** A transaction that has begun: its sender has paid. Its authorizations come first, then its message. */
export class RunningTransaction {
  readonly #tx: TransactionBody;
  readonly #sender: Uint8Array;
  readonly #context: ExecutionContext;
  readonly #mode: TransactionRules;
  readonly #charges: Charges;
  /** Authorizations that were applied. */
  #authorized = 0;
  /** EIP-7702: what comes back for authorities that existed already. */
  #authorityRefund = 0n;

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
    if (tx.authorizationList.length === 0) this.#startMessage();
  }

  /** Runs on for at most that much gas. @returns whether it is done */
  advance(slice: bigint): boolean {
    if (this.#authorized < this.#tx.authorizationList.length) {
      this.#authorize();
      return false;
    }
    return this.#context.evm.advance(slice);
  }

  #authorize(): void {
    const { authorizationList: list } = this.#tx;
    const end = Math.min(list.length, this.#authorized + AUTHORIZATIONS_PIECE);
    for (const authorization of list.slice(this.#authorized, end)) {
      this.#authorityRefund += applyAuthorization(authorization, this.#context);
    }
    this.#authorized = end;
    if (end === list.length) this.#startMessage();
  }

  #startMessage(): void {
    const { to, value, data, gasLimit, blobVersionedHashes, accessList } = this.#tx;
    const { gasPrice, intrinsicGas } = this.#charges;
    this.#context.evm.start({
      caller: this.#sender,
      to,
      value,
      data,
      gasLimit: gasLimit - intrinsicGas,
      stateGas: 0n,
      gasPrice,
      blobVersionedHashes,
      accessList,
    });
  }

  /** Whether what comes next may take longer than a slice, and cannot be cut. */
  get isAtLongStep(): boolean {
    return this.#context.evm.isAtLongStep;
  }

  /** Once it is done: what became of its message, for callers that do not need its gas. */
  get outcome(): MessageOutcome {
    return this.#context.evm.outcome;
  }

  /** Once it is done: what it used before refunds. */
  get gasSpent(): bigint {
    return this.#charges.intrinsicGas + this.#context.evm.gasUsed;
  }

  /** Once it is done: refund and payment, and what became of it. */
  finish(): TransactionResult {
    const { evm, rules } = this.#context;
    const { intrinsicGas, floorGas } = this.#charges;
    const { isSettled } = this.#mode;
    const result = evm.result(isSettled);
    if (isSettled && result.isLimited) throw new StateLimitError();
    const spent = intrinsicGas + result.gasUsed;
    const refund = capRefund(result.gasRefund + this.#authorityRefund, spent, rules.revision.refundQuotient);
    const gasUsed = maxBigInt(spent - refund, floorGas);
    if (isSettled) this.#pay(gasUsed);
    const { status, reason, output, logs, gasNeeded } = result;
    return {
      status,
      reason,
      output,
      logs,
      gasUsed,
      peakGasUsed: maxBigInt(spent, floorGas),
      gasNeeded: gasNeeded === undefined ? undefined : maxBigInt(intrinsicGas + gasNeeded, floorGas),
    };
  }

  /** What is left goes back to the sender, the tip to the block's beneficiary. */
  #pay(gasUsed: bigint): void {
    const { evm, block } = this.#context;
    const { gasPrice } = this.#charges;
    if (gasPrice > 0n) evm.state.addBalance(this.#sender, (this.#tx.gasLimit - gasUsed) * gasPrice);
    const tip = gasPrice - (block.baseFeePerGas ?? 0n);
    evm.state.addBalance(block.beneficiary, gasUsed * maxBigInt(tip, 0n));
  }
}

/** Refunds give back at most a share of the gas used. */
function capRefund(refund: bigint, spent: bigint, quotient: bigint): bigint {
  if (refund === 0n) return 0n;
  return minBigInt(refund, spent / quotient);
}
