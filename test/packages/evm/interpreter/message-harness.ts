/** Runs messages in an EVM over accounts that are generated on demand. */

import {
  bigIntToBytes,
  bigIntToFixedBytes,
  bytesToBigInt,
  EMPTY_BYTES,
} from '../../../../packages/ethereum/primitives/bytes.ts';
import { EMPTY_CODE_HASH, keccak256 } from '../../../../packages/ethereum/primitives/keccak.ts';
import type { Evm } from '../../../../packages/evm/interpreter/evm.ts';
import type { AccountState, StateReader } from '../../../../packages/evm/interpreter/host.ts';
import type {
  BlockEnvironment,
  Message,
  MessageResult,
} from '../../../../packages/evm/interpreter/message.ts';
import { type Revision, rulesOf } from '../../../../packages/evm/interpreter/revisions/revisions.ts';
import { WHOLE_SLICE } from '../../../../packages/evm/interpreter/slice.ts';
import { assemble } from '../../../../scripts/assembler.ts';
import { createEvm } from '../../../../src/engine/create-evm.ts';

export const MEMORY_LIMIT: number = 64 << 20;
const CHAIN_ID = 1n;

/** Converts a number to an address. */
export function addressOf(number: number): Uint8Array {
  const address = new Uint8Array(20);
  new DataView(address.buffer).setUint32(16, number);
  return address;
}

const SENDER: Uint8Array = addressOf(0xffff_0001);
/** Address of a message's code. */
const PROGRAM: Uint8Array = addressOf(0xffff_0002);

const BLOCK: BlockEnvironment = {
  number: 1n,
  timestamp: 1n,
  beneficiary: addressOf(0xffff_0003),
  gasLimit: 30_000_000n,
  difficulty: 0n,
  prevRandao: new Uint8Array(32),
  baseFeePerGas: 0n,
  blobBaseFee: 0n,
  slotNumber: 0x1234_5678_9abcn,
  getBlockHash: () => new Uint8Array(32),
};

const MESSAGE: Omit<Message, 'to' | 'gasLimit'> = {
  caller: SENDER,
  value: 0n,
  data: EMPTY_BYTES,
  stateGas: 0n,
  gasPrice: 0n,
  blobVersionedHashes: [],
  accessList: [],
};

/** State with generated accounts: `codeAt` gives the code by number; other accounts do not exist. */
class MadeUpState implements StateReader {
  readonly #codeAt: (number: number) => Uint8Array | undefined;
  readonly #codes = new Map<bigint, () => Uint8Array>();

  constructor(codeAt: (number: number) => Uint8Array | undefined) {
    this.#codeAt = codeAt;
  }

  getAccount(address: Uint8Array): AccountState | undefined {
    const number = Number(bytesToBigInt(address) & 0xffff_ffffn);
    const code = this.#codeAt(number);
    if (code === undefined) return undefined;
    const codeHash = code.length === 0 ? EMPTY_CODE_HASH : keccak256(code);
    this.#codes.set(bytesToBigInt(codeHash), () => this.#codeAt(number) as Uint8Array);
    return { nonce: 1n, balance: 0n, codeHash, hasStorage: false };
  }

  getStorage(): Uint8Array {
    return EMPTY_BYTES;
  }

  getCode(codeHash: Uint8Array): Uint8Array {
    const code = this.#codes.get(bytesToBigInt(codeHash));
    if (code === undefined) throw new Error('unknown code');
    return code();
  }
}

/** State and gas of a message apart from its code. */
export type Given = {
  /** The reservoir of EIP-8037. */
  readonly stateGas?: bigint;
  /** Balance of the program's account. */
  readonly balance?: bigint;
  readonly storage?: readonly (readonly [slot: number, value: number])[];
  readonly slice?: bigint;
};

export class MessageHarness {
  readonly evm: Evm;
  readonly #revision: Revision;

  /** @param codeAt codes of the other accounts @param seed seed of the hash of the core's tables, by default random */
  constructor(
    revision: Revision = 'osaka',
    codeAt: (number: number) => Uint8Array | undefined = () => undefined,
    memoryLimit: number = MEMORY_LIMIT,
    seed?: Uint8Array,
  ) {
    this.#revision = revision;
    this.evm = createEvm(new MadeUpState(codeAt), memoryLimit, seed);
  }

  /** Runs code to its end and undoes its changes. State that was loaded before stays loaded. */
  run(code: string | Uint8Array, gasLimit = 30_000_000n, provided: Given = {}): MessageResult {
    const { stateGas = 0n, balance, storage = [], slice = WHOLE_SLICE } = provided;
    const program = typeof code === 'string' ? assemble(code) : code;
    const { state } = this.evm;
    this.#open();
    state.setCode(PROGRAM, keccak256(program), program);
    if (balance !== undefined) state.setBalance(PROGRAM, balance);
    for (const [slot, value] of storage) {
      state.setStorage(PROGRAM, bigIntToFixedBytes(BigInt(slot), 32), bigIntToBytes(BigInt(value)));
    }
    return this.#finish({ ...MESSAGE, to: PROGRAM, gasLimit, stateGas }, slice);
  }

  /** Runs an account's code and keeps its changes, without collecting them. */
  keep(account: number, gasLimit: bigint): void {
    const { evm } = this;
    this.#open();
    evm.begin();
    evm.start({ ...MESSAGE, to: addressOf(account), gasLimit });
    while (!evm.advance(WHOLE_SLICE));
    evm.finish();
  }

  create(code: Uint8Array, gasLimit: bigint, stateGas = 0n): MessageResult {
    this.#open();
    this.evm.state.setNonce(SENDER, 1n);
    return this.#finish({ ...MESSAGE, to: undefined, data: code, gasLimit, stateGas }, WHOLE_SLICE);
  }

  #open(): void {
    this.evm.enter(BLOCK, CHAIN_ID, rulesOf(this.#revision));
    this.evm.open();
  }

  #finish(message: Message, slice: bigint): MessageResult {
    const { evm } = this;
    evm.begin();
    evm.start(message);
    while (!evm.advance(slice));
    const result = evm.result();
    evm.abandon();
    return result;
  }
}

/** Returns the output as a number. */
export const numberOf = ({ output }: MessageResult): bigint => bytesToBigInt(output);
