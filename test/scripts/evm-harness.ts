import assert from 'node:assert/strict';
import { Common, type Hardfork, Mainnet } from '@ethereumjs/common';
import { createEVM, type EVM, type EVMRunCallOpts } from '@ethereumjs/evm';
import { Account, Address } from '@ethereumjs/util';
import { hexToBytes as decodeHex, encodeFunctionData, type Hex, pad } from 'viem';
import { bytesToHex, hexToBytes } from '../../packages/ethereum/primitives/hex.ts';

export const ALICE: Hex = `0x${'a1'.repeat(20)}`;
export const BOB: Hex = `0x${'b0'.repeat(20)}`;
export const CAROL: Hex = `0x${'ca'.repeat(20)}`;
export const COINBASE: Hex = `0x${'c0'.repeat(20)}`;
export const ONE_ETHER: bigint = 10n ** 18n;

export const BLOCK_HEADER: NonNullable<EVMRunCallOpts['block']>['header'] = {
  number: 77n,
  coinbase: toAddress(COINBASE),
  timestamp: 1_700_000_077n,
  difficulty: 0n,
  prevRandao: new Uint8Array(32).fill(0x5e),
  gasLimit: 36_000_000n,
  baseFeePerGas: 7n,
  getBlobGasPrice: (): bigint => 3n,
};

export type Outcome = {
  readonly data: Hex;
  /** The interpreter's name of the error; undefined on success. */
  readonly error: string | undefined;
  readonly gasUsed: bigint;
  readonly logs: readonly { address: Hex; topics: Hex[]; data: Hex }[];
};

export type SendOptions = {
  readonly from?: Hex;
  readonly value?: bigint;
  readonly gasLimit?: bigint;
  readonly isStatic?: boolean;
};

/** One EVM with an empty state, except for Alice's and Bob's ether. */
export class Harness {
  readonly #evm: EVM;

  private constructor(evm: EVM) {
    this.#evm = evm;
  }

  static async create(hardfork: Hardfork): Promise<Harness> {
    const common = new Common({ chain: Mainnet, hardfork });
    const evm = await createEVM({ common });
    for (const owner of [ALICE, BOB]) {
      await evm.stateManager.putAccount(toAddress(owner), new Account(0n, 1000n * ONE_ETHER));
    }
    return new Harness(evm);
  }

  /** Address of the contract that `initCode` creates. */
  async deploy(initCode: Uint8Array, from: Hex = ALICE): Promise<Hex> {
    const { execResult, createdAddress } = await this.#evm.runCall({
      caller: toAddress(from),
      origin: toAddress(from),
      data: initCode,
      gasLimit: 10_000_000n,
      block: { header: BLOCK_HEADER },
    });
    assert.equal(execResult.exceptionError, undefined);
    assert.ok(createdAddress);
    return bytesToHex(createdAddress.bytes) as Hex;
  }

  async send(to: Hex, data: Hex, options: SendOptions = {}): Promise<Outcome> {
    const from = toAddress(options.from ?? ALICE);
    const { execResult } = await this.#evm.runCall({
      caller: from,
      origin: from,
      to: toAddress(to),
      data: decodeHex(data),
      value: options.value ?? 0n,
      gasLimit: options.gasLimit ?? 1_000_000n,
      gasPrice: 11n,
      isStatic: options.isStatic ?? false,
      block: { header: BLOCK_HEADER },
    });
    return {
      data: bytesToHex(execResult.returnValue) as Hex,
      // For a bad jump the text continues with the position, which is cut.
      error: execResult.exceptionError?.error.split(' at ')[0],
      gasUsed: execResult.executionGasUsed,
      logs: (execResult.logs ?? []).map(([address, topics, logData]) => ({
        address: bytesToHex(address) as Hex,
        topics: topics.map((topic) => bytesToHex(topic) as Hex),
        data: bytesToHex(logData) as Hex,
      })),
    };
  }

  async readCode(address: Hex): Promise<Hex> {
    return bytesToHex(await this.#evm.stateManager.getCode(toAddress(address))) as Hex;
  }

  async writeCode(address: Hex, code: Uint8Array): Promise<void> {
    await this.#evm.stateManager.putCode(toAddress(address), code);
  }

  async readSlot(address: Hex, slot: Hex): Promise<bigint> {
    const word = await this.#evm.stateManager.getStorage(toAddress(address), decodeHex(pad(slot)));
    return word.length === 0 ? 0n : BigInt(bytesToHex(word));
  }

  async readBalance(address: Hex): Promise<bigint> {
    return (await this.#evm.stateManager.getAccount(toAddress(address)))?.balance ?? 0n;
  }
}

/** Calldata of a function without arguments. */
export function selectorData(functionName: string): Hex {
  const abi = [
    { type: 'function', name: functionName, inputs: [], outputs: [], stateMutability: 'view' },
  ] as const;
  return encodeFunctionData({ abi, functionName });
}

function toAddress(hex: Hex): Address {
  return new Address(hexToBytes(hex));
}
