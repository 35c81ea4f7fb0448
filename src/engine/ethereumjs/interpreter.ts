import { type Common, createCustomCommon, Hardfork, Mainnet } from '@ethereumjs/common';
import { createEVM, type EVM, type ExecResult } from '@ethereumjs/evm';
import { Account, Address } from '@ethereumjs/util';
import type { Log } from '../../chain/receipt.ts';
import { isAtLeast, type Revision } from '../../evm/revision.ts';
import { bytesToHex, hexToBytes } from '../../primitives/hex.ts';
import type { BlockEnvironment, Message, MessageResult } from '../message.ts';
import type { WorldState } from '../state/world-state.ts';
import { describeHalt } from './halt-reason.ts';
import { KZG_VERIFIER } from './kzg.ts';
import { StateAdapter } from './state-adapter.ts';

const HARDFORKS: Readonly<Record<Revision, Hardfork>> = {
  frontier: Hardfork.Chainstart,
  homestead: Hardfork.Homestead,
  tangerineWhistle: Hardfork.TangerineWhistle,
  spuriousDragon: Hardfork.SpuriousDragon,
  byzantium: Hardfork.Byzantium,
  constantinople: Hardfork.Constantinople,
  petersburg: Hardfork.Petersburg,
  istanbul: Hardfork.Istanbul,
  berlin: Hardfork.Berlin,
  london: Hardfork.London,
  paris: Hardfork.Paris,
  shanghai: Hardfork.Shanghai,
  cancun: Hardfork.Cancun,
  prague: Hardfork.Prague,
  osaka: Hardfork.Osaka,
};

const unprefixed = (bytes: Uint8Array): string => bytesToHex(bytes).slice(2);

export type PrecompileChanges = {
  readonly moved: readonly (readonly [from: string, to: string])[];
  readonly removed: readonly string[];
};

/**
 * The EVM of one revision. Runs one message at a time: state and block are attached for the length of a run.
 * A transaction may consist of a message and fee payments around it; `finish` ends it.
 */
export class Interpreter {
  readonly #revision: Revision;
  readonly #evm: EVM;
  readonly #adapter: StateAdapter;
  readonly #hashes: { block: BlockEnvironment | undefined };
  #destroyed: Address[] = [];

  private constructor(
    revision: Revision,
    evm: EVM,
    adapter: StateAdapter,
    hashes: { block: BlockEnvironment | undefined },
  ) {
    this.#revision = revision;
    this.#evm = evm;
    this.#adapter = adapter;
    this.#hashes = hashes;
  }

  static async create(chainId: bigint, revision: Revision): Promise<Interpreter> {
    const common: Common = createCustomCommon({ chainId: chainId.toString() }, Mainnet, {
      hardfork: HARDFORKS[revision],
      customCrypto: { kzg: KZG_VERIFIER },
    });
    const adapter = new StateAdapter();
    const hashes: { block: BlockEnvironment | undefined } = { block: undefined };
    const blockchain = {
      getBlock: async (number: number): Promise<{ hash: () => Uint8Array }> => ({
        hash: () => (hashes.block as BlockEnvironment).getBlockHash(BigInt(number)),
      }),
      putBlock: async (): Promise<void> => undefined,
      shallowCopy() {
        return this;
      },
    };
    const evm = await createEVM({ common, stateManager: adapter, blockchain });
    return new Interpreter(revision, evm, adapter, hashes);
  }

  isPrecompile(address: string): boolean {
    return this.#evm.precompiles.has(address);
  }

  /** Runs `use` with some precompiles elsewhere or gone (state overrides). Addresses are 40 hex digits. */
  async withPrecompiles<T>({ moved, removed }: PrecompileChanges, use: () => Promise<T>): Promise<T> {
    const { precompiles } = this.#evm;
    const saved = new Map(precompiles);
    for (const address of removed) precompiles.delete(address);
    for (const [from, to] of moved) {
      const precompile = saved.get(from);
      if (precompile !== undefined) precompiles.set(to, precompile);
    }
    try {
      return await use();
    } finally {
      precompiles.clear();
      for (const [address, precompile] of saved) precompiles.set(address, precompile);
    }
  }

  /** Chooses state for the messages that follow, and forgets what the last transaction touched and warmed. */
  begin(world: WorldState, block: BlockEnvironment): void {
    this.#adapter.attach(world);
    this.#hashes.block = block;
    this.#destroyed = [];
    this.#evm.journal.cleanJournal();
    this.#evm.transientStorage.clear();
  }

  /** Makes an account warm for this transaction (EIP-2929). */
  warm(address: Uint8Array): void {
    this.#evm.journal.addAlwaysWarmAddress(unprefixed(address));
  }

  /** Pays or takes balance as part of the transaction, so that an account left empty is noticed (EIP-161). */
  async changeBalance(address: Uint8Array, change: bigint): Promise<void> {
    const key = new Address(address);
    const account = (await this.#adapter.getAccount(key)) ?? new Account();
    account.balance += change;
    await this.#evm.journal.putAccount(key, account);
  }

  async run(message: Message, block: BlockEnvironment): Promise<MessageResult> {
    this.#warmUp(message, block);
    const { execResult } = await this.#evm.runCall({
      caller: new Address(message.caller),
      ...(message.to !== undefined && { to: new Address(message.to) }),
      value: message.value,
      data: message.data,
      gasLimit: message.gasLimit,
      gasPrice: message.gasPrice,
      blobVersionedHashes: message.blobVersionedHashes.map((hash) => bytesToHex(hash) as `0x${string}`),
      block: this.#libraryBlock(block),
      skipNonceIncrement: true,
    });
    this.#noteDestroyed(execResult);
    return toResult(execResult);
  }

  /**
   * Ends the transaction: destroyed accounts go with whatever was paid to them since, and so do accounts
   * that it touched and left empty (EIP-161).
   */
  async finish(): Promise<void> {
    for (const address of this.#destroyed) await this.#evm.journal.deleteAccount(address);
    this.#destroyed = [];
    await this.#evm.journal.cleanup();
    this.#adapter.originalStorageCache.clear();
  }

  /** EIP-2929, 2930, 3651: what is warm before the first instruction. */
  #warmUp(message: Message, block: BlockEnvironment): void {
    if (!isAtLeast(this.#revision, 'berlin')) return;
    const { journal } = this.#evm;
    for (const address of this.#evm.precompiles.keys()) journal.addAlwaysWarmAddress(address);
    journal.addAlwaysWarmAddress(unprefixed(message.caller));
    if (message.to !== undefined) journal.addAlwaysWarmAddress(unprefixed(message.to));
    if (isAtLeast(this.#revision, 'shanghai')) journal.addAlwaysWarmAddress(unprefixed(block.beneficiary));
    for (const { address, storageKeys } of message.accessList) {
      const key = unprefixed(address);
      journal.addAlwaysWarmAddress(key);
      for (const slot of storageKeys) journal.addAlwaysWarmSlot(key, unprefixed(slot));
    }
  }

  #libraryBlock(block: BlockEnvironment): NonNullable<Parameters<EVM['runCall']>[0]['block']> {
    return {
      header: {
        number: block.number,
        coinbase: new Address(block.beneficiary),
        timestamp: block.timestamp,
        difficulty: block.difficulty,
        prevRandao: block.prevRandao,
        gasLimit: block.gasLimit,
        ...(block.baseFeePerGas !== undefined && { baseFeePerGas: block.baseFeePerGas }),
        slotNumber: 0n,
        getBlobGasPrice: () => block.blobBaseFee,
      },
    } as NonNullable<Parameters<EVM['runCall']>[0]['block']>;
  }

  /** SELFDESTRUCT takes effect at the end; since Cancun only for contracts of this transaction (EIP-6780). */
  #noteDestroyed({ selfdestruct, createdAddresses }: ExecResult): void {
    const onlyCreated = isAtLeast(this.#revision, 'cancun');
    for (const address of selfdestruct?.keys() ?? []) {
      if (onlyCreated && createdAddresses?.has(address) !== true) continue;
      this.#destroyed.push(new Address(hexToBytes(address)));
    }
  }
}

const RETURN = 0xf3;
const CODE_DEPOSIT_FAILURE = 'contract creation code storage out of gas';

/** The library calls it plain `out of gas` when a creation ran to its RETURN but cannot pay for storing the code. */
function isDepositFailure({ exceptionError, runState }: ExecResult): boolean {
  const isOutOfGas = exceptionError?.error === 'out of gas';
  return isOutOfGas && runState?.env.isCreate === true && runState.opCode === RETURN && runState.gasLeft > 0n;
}

/** The instruction that ended the execution. For undefined ones the library may say INVALID: the code itself tells. */
function opcodeOf({ exceptionError, runState }: ExecResult): number {
  if (runState === undefined) return 0;
  if (exceptionError?.error !== 'invalid opcode') return runState.opCode;
  return runState.code[runState.programCounter] ?? 0;
}

function toResult(result: ExecResult): MessageResult {
  const error = result.exceptionError?.error as string | undefined;
  const status = error === undefined ? 'success' : error === 'revert' ? 'revert' : 'halt';
  const { stack, gasLeft = 0n } = result.runState ?? {};
  const opcode = opcodeOf(result);
  const reason = (): string =>
    isDepositFailure(result)
      ? CODE_DEPOSIT_FAILURE
      : describeHalt(error as string, opcode, stack?.length ?? 0, gasLeft);
  return {
    status,
    reason: status === 'halt' ? reason() : '',
    output: status === 'halt' ? new Uint8Array(0) : result.returnValue,
    gasUsed: result.executionGasUsed,
    gasRefund: result.gasRefund ?? 0n,
    logs: (result.logs ?? []).map(([address, topics, data]): Log => ({ address, topics, data })),
  };
}
