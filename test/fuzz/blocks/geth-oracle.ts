/** Executes blocks with geth: `evm t8n`. */
import { EMPTY_BYTES } from '../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex, hexToBytes } from '../../../packages/ethereum/primitives/hex.ts';
import { decodeRlp, encodeRlp } from '../../../packages/ethereum/primitives/rlp.ts';
import type { AllocJson, TransitionResult } from '../../geth/node/state-transition.ts';
import { runTransition, TransitionError } from '../../geth/node/state-transition.ts';
import { type AddressText, blockHashOf, CHAIN_ID, type FuzzAccount } from '../fuzz-case.ts';
import { type BlockCase, signTransaction } from './block-case.ts';
import type { BlockOracle } from './block-oracle.ts';
import { type BlockOutcome, failedBlock } from './block-outcome.ts';
import { GETH_DIFFERENCES } from './geth-differences.ts';

/** geth's names of revisions; its Osaka has no blob schedule of its own and uses Prague's. */
const FORKS: Readonly<Record<string, string>> = {
  cancun: 'Cancun',
  prague: 'Prague',
  osaka: 'Osaka',
  amsterdam: 'Amsterdam',
};
const ANCESTORS = 256n;

const quantity = (value: bigint): string => `0x${value.toString(16)}`;
const word = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`;

export function toAlloc(accounts: ReadonlyMap<AddressText, FuzzAccount>): AllocJson {
  return Object.fromEntries(
    [...accounts].map(([address, { nonce, balance, code, storage }]) => [
      address,
      {
        nonce: quantity(nonce),
        balance: quantity(balance),
        code: bytesToHex(code),
        storage: Object.fromEntries([...storage].map(([slot, value]) => [word(slot), word(value)])),
      },
    ]),
  );
}

export function fromAlloc(alloc: AllocJson): Map<AddressText, FuzzAccount> {
  const accounts = new Map<AddressText, FuzzAccount>();
  for (const [address, { nonce = '0x0', balance, code, storage = {} }] of Object.entries(alloc)) {
    accounts.set(address.toLowerCase(), {
      nonce: BigInt(nonce),
      balance: BigInt(balance),
      code: code === undefined ? EMPTY_BYTES : hexToBytes(code),
      storage: new Map(Object.entries(storage).map(([slot, value]) => [BigInt(slot), BigInt(value)])),
    });
  }
  return accounts;
}

function ancestorHashes(number: bigint): Record<string, string> {
  const hashes: Record<string, string> = {};
  for (let at = number - 1n; at >= 0n && at >= number - ANCESTORS; at--)
    hashes[`${at}`] = word(blockHashOf(at));
  return hashes;
}

function environmentOf({ block, withdrawals }: BlockCase): Record<string, unknown> {
  return {
    currentCoinbase: block.beneficiary,
    currentRandom: quantity(block.prevRandao),
    currentGasLimit: quantity(block.gasLimit),
    currentNumber: quantity(block.number),
    currentTimestamp: quantity(block.timestamp),
    currentBaseFee: quantity(block.baseFeePerGas),
    currentExcessBlobGas: quantity(block.excessBlobGas),
    parentBeaconBlockRoot: word(block.parentBeaconBlockRoot),
    blockHashes: ancestorHashes(block.number),
    withdrawals: withdrawals.map(({ index, validatorIndex, address, amount }) => ({
      index: quantity(index),
      validatorIndex: quantity(validatorIndex),
      address: bytesToHex(address),
      amount: quantity(amount),
    })),
    ...(block.slotNumber !== undefined && { slotNumber: quantity(block.slotNumber) }),
  };
}

/** Executes a case with geth. @throws Error when the program does not run, RangeError for a revision without block cases */
async function runOnGeth(blockCase: BlockCase): Promise<BlockOutcome> {
  const fork = FORKS[blockCase.revision];
  if (fork === undefined)
    throw new RangeError(`blocks of ${blockCase.revision}: only of ${Object.keys(FORKS).join(', ')}`);
  const transactions = blockCase.transactions.map((item) => {
    const { body, encoded } = { body: item.body, encoded: signTransaction(item).encoded };
    return body.type === 0 ? decodeRlp(encoded) : encoded;
  });
  try {
    const { result, alloc } = await runTransition({
      fork,
      chainId: CHAIN_ID,
      alloc: toAlloc(blockCase.accounts),
      env: environmentOf(blockCase),
      transactions: bytesToHex(encodeRlp(transactions)),
    });
    return outcomeOf(result, alloc);
  } catch (error) {
    if (error instanceof TransitionError) return failedBlock(error.message);
    throw error;
  }
}

function outcomeOf(result: TransitionResult, alloc: AllocJson): BlockOutcome {
  return {
    rejected: new Map((result.rejected ?? []).map(({ index, error }) => [index, error])),
    receipts: result.receipts.map(({ status, gasUsed, cumulativeGasUsed, logs }) => ({
      status: BigInt(status),
      gasUsed: BigInt(gasUsed),
      cumulativeGasUsed: BigInt(cumulativeGasUsed),
      logs: logs.map(({ address, topics, data }) => `${address.toLowerCase()} ${topics.join()} ${data}`),
    })),
    gasUsed: BigInt(result.gasUsed),
    requestsHash: result.requestsHash,
    accessList: result.blockAccessList,
    accounts: fromAlloc(alloc),
  };
}

export const GETH: BlockOracle = {
  name: 'geth',
  concurrency: 3,
  known: GETH_DIFFERENCES,
  adapt: (blockCase) => blockCase,
  run: runOnGeth,
};
