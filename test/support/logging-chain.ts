/** Contracts that log their call data, and calls of them. */

import type { Transaction } from '../../packages/ethereum/codecs/transaction.ts';
import { concatBytes } from '../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import { assemble } from '../../scripts/assembler.ts';
import { signTransaction } from './chain-builder.ts';
import { ALICE_KEY } from './test-chain.ts';

/** Number of contracts per number of topics. */
export const LOGGER_COPIES = 3;
const MAX_TOPICS = 4;

/** Code that logs the first words of its call data as topics and the rest as data: once with all topics, once with none. */
function loggerCode(topics: number): Uint8Array {
  const pushes = Array.from({ length: topics }, (_, i) => `${32 * (topics - 1 - i)} CALLDATALOAD`).join(' ');
  const size = `${32 * topics} CALLDATASIZE SUB`;
  return assemble(
    `${size} ${32 * topics} 0 CALLDATACOPY ${pushes} ${size} 0 LOG${topics} ${size} 0 LOG0 STOP`,
  );
}

/** Address of the contract that logs this many topics. @param copy below LOGGER_COPIES */
export function loggerAddress(topics: number, copy: number): Uint8Array {
  return new Uint8Array(20).fill(0x10 + topics).fill(copy, 19);
}

/** Genesis accounts of the contracts. */
export const LOGGERS: Readonly<Record<string, { readonly balance: string; readonly code: string }>> =
  Object.fromEntries(
    Array.from({ length: MAX_TOPICS + 1 }, (_, topics) =>
      Array.from({ length: LOGGER_COPIES }, (__, copy) => [
        bytesToHex(loggerAddress(topics, copy)),
        { balance: '0', code: bytesToHex(loggerCode(topics)) },
      ]),
    ).flat(),
  );

/** Signs a transaction that makes two logs: one with these topics, and one without topics. */
export function signLogging(
  nonce: bigint,
  topics: readonly Uint8Array[],
  data: Uint8Array,
  copy: number,
): Transaction {
  return signTransaction(ALICE_KEY, {
    nonce,
    to: loggerAddress(topics.length, copy),
    gasLimit: 200_000n,
    data: concatBytes(...topics, data),
  });
}
