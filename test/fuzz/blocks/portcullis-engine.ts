/** Executes blocks with the engine under test. */
import type { Block } from '../../../packages/ethereum/codecs/block.ts';
import { BLANK_HEADER, type Header } from '../../../packages/ethereum/codecs/header.ts';
import type { Transaction } from '../../../packages/ethereum/codecs/transaction.ts';
import { bigIntToFixedBytes } from '../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex, hexToBytes } from '../../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../../packages/ethereum/primitives/keccak.ts';
import type { Evm } from '../../../packages/evm/interpreter/evm.ts';
import type { AccountState, StateChanges } from '../../../packages/evm/interpreter/host.ts';
import { type Revision, rulesOf } from '../../../packages/evm/interpreter/revisions/revisions.ts';
import { environmentOf } from '../../../packages/evm/transition/block-environment.ts';
import { BlockError } from '../../../packages/evm/transition/block-error.ts';
import {
  type BlockResult,
  executeBlock,
  type RootedState,
} from '../../../packages/evm/transition/execute-block.ts';
import type { BlockRules } from '../../../packages/evm/transition/rules.ts';
import { TransactionError } from '../../../packages/evm/transition/transaction-error.ts';
import { createEvm } from '../../../src/engine/create-evm.ts';
import { getCryptography } from '../../../src/engine/node-cryptography.ts';
import { isAtLeast } from '../../support/is-at-least.ts';
import { CaseState } from '../case-state.ts';
import { blockHashOf, CHAIN_ID } from '../fuzz-case.ts';
import { type BlockCase, headerFieldsOf } from './block-case.ts';
import { type BlockOutcome, failedBlock } from './block-outcome.ts';
import { executeWithoutRefused, Refusal } from './refusals.ts';

/** Exceeds the memory that the gas of any case can pay for. */
const MEMORY_LIMIT: number = 256 << 20;
const MAINNET_DEPOSITS = '0x00000000219ab540356cbb839cbe05303d7705fa';
/** EIP-7892: geth's Amsterdam state transitions come after the second change of blob parameters. */
const BLOBS = { target: 14n, max: 21n, baseFeeUpdateFraction: 11_684_671n };
const CANCUN_BLOBS = { target: 3n, max: 6n, baseFeeUpdateFraction: 3_338_477n };
const PRAGUE_BLOBS = { target: 6n, max: 9n, baseFeeUpdateFraction: 5_007_716n };
const REFUSED = /^transaction (\d+): (.*)$/s;

function blobsOf(revision: Revision): BlockRules['blobs'] {
  if (isAtLeast(revision, 'amsterdam')) return BLOBS;
  return isAtLeast(revision, 'prague') ? PRAGUE_BLOBS : CANCUN_BLOBS;
}

function rulesFor({ revision }: BlockCase): BlockRules {
  return {
    chainId: CHAIN_ID,
    revision: rulesOf(revision),
    hasReplayProtection: true,
    isMerged: true,
    bombDelay: 0n,
    blobs: blobsOf(revision),
    depositContract: MAINNET_DEPOSITS,
  };
}

function headerOf({ block }: BlockCase): Header {
  return {
    ...BLANK_HEADER,
    ...headerFieldsOf(block),
    beneficiary: hexToBytes(block.beneficiary),
  };
}

/** The accounts of a case, updated as the block proceeds. */
class AppliedState implements RootedState {
  accounts: BlockCase['accounts'];
  #state: CaseState;

  /** Every code that any account has had, by hash. */
  readonly #codes = new Map<string, Uint8Array>();

  constructor(accounts: BlockCase['accounts']) {
    this.accounts = accounts;
    this.#state = new CaseState(accounts);
    for (const { code } of accounts.values()) this.#codes.set(bytesToHex(keccak256(code)), code);
  }

  getAccount(address: Uint8Array): AccountState | undefined {
    return this.#state.getAccount(address);
  }

  getStorage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    return this.#state.getStorage(address, slot);
  }

  getCode(codeHash: Uint8Array): Uint8Array {
    const code = this.#codes.get(bytesToHex(codeHash));
    if (code === undefined) throw new Error(`no account has had the code ${bytesToHex(codeHash)}`);
    return code;
  }

  apply(changes: StateChanges): void {
    for (const [hash, code] of changes.codes) this.#codes.set(bytesToHex(hash), code);
    // The state of one step knows only the codes of the accounts that it has read.
    for (const { address } of changes.accounts) this.#state.getAccount(address);
    this.accounts = this.#state.after(changes);
    this.#state = new CaseState(this.accounts);
  }

  computeRoot(): Uint8Array {
    throw new Error('receipts have statuses');
  }
}

export class PortcullisEngine {
  readonly #evm: Evm = createEvm(new CaseState(new Map()), MEMORY_LIMIT);

  run(blockCase: BlockCase): Promise<BlockOutcome> {
    return executeWithoutRefused(blockCase, (cached) => {
      try {
        return this.#runKept(blockCase, cached);
      } catch (error) {
        this.#evm.forget();
        if (error instanceof BlockError) return failedBlock(error.message);
        const [, place, reason] =
          error instanceof TransactionError ? (REFUSED.exec(error.message) ?? []) : [];
        throw place === undefined ? error : new Refusal(Number(place), reason as string);
      }
    });
  }

  #runKept(blockCase: BlockCase, transactions: readonly Transaction[]): BlockOutcome {
    const evm = this.#evm;
    const state = new AppliedState(blockCase.accounts);
    evm.attach(state);
    const rules = rulesFor(blockCase);
    const header = headerOf(blockCase);
    const block: Block = { header, transactions, uncles: [], withdrawals: blockCase.withdrawals };
    const environment = environmentOf(header, rules, (number) => bigIntToFixedBytes(blockHashOf(number), 32));
    const { recoverPublicKey } = getCryptography();
    const context = { evm, block: environment, rules, recoverPublicKey };
    const result = executeBlock(block, context, false, state);
    return { ...outcomeOf(result), accounts: state.accounts, rejected: new Map() };
  }
}

function outcomeOf(result: BlockResult): Omit<BlockOutcome, 'rejected' | 'accounts'> {
  let before = 0n;
  return {
    receipts: result.receipts.map(({ outcome, cumulativeGasUsed, logs }) => {
      const gasUsed = cumulativeGasUsed - before;
      before = cumulativeGasUsed;
      return {
        status: outcome as bigint,
        gasUsed,
        cumulativeGasUsed,
        logs: logs.map(
          ({ address, topics, data }) =>
            `${bytesToHex(address)} ${topics.map(bytesToHex).join()} ${bytesToHex(data)}`,
        ),
      };
    }),
    gasUsed: result.gasUsed,
    executionGasUsed: result.executionGasUsed,
    stateGasUsed: result.stateGasUsed,
    requestsHash: result.requestsHash === undefined ? undefined : bytesToHex(result.requestsHash),
    accessList: result.accessList === undefined ? undefined : bytesToHex(result.accessList.encoded),
  };
}
