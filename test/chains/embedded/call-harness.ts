/** A chain with a few contracts, and helpers that run calls and estimates on its engine. */

import { createAddress } from '../../../packages/ethereum/primitives/address.ts';
import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
import { assemble } from '../../../scripts/assembler.ts';
import { encodeWords } from '../../../scripts/contracts/abi.ts';
import { CALLENV_INIT_CODE } from '../../../scripts/contracts/callenv.ts';
import { REVERTER_INIT_CODE } from '../../../scripts/contracts/reverter.ts';
import { ChainError } from '../../../src/chain/errors.ts';
import type {
  BlockOverrides,
  BlockReference,
  CallObject,
  CallRequest,
  StateOverrides,
} from '../../../src/chain/requests.ts';
import { ChainBuilder, signTransaction } from '../../support/chain-builder.ts';
import {
  ALICE,
  ALICE_KEY,
  createGenesis,
  type GenesisOptions,
  limitTo,
  type OpenedChain,
  openBuiltChain,
} from '../../support/test-chain.ts';

const callenv = createAddress(ALICE, 0n);
const reverter = createAddress(ALICE, 1n);
export const CALLENV: string = bytesToHex(callenv);
export const REVERTER: string = bytesToHex(reverter);
/** An address without code, ether or storage in any block. */
export const UNUSED = '0x00000000000000000000000000000000000000ee';
/** Address at which `run` places its code. */
export const PROGRAM = '0x00000000000000000000000000000000000000cc';
export const BENEFICIARY: Uint8Array = new Uint8Array(20).fill(0xbe);

/** Values of `REVERTER`'s slot 0 after blocks 1, 2 and 3. */
export const STORED_VALUES: readonly bigint[] = [0n, 7n, 9n];

/** Builds the chain: block 1 deploys, blocks 2 and 3 write. */
export async function buildCallChain(options: GenesisOptions): Promise<[genesis: string, ChainBuilder]> {
  const genesis = createGenesis(options);
  const builder = new ChainBuilder(genesis);
  const type = options.revision === 'berlin' ? 0 : 2;
  const write = (nonce: bigint, value: bigint): ReturnType<typeof signTransaction> =>
    signTransaction(ALICE_KEY, { type, nonce, to: reverter, data: encodeWords('write(uint256)', value) });
  await builder.add({
    beneficiary: BENEFICIARY,
    transactions: [
      signTransaction(ALICE_KEY, { type, nonce: 0n, data: CALLENV_INIT_CODE }),
      signTransaction(ALICE_KEY, { type, nonce: 1n, data: REVERTER_INIT_CODE }),
    ],
  });
  await builder.add({ beneficiary: BENEFICIARY, transactions: [write(2n, STORED_VALUES[1] as bigint)] });
  await builder.add({ beneficiary: BENEFICIARY, transactions: [write(3n, STORED_VALUES[2] as bigint)] });
  return [genesis, builder];
}

export type CallExtras = {
  readonly block?: BlockReference;
  readonly stateOverrides?: StateOverrides;
  readonly blockOverrides?: BlockOverrides;
};

const LATEST: BlockReference = { kind: 'tag', tag: 'latest' };
const TIME_LIMIT_MS = 60_000;

export class CallHarness {
  readonly builder: ChainBuilder;
  readonly opened: OpenedChain;

  constructor(builder: ChainBuilder, opened: OpenedChain) {
    this.builder = builder;
    this.opened = opened;
  }

  static async open(options: GenesisOptions): Promise<CallHarness> {
    const [genesis, builder] = await buildCallChain(options);
    return new CallHarness(builder, await openBuiltChain(genesis, builder));
  }

  async call(call: CallObject, extras: CallExtras = {}): Promise<string> {
    const request: CallRequest = { block: LATEST, ...extras, call };
    return JSON.parse(
      (await this.opened.chain.execution.call(request, limitTo(TIME_LIMIT_MS))) as string,
    ) as string;
  }

  async estimate(call: CallObject, extras: CallExtras = {}): Promise<bigint> {
    const request: CallRequest = { block: LATEST, ...extras, call };
    return BigInt(
      JSON.parse(await this.opened.chain.execution.estimateGas(request, limitTo(TIME_LIMIT_MS))) as string,
    );
  }

  /** Calls assembly source that is placed at `PROGRAM`. */
  run(source: string, call: CallObject = {}, extras: CallExtras = {}): Promise<string> {
    return this.call({ to: PROGRAM, ...call }, withProgram(source, extras));
  }
}

/** Extends `extras` with the source's code at `PROGRAM`. */
export function withProgram(source: string, extras: CallExtras = {}): CallExtras {
  const code = bytesToHex(assemble(source));
  return { ...extras, stateOverrides: { [PROGRAM]: { code }, ...extras.stateOverrides } };
}

/** Encodes calldata for a function of these contracts. */
export function encodeCall(signature: string, ...words: readonly bigint[]): string {
  return bytesToHex(encodeWords(signature, ...words));
}

/** Checks, for `assert.rejects`, that an error is a chain error of this kind with exactly this message. */
export function chainError(
  kind: ChainError['kind'],
  message: string,
  data?: string,
): (e: unknown) => boolean {
  return (error) => {
    if (!(error instanceof ChainError)) throw error;
    const expected = { kind, message, data };
    const actual = { kind: error.kind, message: error.message, data: error.data };
    if (JSON.stringify(actual) === JSON.stringify(expected)) return true;
    throw new Error(`expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`);
  };
}
