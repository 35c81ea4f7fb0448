import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { encodeBlock } from '../../packages/ethereum/codecs/block.ts';
import type { Transaction } from '../../packages/ethereum/codecs/transaction.ts';
import { bigIntToBytes, concatBytes, padLeft } from '../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../packages/ethereum/primitives/keccak.ts';
import { parseGenesis } from '../../packages/evm/transition/genesis.ts';
import { assemble } from '../../scripts/assembler.ts';
import { ACCOUNTS, type Account, labelAddress } from '../../scripts/chains/accounts.ts';
import { BlockMaker } from '../../scripts/chains/block-maker.ts';
import { encodeWord } from '../../scripts/chains/encode-call.ts';
import { signTransaction } from '../../scripts/chains/transaction-plan.ts';
import { BLOCK_STYLE, CHAIN_ID, type ChainFiles, renderBenchGenesis } from './chain.ts';

const GAS_LIMIT = 30_000_000n;
const CALL_GAS = 4_000_000n;
const CONTRACTS = 50;
const LOGS_IN_CALL = 100;
const CALLS_IN_BLOCK = 5;
const LOGS_IN_BLOCK = LOGS_IN_CALL * CALLS_IN_BLOCK;
/** One holder sends every 400th log; the first contract emits a fiftieth of all logs, and every 200th of those is the holder's. */
const HOLDER_PERIOD = 400;
const HOLDERS = 20_000;
const RECEIVERS = 200_003;
/** Slots that the calls of each contract write. */
const SLOTS = 1_999;
/** An odd 160-bit multiplier that spreads small numbers over the address space. */
const SPREAD = 0x9e3779b97f4a7c15f39cc0605cedc8341082276bn;
const ADDRESS_MASK = 2n ** 160n - 1n;
const CACHE_FOLDER: string = resolve(import.meta.dirname, '../../bench-chains');

/** Topic of an ERC-20 token's `Transfer`. */
export const TRANSFER_TOPIC: Uint8Array = keccak256(
  new TextEncoder().encode('Transfer(address,address,uint256)'),
);
export const SPARSE_HOLDER: Uint8Array = padLeft(bigIntToBytes(SPREAD), 32);

/** Returns the address of a contract that logs. */
export function logContract(index: number): Uint8Array {
  return labelAddress(`bench logger ${index}`);
}

/**
 * Code of `(uint256 first, uint256 count)`: for each of these numbers it writes a slot and logs a transfer; holder, receiver and amount follow from
 * the number.
 */
const LOGGER_CODE: Uint8Array = assemble(`
  0 CALLDATALOAD 0 MSTORE
  32 CALLDATALOAD 0 CALLDATALOAD ADD 32 MSTORE
  loop:
  0 MLOAD ${SLOTS} 2654435761 0 MLOAD MUL MOD SSTORE
  ${ADDRESS_MASK} ${SPREAD} ${RECEIVERS} 2654435761 0 MLOAD MUL MOD ${HOLDERS} 2 MUL ADD MUL AND
  ${ADDRESS_MASK} ${SPREAD} ${HOLDERS} 40503 0 MLOAD MUL MOD 1 ADD ${HOLDER_PERIOD} 0 MLOAD MOD ISZERO ISZERO MUL 1 ADD MUL AND
  ${bytesToHex(TRANSFER_TOPIC)} 32 0 LOG3
  0 MLOAD 1 ADD DUP1 0 MSTORE
  32 MLOAD GT @loop JUMPI
  STOP
`);

export type LogChain = ChainFiles & {
  readonly headHash: string;
  readonly gasLimit: bigint;
  /** Number of logs of the first contract and the sparse holder. */
  readonly results: number;
};

/**
 * Returns the chain of `logs` logs, a multiple of 500, with always the same bytes. It is generated once, which takes minutes for a million, and
 * stored in the build folder.
 */
export function prepareLogChain(logs: number): LogChain {
  const contracts = Array.from({ length: CONTRACTS }, (_, i) => ({
    address: logContract(i),
    code: LOGGER_CODE,
  }));
  const genesisText = renderBenchGenesis(contracts, GAS_LIMIT);
  const id = bytesToHex(keccak256(new TextEncoder().encode(genesisText))).slice(2, 10);
  const folder = join(CACHE_FOLDER, `logs-${logs}-${id}`);
  if (!existsSync(folder)) {
    console.error(`generating a chain of ${logs} logs, once`);
    const aside = `${folder}.${process.pid}`;
    mkdirSync(aside, { recursive: true });
    writeFileSync(join(aside, 'genesis.json'), genesisText);
    const head = writeBlocks(genesisText, join(aside, 'blocks.rlp'), logs / LOGS_IN_BLOCK);
    writeFileSync(join(aside, 'head.txt'), head);
    renameSync(aside, folder);
  }
  return {
    genesis: join(folder, 'genesis.json'),
    blocks: join(folder, 'blocks.rlp'),
    headHash: readFileSync(join(folder, 'head.txt'), 'utf8'),
    gasLimit: GAS_LIMIT,
    results: Math.ceil(logs / ((CONTRACTS * HOLDER_PERIOD) / 2)),
  };
}

/** @returns the hash of the last block */
function writeBlocks(genesisText: string, path: string, blocks: number): string {
  const hashes: Uint8Array[] = [];
  const maker = new BlockMaker(parseGenesis(genesisText), (number) => hashes[Number(number)] as Uint8Array);
  let parent = maker.genesisBlock;
  hashes.push(parent.hash);
  const file = openSync(path, 'w');
  for (let number = 1; number <= blocks; number++) {
    const transactions = Array.from({ length: CALLS_IN_BLOCK }, (_, i) =>
      signCall((number - 1) * CALLS_IN_BLOCK + i),
    );
    const choices = BLOCK_STYLE.headerOf(BigInt(number));
    parent = maker.make(parent, choices, { transactions, uncles: [], withdrawals: [] });
    if (parent.receipts.some(({ outcome, logs }) => outcome !== 1n || logs.length !== LOGS_IN_CALL)) {
      throw new Error(`block ${number} has other logs than planned`);
    }
    hashes.push(parent.hash);
    writeSync(file, encodeBlock(parent.block));
  }
  closeSync(file);
  return bytesToHex(parent.hash);
}

/** @param index index over all calls of the chain */
function signCall(index: number): Transaction {
  const plan = {
    from: SENDER,
    to: logContract(index % CONTRACTS),
    data: concatBytes(encodeWord(BigInt(index * LOGS_IN_CALL)), encodeWord(BigInt(LOGS_IN_CALL))),
    gasLimit: CALL_GAS,
  };
  const context = {
    chainId: BigInt(CHAIN_ID),
    hasReplayProtection: true,
    nonceOf: () => 0n,
    fees: BLOCK_STYLE.fees,
  };
  return signTransaction(plan, BigInt(index), context);
}

const SENDER = ACCOUNTS[0] as Account;
