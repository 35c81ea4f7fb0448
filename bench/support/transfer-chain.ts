import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { encodeBlock } from '../../packages/ethereum/codecs/block.ts';
import { concatBytes, padLeft } from '../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../packages/ethereum/primitives/keccak.ts';
import { ACCOUNTS, type Account, labelAddress } from '../../scripts/chains/accounts.ts';
import { ChainBuilder } from '../../scripts/chains/chain-builder.ts';
import { encodeCall, encodeWord } from '../../scripts/chains/encode-call.ts';
import type { TransactionPlan } from '../../scripts/chains/transaction-plan.ts';
import { TOKEN_CODE } from '../contracts/token.ts';
import { BLOCK_STYLE, type ChainFiles, renderBenchGenesis } from './chain.ts';

const BLOCKS = 10_100;
/** Blocks without transactions at the start, so that the contract exists 10,000 blocks before the head. */
const EMPTY_BLOCKS = 100;
/** Transfers of each kind in every later block: 20,000 of each in total. */
const TRANSFERS_IN_BLOCK = 2;
const RECIPIENTS = 5_000;
const TOKEN_GAS = 80_000n;
const GAS_LIMIT = 30_000_000n;
const GENESIS_TOKENS = 10n ** 24n;
const CACHE_FOLDER: string = resolve(import.meta.dirname, '../../bench-chains');

export const TRANSFER_TOKEN: Uint8Array = labelAddress('bench token');

/** Returns the recipient of a transfer; those of low indexes have tokens from long before the head. */
export function transferRecipient(index: number): Uint8Array {
  return labelAddress(`bench recipient ${index % RECIPIENTS}`);
}

function renderTransferGenesis(): string {
  const slotOf = ({ address }: Account): string =>
    bytesToHex(keccak256(concatBytes(padLeft(address, 32), encodeWord(0n))));
  const storage = Object.fromEntries(
    ACCOUNTS.map((account) => [slotOf(account), bytesToHex(encodeWord(GENESIS_TOKENS))]),
  );
  return renderBenchGenesis([{ address: TRANSFER_TOKEN, code: TOKEN_CODE, storage }], GAS_LIMIT);
}

/** Plans two transfers of ether and two of tokens; each pair of them has the next sender and the next recipient. */
function planTransactions(block: number): TransactionPlan[] {
  return Array.from({ length: TRANSFERS_IN_BLOCK }, (_, i) => {
    const index = TRANSFERS_IN_BLOCK * (block - EMPTY_BLOCKS) + i;
    const from = ACCOUNTS[index % ACCOUNTS.length] as Account;
    const to = transferRecipient(index);
    const data = encodeCall('transfer(address,uint256)', to, BigInt(index + 1));
    return [
      { from, to, value: BigInt(index + 1) },
      { from, to: TRANSFER_TOKEN, data, gasLimit: TOKEN_GAS },
    ];
  }).flat();
}

/**
 * Returns the chain of 20,000 transfers of ether and 20,000 of tokens in 10,000 blocks, with always the same bytes. It is generated once, which takes
 * minutes, and stored in the build folder.
 */
export async function prepareTransferChain(): Promise<ChainFiles> {
  const genesis = renderTransferGenesis();
  const id = bytesToHex(keccak256(new TextEncoder().encode(genesis))).slice(2, 10);
  const folder = join(CACHE_FOLDER, `transfers-${BLOCKS}-${id}`);
  const files = { genesis: join(folder, 'genesis.json'), blocks: join(folder, 'blocks.rlp') };
  if (existsSync(folder)) return files;
  console.error('generating the chain of transfers; this takes minutes, once');
  const builder = new ChainBuilder(genesis, BLOCK_STYLE);
  for (let block = 1; block <= BLOCKS; block++) {
    const transactions = block <= EMPTY_BLOCKS ? [] : planTransactions(block);
    await builder.append({ shows: 'transfers', transactions });
  }
  const aside = `${folder}.${process.pid}`;
  mkdirSync(aside, { recursive: true });
  writeFileSync(join(aside, 'genesis.json'), genesis);
  const blocks = builder.chain.slice(1).map(({ block }) => encodeBlock(block));
  writeFileSync(join(aside, 'blocks.rlp'), concatBytes(...blocks));
  renameSync(aside, folder);
  return files;
}
