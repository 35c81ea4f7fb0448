import type { Log } from '../../chain/receipt.ts';
import { blobGasOf, effectiveGasPrice, type TransactionBody } from '../../chain/transaction.ts';
import { type Evm, WHOLE_SLICE } from '../../evm/evm.ts';
import { computeFloorGas, computeIntrinsicGas, countDataBytes } from '../../evm/intrinsic-gas.ts';
import type { BlockEnvironment } from '../../evm/message.ts';
import { isAtLeast } from '../../evm/revision.ts';
import { StateLimitError, type WorldState } from '../../evm/world-state.ts';
import { checksumAddress } from '../../primitives/address.ts';
import { maxBigInt, minBigInt } from '../../primitives/bigint.ts';
import type { RecoverPublicKey } from '../../primitives/signature.ts';
import { EMPTY_ACCOUNT } from '../state/account.ts';
import { applyAuthorizations } from './delegation.ts';
import type { BlockRules } from './rules.ts';
import { TransactionError } from './transaction-error.ts';
import { validateFees, validateSender } from './validate-transaction.ts';

/** Where a transaction is executed. */
export type ExecutionContext = {
  readonly evm: Evm;
  readonly block: BlockEnvironment;
  readonly rules: BlockRules;
  readonly recoverPublicKey: RecoverPublicKey;
};

export type TransactionResult = {
  readonly status: 'success' | 'revert' | 'halt';
  readonly reason: string;
  readonly output: Uint8Array;
  /** None when it was only simulated. */
  readonly logs: readonly Log[];
  /** Charged to the sender: after refunds and EIP-7623's floor. */
  readonly gasUsed: bigint;
  /** The most that was in use at any time: before refunds, but not below the floor. */
  readonly peakGasUsed: bigint;
  /** Least gas limit with which it would have run the same way; undefined when code looked at its gas. */
  readonly gasNeeded: bigint | undefined;
};

/** `simulated`: eth_call and estimates skip the sender's nonce and code, and price zero means no price. */
export type TransactionMode = 'mined' | 'simulated';

/** A transaction that has begun. */
export type RunningTransaction = {
  /** Runs on for at most that much gas. @returns whether it is done */
  readonly advance: (slice: bigint) => boolean;
  /** Whether what comes next may take longer than a slice, and cannot be cut. */
  readonly isAtLongStep: () => boolean;
  /** Once it is done: refund and payment, and what became of it. */
  readonly finish: () => TransactionResult;
};

const MAX_INIT_CODE_LENGTH = 49_152;
const MAX_BALANCE = 2n ** 256n - 1n;

/**
 * Executes one transaction of a block as a whole.
 * @throws TransactionError when it may not be executed; the state is as before then.
 */
export function applyTransaction(
  tx: TransactionBody,
  sender: Uint8Array,
  context: ExecutionContext,
): TransactionResult {
  const { evm } = context;
  evm.open();
  const running = startTransaction(tx, sender, context, 'mined');
  while (!running.advance(WHOLE_SLICE));
  const result = running.finish();
  evm.finish();
  return result;
}

/**
 * Begins a transaction: validation and payment (yellow paper 6, geth's state transition).
 * @throws TransactionError when it may not be executed; the state is as before then.
 */
export function startTransaction(
  tx: TransactionBody,
  sender: Uint8Array,
  context: ExecutionContext,
  mode: TransactionMode,
): RunningTransaction {
  const { evm, block, rules } = context;
  const { state } = evm;
  evm.enter(block, rules.chainId, rules.revision);
  evm.begin();
  if (mode === 'mined') validateSender(tx, sender, state.getAccount(sender) ?? EMPTY_ACCOUNT, state);
  validateFees(tx, sender, block, mode === 'simulated');

  const gasPrice = effectiveGasPrice(tx, block.baseFeePerGas);
  const blobFee = mode === 'simulated' && tx.maxFeePerBlobGas === 0n ? 0n : blobGasOf(tx) * block.blobBaseFee;
  checkFunds(tx, sender, state, gasPrice);
  const { intrinsicGas, floorGas } = checkGas(tx, context);
  if (tx.to === undefined && isAtLeast(rules.revision, 'shanghai') && tx.data.length > MAX_INIT_CODE_LENGTH) {
    throw new TransactionError(
      `max initcode size exceeded: code size ${tx.data.length} limit ${MAX_INIT_CODE_LENGTH}`,
    );
  }

  if (gasPrice > 0n || blobFee > 0n) state.addBalance(sender, -(tx.gasLimit * gasPrice + blobFee));
  state.raiseNonce(sender);
  const authorityRefund = applyAuthorizations(tx.authorizationList, context);
  evm.start({
    caller: sender,
    to: tx.to,
    value: tx.value,
    data: tx.data,
    gasLimit: tx.gasLimit - intrinsicGas,
    gasPrice,
    blobVersionedHashes: tx.blobVersionedHashes,
    accessList: tx.accessList,
  });
  const finish = (): TransactionResult => {
    const result = evm.result(mode === 'mined');
    if (mode === 'mined' && result.isLimited) throw new StateLimitError();
    const spent = intrinsicGas + result.gasUsed;
    const refund = capRefund(result.gasRefund + authorityRefund, spent, isAtLeast(rules.revision, 'london'));
    const gasUsed = maxBigInt(spent - refund, floorGas);
    if (mode === 'mined') {
      if (gasPrice > 0n) state.addBalance(sender, (tx.gasLimit - gasUsed) * gasPrice);
      const tip = gasPrice - (block.baseFeePerGas ?? 0n);
      state.addBalance(block.beneficiary, gasUsed * maxBigInt(tip, 0n));
    }
    const { gasNeeded } = result;
    return {
      status: result.status,
      reason: result.reason,
      output: result.output,
      logs: result.logs,
      gasUsed,
      peakGasUsed: maxBigInt(spent, floorGas),
      gasNeeded: gasNeeded === undefined ? undefined : maxBigInt(intrinsicGas + gasNeeded, floorGas),
    };
  };
  return { advance: (slice) => evm.advance(slice), isAtLongStep: () => evm.isAtLongStep, finish };
}

/** EIP-3529 lowered the share of used gas that refunds may give back from a half to a fifth. */
function capRefund(refund: bigint, spent: bigint, isLondon: boolean): bigint {
  if (refund === 0n) return 0n;
  return minBigInt(refund, spent / (isLondon ? 5n : 2n));
}

/** The sender must have what the transaction could cost at most, at the prices it offers. */
function checkFunds(tx: TransactionBody, sender: Uint8Array, state: WorldState, gasPrice: bigint): void {
  const offered = maxBigInt(tx.maxFeePerGas, gasPrice);
  if (offered === 0n && tx.value === 0n && tx.maxFeePerBlobGas === 0n) return;
  const want = tx.gasLimit * offered + tx.value + blobGasOf(tx) * tx.maxFeePerBlobGas;
  const balance = state.getBalance(sender);
  if (balance >= want) return;
  const problem = want > MAX_BALANCE ? 'required balance exceeds 256 bits' : `have ${balance} want ${want}`;
  throw new TransactionError(
    `insufficient funds for gas * price + value: address ${checksumAddress(sender)} ${problem}`,
  );
}

function checkGas(
  tx: TransactionBody,
  { rules }: ExecutionContext,
): { intrinsicGas: bigint; floorGas: bigint } {
  const data = countDataBytes(tx.data);
  const intrinsicGas = computeIntrinsicGas(
    {
      data,
      isCreation: tx.to === undefined,
      accessedAddresses: tx.accessList.length,
      accessedStorageKeys: tx.accessList.reduce((count, { storageKeys }) => count + storageKeys.length, 0),
      authorizations: tx.authorizationList.length,
    },
    rules.revision,
  );
  if (tx.gasLimit < intrinsicGas) {
    throw new TransactionError(`intrinsic gas too low: have ${tx.gasLimit}, want ${intrinsicGas}`);
  }
  const floorGas = computeFloorGas(data, rules.revision);
  if (tx.gasLimit < floorGas) {
    throw new TransactionError(
      `insufficient gas for floor data gas cost: have ${tx.gasLimit}, want ${floorGas}`,
    );
  }
  return { intrinsicGas, floorGas };
}
