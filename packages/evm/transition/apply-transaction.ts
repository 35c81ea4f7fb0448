import { blobGasOf, effectiveGasPrice, type TransactionBody } from '../../ethereum/codecs/transaction.ts';
import { checksumAddress } from '../../ethereum/primitives/address.ts';
import { maxBigInt } from '../../ethereum/primitives/bigint.ts';
import { bytesEqual } from '../../ethereum/primitives/bytes.ts';
import { EMPTY_ACCOUNT } from '../interpreter/host.ts';
import { computeFloorGas, computeIntrinsicGas, countDataBytes } from '../interpreter/intrinsic-gas.ts';
import { WHOLE_SLICE } from '../interpreter/slice.ts';
import type { WorldState } from '../interpreter/world-state.ts';
import { type ExecutionContext, RunningTransaction, type TransactionResult } from './running-transaction.ts';
import { TransactionError } from './transaction-error.ts';
import { rulesOfMode, type TransactionMode, type TransactionRules } from './transaction-modes.ts';
import {
  LISTS_BY_TYPE,
  type PresentLists,
  validateFields,
  validateGasCap,
  validateSender,
  validateSenderCode,
} from './validate-transaction.ts';

const MAX_BALANCE = 2n ** 256n - 1n;

/**
 * Executes one complete transaction of a block.
 * @throws TransactionError when the transaction is invalid; the state is then unchanged
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
 * Validates a transaction and charges the sender (yellow paper 6, geth's state transition).
 * @param provided lists (access list, blobs, authorizations) that the transaction has; default: the lists of its type
 * @throws TransactionError when the transaction is invalid; the state is then unchanged
 */
export function startTransaction(
  tx: TransactionBody,
  sender: Uint8Array,
  context: ExecutionContext,
  modeName: TransactionMode,
  provided: PresentLists = LISTS_BY_TYPE[tx.type] as PresentLists,
): RunningTransaction {
  const mode = rulesOfMode(modeName);
  const { evm, block, rules } = context;
  const { state } = evm;
  evm.enter(block, rules.chainId, rules.revision);
  evm.begin();
  const account = mode.checksNonce ? (state.getAccount(sender) ?? EMPTY_ACCOUNT) : undefined;
  if (account !== undefined) validateSender(tx, sender, account);
  if (mode.checksGasCap) validateGasCap(tx, rules.revision);
  if (account !== undefined && mode.checksSenderCode) validateSenderCode(sender, account, state);
  validateFields(tx, sender, context, provided, mode.isPriceFree);
  context.blockGas?.expectRoom(tx.gasLimit);

  const gasPrice = effectiveGasPrice(tx, block.baseFeePerGas);
  const isBlobFree = !mode.isCompleted && tx.maxFeePerBlobGas === 0n;
  const blobFee = isBlobFree ? 0n : blobGasOf(tx) * block.blobBaseFee;
  checkFunds(tx, sender, state, gasPrice);
  const { intrinsicGas, floorGas } = checkGas(tx, sender, context, mode);
  if (gasPrice > 0n || blobFee > 0n) {
    // In simulated blocks, a transaction without a blob fee cap can cost more than its sender's balance. In this case, the balance wraps around, as
    // in geth.
    state.setBalance(
      sender,
      BigInt.asUintN(256, state.getBalance(sender) - tx.gasLimit * gasPrice - blobFee),
    );
  }
  state.raiseNonce(sender);
  return new RunningTransaction(tx, sender, context, mode, { gasPrice, intrinsicGas, floorGas });
}

/** Checks that the sender can pay the maximum cost at the prices that the transaction offers. */
function checkFunds(tx: TransactionBody, sender: Uint8Array, state: WorldState, gasPrice: bigint): void {
  const offered = maxBigInt(tx.maxFeePerGas, gasPrice);
  if (offered === 0n && tx.value === 0n && tx.maxFeePerBlobGas === 0n) return;
  const want = tx.gasLimit * offered + tx.value + blobGasOf(tx) * tx.maxFeePerBlobGas;
  const balance = state.getBalance(sender);
  if (balance >= want) return;
  const problem = want > MAX_BALANCE ? 'required balance exceeds 256 bits' : `have ${balance} want ${want}`;
  throw new TransactionError(
    `insufficient funds for gas * price + value: address ${checksumAddress(sender)} ${problem}`,
    'insufficientFunds',
  );
}

function checkGas(
  tx: TransactionBody,
  sender: Uint8Array,
  { rules }: ExecutionContext,
  { capsExecution }: TransactionRules,
): { intrinsicGas: bigint; floorGas: bigint } {
  const input = {
    data: countDataBytes(tx.data),
    isCreation: tx.to === undefined,
    isToSender: tx.to !== undefined && bytesEqual(tx.to, sender),
    hasValue: tx.value > 0n,
    accessedAddresses: tx.accessList.length,
    accessedStorageKeys: countStorageKeys(tx.accessList),
    authorizations: tx.authorizationList.length,
  };
  const intrinsicGas = computeIntrinsicGas(input, rules.revision);
  if (tx.gasLimit < intrinsicGas) {
    throw new TransactionError(
      `intrinsic gas too low: have ${tx.gasLimit}, want ${intrinsicGas}`,
      'intrinsicGas',
    );
  }
  const floorGas = computeFloorGas(input, rules.revision);
  if (tx.gasLimit < floorGas) {
    throw new TransactionError(
      `insufficient gas for floor data gas cost: have ${tx.gasLimit}, want ${floorGas}`,
    );
  }
  const { executionGasCap } = rules.revision;
  const least = maxBigInt(intrinsicGas, floorGas);
  if (capsExecution && executionGasCap !== undefined && least > executionGasCap) {
    throw new TransactionError(
      `insufficient gas for floor data gas cost: intrinsic cost ${intrinsicGas}, floor: ${floorGas}`,
    );
  }
  return { intrinsicGas, floorGas };
}

function countStorageKeys(accessList: TransactionBody['accessList']): number {
  let count = 0;
  for (const { storageKeys } of accessList) count += storageKeys.length;
  return count;
}
