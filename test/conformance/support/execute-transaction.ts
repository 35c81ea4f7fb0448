/** The engine under test, behind the one function that conformance runners use. */
import { blobGasOf, GAS_PER_BLOB } from '../../../packages/ethereum/codecs/transaction.ts';
import type { Evm } from '../../../packages/evm/interpreter/evm.ts';
import type { BlockEnvironment } from '../../../packages/evm/interpreter/message.ts';
import { rulesOf } from '../../../packages/evm/interpreter/revisions/revisions.ts';
import { applyTransaction } from '../../../packages/evm/transition/apply-transaction.ts';
import { blobBaseFeeOf } from '../../../packages/evm/transition/block-environment.ts';
import type { BlockRules } from '../../../packages/evm/transition/rules.ts';
import { TransactionError } from '../../../packages/evm/transition/transaction-error.ts';
import { validateSignedTransaction } from '../../../packages/evm/transition/validate-transaction.ts';
import { createEvm } from '../../../src/engine/create-evm.ts';
import { getCryptography } from '../../../src/engine/node-cryptography.ts';
import { isAtLeast } from '../../support/is-at-least.ts';
import type { ExecutionInput, ExecutionOutcome } from './execution.ts';

/** Memory of all frames, bytes: some tests use a megabyte in each of 1,024 frames, more than the service allows by default. */
const MEMORY_LIMIT: number = 1536 * 2 ** 20;

let evm: Evm | undefined;

/** Validates and executes one transaction without changing the input state. */
export async function executeTransaction(input: ExecutionInput): Promise<ExecutionOutcome> {
  const { tx, sender, state } = input;
  const rules = blockRulesOf(input);
  const { excessBlobGas, ...header } = input.block;
  const blobBaseFee = blobBaseFeeOf(excessBlobGas === undefined ? {} : { excessBlobGas }, rules);
  const block: BlockEnvironment = { ...header, blobBaseFee };
  evm ??= createEvm(state, MEMORY_LIMIT);
  evm.attach(state);
  try {
    validateBlobGas(input);
    validateSignedTransaction(tx, rules);
    if (tx.gasLimit > block.gasLimit) throw new TransactionError('gas limit reached');
    const { recoverPublicKey } = getCryptography();
    const result = applyTransaction(tx, sender, { evm, block, rules, recoverPublicKey });
    return { ...result, changes: evm.state.collectChanges() };
  } catch (error) {
    if (error instanceof TransactionError) return { refused: error.message };
    throw error;
  }
}

function blockRulesOf({ chainId, revision, blobs }: ExecutionInput): BlockRules {
  return {
    chainId,
    revision: rulesOf(revision),
    hasReplayProtection: isAtLeast(revision, 'spuriousDragon'),
    isMerged: isAtLeast(revision, 'paris'),
    bombDelay: 0n,
    blobs,
    depositContract: '',
  };
}

/** Checks the blob gas, which a header is checked for before any of its transactions: EIP-4844. */
function validateBlobGas({ tx, blobs }: ExecutionInput): void {
  if (blobs === undefined) return;
  const blobGas = blobGasOf(tx);
  const max = blobs.max * GAS_PER_BLOB;
  if (blobGas > max) throw new TransactionError(`blob gas used ${blobGas}, max ${max}`);
}
