import type { EVM, ExecResult } from '@ethereumjs/evm';
import { Account, Address } from '@ethereumjs/util';
import { maxBigInt, minBigInt } from '../../../packages/ethereum/primitives/bigint.ts';
import { bigIntToFixedBytes, EMPTY_BYTES } from '../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex, hexToBytes } from '../../../packages/ethereum/primitives/hex.ts';
import type { Revision } from '../../../packages/evm/interpreter/revisions/revisions.ts';
import { isAtLeast } from '../../support/is-at-least.ts';
import type { AddressText, FuzzAccount, FuzzCase } from '../fuzz-case.ts';
import { type Outcome, REJECTED } from '../outcome.ts';
import { CORRECTIONS } from './corrections.ts';
import { createOracleEvm } from './create-oracle-evm.ts';
import { applyAuthorizations, isDelegation } from './delegations.ts';
import { countInstructions } from './instructions.ts';
import { floorGasOf, intrinsicGasOf } from './intrinsic-gas.ts';
import { OracleState } from './oracle-state.ts';

type LibraryBlock = NonNullable<Parameters<EVM['runCall']>[0]['block']>;

const GAS_PER_BLOB = 131_072n;
const MAX_TRANSACTION_GAS = 2n ** 24n;
const MAX_INIT_CODE_LENGTH = 49_152;
/** Frontier: a creation that cannot pay for storing its code succeeds without the code. */
const DEPOSIT_FAILURE = 'code store out of gas';

const toAddress = (text: AddressText): Address => new Address(hexToBytes(text));

function libraryBlock({ block }: FuzzCase): LibraryBlock {
  return {
    header: {
      number: block.number,
      coinbase: toAddress(block.beneficiary),
      timestamp: block.timestamp,
      difficulty: block.difficulty,
      prevRandao: bigIntToFixedBytes(block.prevRandao, 32),
      gasLimit: block.gasLimit,
      ...(block.baseFeePerGas !== undefined && { baseFeePerGas: block.baseFeePerGas }),
      slotNumber: 0n,
      getBlobGasPrice: () => block.blobBaseFee,
    },
  } as LibraryBlock;
}

function statusOf({ exceptionError }: ExecResult, revision: Revision): 'success' | 'revert' | 'halt' {
  if (exceptionError === undefined) return 'success';
  if (exceptionError.error === 'revert') return 'revert';
  return revision === 'frontier' && exceptionError.error === DEPOSIT_FAILURE ? 'success' : 'halt';
}

/** Executes cases of one revision with @ethereumjs/evm; everything around the EVM is reimplemented here. */
export class Oracle {
  readonly #revision: Revision;
  readonly #evm: EVM;
  readonly #state: OracleState;
  readonly #counter: { count: number };

  private constructor(revision: Revision, evm: EVM, state: OracleState) {
    this.#revision = revision;
    this.#evm = evm;
    this.#state = state;
    this.#counter = countInstructions(evm);
  }

  /** @param spoil makes the oracle wrong on purpose, to test that this is detected */
  static async create(revision: Revision, spoil?: (evm: EVM) => void): Promise<Oracle> {
    const state = new OracleState();
    const evm = await createOracleEvm(revision, state);
    for (const { apply } of CORRECTIONS) apply(evm);
    spoil?.(evm);
    return new Oracle(revision, evm, state);
  }

  /** Instructions executed so far. */
  get steps(): number {
    return this.#counter.count;
  }

  run(fuzzCase: FuzzCase): Promise<Outcome> {
    this.#evm.journal.cleanJournal();
    this.#evm.transientStorage.clear();
    return fuzzCase.level === 'message' ? this.#runMessage(fuzzCase) : this.#runTransaction(fuzzCase);
  }

  async #runMessage(fuzzCase: FuzzCase): Promise<Outcome> {
    this.#state.load(fuzzCase.accounts);
    const result = await this.#execute(fuzzCase, fuzzCase.transaction.gasLimit);
    await this.#destroy(result);
    await this.#evm.journal.cleanup();
    return this.#outcome(result, result.executionGasUsed, result.gasRefund ?? 0n);
  }

  async #runTransaction(fuzzCase: FuzzCase): Promise<Outcome> {
    const { transaction: tx, block, sender } = fuzzCase;
    const intrinsic = intrinsicGasOf(tx, this.#revision);
    const floor = floorGasOf(tx, this.#revision);
    if (!this.#isValid(fuzzCase, maxBigInt(intrinsic, floor))) return REJECTED;

    const baseFee = block.baseFeePerGas ?? 0n;
    const offered = baseFee + tx.maxPriorityFeePerGas;
    const gasPrice = tx.type < 2 || offered > tx.maxFeePerGas ? tx.maxFeePerGas : offered;
    const blobFee = GAS_PER_BLOB * BigInt(tx.blobVersionedHashes.length) * block.blobBaseFee;
    const accounts = new Map(fuzzCase.accounts);
    const account = accounts.get(sender) as FuzzAccount;
    const balance = account.balance - tx.gasLimit * gasPrice - blobFee;
    accounts.set(sender, { ...account, nonce: account.nonce + 1n, balance });
    const authorizations = applyAuthorizations(tx.authorizationList, accounts);
    this.#state.load(accounts);
    for (const authority of authorizations.warm) this.#evm.journal.addAlwaysWarmAddress(authority);

    const result = await this.#execute(fuzzCase, tx.gasLimit - intrinsic, gasPrice);
    const spent = intrinsic + result.executionGasUsed;
    const cap = spent / (isAtLeast(this.#revision, 'london') ? 5n : 2n);
    const refund = (result.gasRefund ?? 0n) + authorizations.refund;
    const charged = maxBigInt(spent - minBigInt(refund, cap), floor);
    await this.#pay(sender, (tx.gasLimit - charged) * gasPrice);
    await this.#pay(block.beneficiary, charged * (gasPrice - baseFee));
    await this.#destroy(result);
    await this.#evm.journal.cleanup();
    return this.#outcome(result, charged, undefined);
  }

  #isValid({ transaction: tx, block, accounts, sender }: FuzzCase, leastGas: bigint): boolean {
    const account = accounts.get(sender);
    if (account === undefined || account.nonce !== tx.nonce) return false;
    if (account.code.length > 0 && !isDelegation(account.code)) return false;
    if (tx.gasLimit < leastGas || tx.gasLimit > block.gasLimit) return false;
    if (isAtLeast(this.#revision, 'osaka') && tx.gasLimit > MAX_TRANSACTION_GAS) return false;
    if (tx.to === undefined && isAtLeast(this.#revision, 'shanghai') && tx.data.length > MAX_INIT_CODE_LENGTH)
      return false;
    if (tx.maxFeePerGas < (block.baseFeePerGas ?? 0n) || tx.maxFeePerGas < tx.maxPriorityFeePerGas)
      return false;
    const blobGas = GAS_PER_BLOB * BigInt(tx.blobVersionedHashes.length);
    if (blobGas > 0n && tx.maxFeePerBlobGas < block.blobBaseFee) return false;
    return account.balance >= tx.gasLimit * tx.maxFeePerGas + tx.value + blobGas * tx.maxFeePerBlobGas;
  }

  async #execute(fuzzCase: FuzzCase, gasLimit: bigint, gasPrice?: bigint): Promise<ExecResult> {
    const { transaction: tx, sender } = fuzzCase;
    this.#warmUp(fuzzCase);
    const { execResult } = await this.#evm.runCall({
      caller: toAddress(sender),
      ...(tx.to !== undefined && { to: new Address(tx.to) }),
      value: tx.value,
      data: tx.data,
      gasLimit,
      gasPrice: gasPrice ?? tx.maxFeePerGas,
      blobVersionedHashes: tx.blobVersionedHashes.map((hash) => bytesToHex(hash) as `0x${string}`),
      block: libraryBlock(fuzzCase),
      skipNonceIncrement: true,
    });
    return execResult;
  }

  /** Warms accounts and slots by EIP-2929, 2930, 3651. */
  #warmUp({ transaction: tx, sender, block }: FuzzCase): void {
    if (!isAtLeast(this.#revision, 'berlin')) return;
    const { journal } = this.#evm;
    for (const address of this.#evm.precompiles.keys()) journal.addAlwaysWarmAddress(address);
    journal.addAlwaysWarmAddress(sender);
    if (tx.to !== undefined) journal.addAlwaysWarmAddress(bytesToHex(tx.to));
    if (isAtLeast(this.#revision, 'shanghai')) journal.addAlwaysWarmAddress(block.beneficiary);
    for (const { address, storageKeys } of tx.accessList) {
      const text = bytesToHex(address);
      journal.addAlwaysWarmAddress(text);
      for (const key of storageKeys) journal.addAlwaysWarmSlot(text, bytesToHex(key));
    }
  }

  async #pay(text: AddressText, amount: bigint): Promise<void> {
    const address = toAddress(text);
    const account = (await this.#state.getAccount(address)) ?? new Account();
    account.balance += amount;
    await this.#evm.journal.putAccount(address, account);
  }

  /** Applies SELFDESTRUCT at the end; since Cancun only to contracts of the same transaction (EIP-6780). */
  async #destroy({ selfdestruct, createdAddresses }: ExecResult): Promise<void> {
    const onlyCreated = isAtLeast(this.#revision, 'cancun');
    for (const address of selfdestruct?.keys() ?? []) {
      if (onlyCreated && createdAddresses?.has(address) !== true) continue;
      await this.#evm.journal.deleteAccount(toAddress(address));
    }
  }

  #outcome(result: ExecResult, gasUsed: bigint, refund: bigint | undefined): Outcome {
    const status = statusOf(result, this.#revision);
    return {
      status,
      output: status === 'halt' ? EMPTY_BYTES : result.returnValue,
      gasUsed,
      refund: status === 'success' || refund === undefined ? refund : 0n,
      logs: (result.logs ?? []).map(([address, topics, data]) => ({ address, topics, data })),
      accounts: this.#state.accounts,
    };
  }
}
