/** Executes blocks with @ethereumjs/vm. */
import { Block, createBlockHeader } from '@ethereumjs/block';
import { createTxFromRLP, type TypedTransaction } from '@ethereumjs/tx';
import { createWithdrawal } from '@ethereumjs/util';
import { createVM, type RunBlockResult, runBlock, type VM } from '@ethereumjs/vm';
import type { Transaction } from '../../../packages/ethereum/codecs/transaction.ts';
import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
import { BUILDER_DEPOSITS, BUILDER_EXITS } from '../../../scripts/contracts/builder-contracts.ts';
import { CORRECTIONS } from '../oracle/corrections.ts';
import { createOracleEvm } from '../oracle/create-oracle-evm.ts';
import { OracleState } from '../oracle/oracle-state.ts';
import { type BlockCase, headerFieldsOf } from './block-case.ts';
import type { BlockOracle, KnownDifference } from './block-oracle.ts';
import { type BlockOutcome, failedBlock } from './block-outcome.ts';
import { protocolAccounts } from './block-state.ts';
import { VM_CORRECTIONS, type VmCorrection } from './ethereumjs-corrections.ts';
import { ETHEREUMJS_DIFFERENCES } from './ethereumjs-differences.ts';
import { executeWithoutRefused, Refusal } from './refusals.ts';

const PROTOCOL = protocolAccounts();
/** geth 1.17.8 refuses transactions with a higher gas limit; EIP-8037 has no such rule. */
const GETH_GAS_CAP = 2n ** 32n - 1n;

/**
 * Restores the code of protocol contracts, unless they are missing: the library calls those of requests without a block
 * environment, and writes the storage of those of EIP-2935 and 4788 without running them.
 * Removes accounts with only storage: the library follows EIP-7610, which geth and Amsterdam's list of EIPs omit.
 */
function adaptBlock(blockCase: BlockCase): BlockCase {
  const accounts = new Map(blockCase.accounts);
  for (const [address, account] of accounts) {
    const { nonce, code, storage } = account;
    const own = PROTOCOL.get(address);
    if (own !== undefined) accounts.set(address, { ...account, code: own.code, storage: own.storage });
    else if (nonce === 0n && code.length === 0 && storage.size > 0) accounts.delete(address);
  }
  return { ...blockCase, accounts };
}

async function createVm(
  blockCase: BlockCase,
  state: OracleState,
  corrections: readonly VmCorrection[],
): Promise<VM> {
  const evm = await createOracleEvm(blockCase.revision, state);
  for (const { apply } of CORRECTIONS) apply(evm);
  state.load(blockCase.accounts);
  const vm = await createVM({
    common: evm.common,
    stateManager: state,
    evm,
    blockchain: evm.blockchain as never,
  });
  if (vm.common.isActivatedEIP(8037)) for (const { apply } of corrections) apply(vm);
  return vm;
}

function createHeader({ block }: BlockCase, vm: VM): ReturnType<typeof createBlockHeader> {
  return createBlockHeader(
    {
      ...headerFieldsOf(block),
      coinbase: block.beneficiary as `0x${string}`,
    },
    { common: vm.common },
  );
}

/** @throws Refusal */
function readTransactions(cached: readonly Transaction[], { common }: VM): TypedTransaction[] {
  const room = common.getBlobGasSchedule().maxBlobGasPerBlock / common.param('blobGasPerBlob');
  const hasReservoir = common.isActivatedEIP(8037);
  let blobs = 0n;
  return cached.map(({ encoded }, place) => {
    let transaction: TypedTransaction;
    try {
      transaction = createTxFromRLP(encoded, { common });
    } catch (error) {
      throw new Refusal(place, (error as Error).message);
    }
    if (hasReservoir && transaction.gasLimit > GETH_GAS_CAP)
      throw new Refusal(place, "more gas than geth's cap");
    // The library counts the blobs of a block when it validates its header.
    blobs += BigInt('numBlobs' in transaction ? transaction.numBlobs() : 0);
    if (blobs > room) throw new Refusal(place, 'more blobs than a block may have');
    return transaction;
  });
}

function outcomeOf(result: RunBlockResult, state: OracleState): BlockOutcome {
  const { receipts, results, gasUsed, requestsHash, blockLevelAccessList } = result;
  let stateGasUsed = 0n;
  let executionGasUsed = 0n;
  for (const { txStateGas, txRegularGas, blockGasSpent } of results) {
    stateGasUsed += txStateGas ?? 0n;
    executionGasUsed += txRegularGas ?? blockGasSpent;
  }
  return {
    hasOwnReasons: true,
    rejected: new Map(),
    receipts: receipts.map((receipt, index) => ({
      status: BigInt((receipt as { status: number }).status),
      gasUsed: results[index]?.totalGasSpent as bigint,
      cumulativeGasUsed: receipt.cumulativeBlockGasUsed,
      logs: receipt.logs.map(
        ([address, topics, data]) =>
          `${bytesToHex(address)} ${topics.map(bytesToHex).join()} ${bytesToHex(data)}`,
      ),
    })),
    gasUsed,
    executionGasUsed,
    stateGasUsed,
    requestsHash: requestsHash === undefined ? undefined : bytesToHex(requestsHash),
    accessList: blockLevelAccessList === undefined ? undefined : bytesToHex(blockLevelAccessList.serialize()),
    accounts: state.accounts,
  };
}

export class EthereumjsOracle implements BlockOracle {
  readonly name: string = 'ethereumjs';
  readonly concurrency: number = 1;
  readonly known: readonly KnownDifference[] = ETHEREUMJS_DIFFERENCES;
  readonly adapt: BlockOracle['adapt'] = adaptBlock;
  readonly #corrections: readonly VmCorrection[];

  /** @param corrections a shorter list leaves faults of the library in, to test their detection */
  constructor(corrections: readonly VmCorrection[] = VM_CORRECTIONS) {
    this.#corrections = corrections;
  }

  run(blockCase: BlockCase): Promise<BlockOutcome> {
    return executeWithoutRefused(blockCase, (cached) => this.#runWithRequests(blockCase, cached));
  }

  /** The library generates blocks without the contracts of EIP-8282; it requires them only when it validates a block. */
  async #runWithRequests(blockCase: BlockCase, cached: readonly Transaction[]): Promise<BlockOutcome> {
    const outcome = await this.#runKept(blockCase, cached, true);
    const isMissing = [BUILDER_DEPOSITS, BUILDER_EXITS].some(
      ({ address }) => !blockCase.accounts.has(address),
    );
    if (!isMissing) return outcome;
    const checked = await this.#runKept(blockCase, cached, false);
    return checked.failure?.includes('builder request contract') === true ? checked : outcome;
  }

  /** Executes the transactions that were not refused. @throws Refusal */
  async #runKept(
    blockCase: BlockCase,
    cached: readonly Transaction[],
    generate: boolean,
  ): Promise<BlockOutcome> {
    const state = new OracleState();
    const vm = await createVm(blockCase, state, this.#corrections);
    const transactions = readTransactions(cached, vm);
    const withdrawals = blockCase.withdrawals.map(({ index, validatorIndex, address, amount }) =>
      createWithdrawal({ index, validatorIndex, address, amount }),
    );
    let executed = 0;
    vm.events.on('beforeTx', () => state.originalStorageCache.clear());
    vm.events.on('afterTx', () => executed++);
    const block = new Block(createHeader(blockCase, vm), transactions, [], withdrawals, {
      common: vm.common,
    });
    try {
      return outcomeOf(await runBlock(vm, { block, generate, skipBlockValidation: true }), state);
    } catch (error) {
      const { message } = error as Error;
      if (executed < transactions.length) throw new Refusal(executed, message);
      return failedBlock(message, true);
    }
  }
}
