/** Facts about the chain that requests use, read from geth and from the vectors. */
import { readFileSync } from 'node:fs';

export type AccountKey = { readonly key: string; readonly nonce: bigint };

export type ChainFacts = {
  readonly chainId: bigint;
  readonly head: number;
  readonly blockHashes: readonly string[];
  readonly transactionHashes: readonly string[];
  /** Accounts with funds. */
  readonly funded: readonly string[];
  /** Keys of some accounts, and their nonces at the head. */
  readonly keys: readonly AccountKey[];
  /** Accounts with code at the head. */
  readonly contracts: readonly string[];
  /** Accounts that have only storage, became contracts late, or no longer exist. */
  readonly others: readonly string[];
  /** Addresses and topics of logs. */
  readonly topics: readonly string[];
  /** Whether the head has the rules of Amsterdam. */
  readonly isAmsterdam: boolean;
};

type Send = (method: string, params: readonly unknown[]) => Promise<unknown>;
type WireBlock = {
  readonly hash: string;
  readonly blockAccessListHash?: string;
  readonly transactions: readonly WireTransaction[];
};
type WireTransaction = { readonly hash: string; readonly to: string | null };
type WireReceipt = {
  readonly contractAddress: string | null;
  readonly logs: readonly { readonly address: string; readonly topics: readonly string[] }[];
};

const MAX_TOPICS = 200;
const UNUSED_ADDRESS = `0x${'dd'.repeat(20)}`;

function orElse(values: readonly string[], otherwise: string): readonly string[] {
  return values.length > 0 ? values : [otherwise];
}

/** @param accounts path of the vectors' account list; undefined where the chain has none */
export async function readChainFacts(ask: Send, accounts: string | undefined): Promise<ChainFacts> {
  const head = Number(await ask('eth_blockNumber', []));
  const blocks: WireBlock[] = [];
  const mentioned = new Set<string>();
  const topics = new Set<string>();
  for (let number = 0; number <= head; number++) {
    const tag = `0x${number.toString(16)}`;
    blocks.push((await ask('eth_getBlockByNumber', [tag, true])) as WireBlock);
    for (const receipt of (await ask('eth_getBlockReceipts', [tag])) as WireReceipt[]) {
      if (receipt.contractAddress !== null) mentioned.add(receipt.contractAddress);
      for (const log of receipt.logs) {
        mentioned.add(log.address);
        if (topics.size < MAX_TOPICS) for (const topic of log.topics) topics.add(topic);
      }
    }
  }
  const transactions = blocks.flatMap((block) => block.transactions);
  for (const { to } of transactions) if (to !== null) mentioned.add(to);
  const contracts: string[] = [];
  const others: string[] = [];
  for (const address of mentioned) {
    const hasCode = (await ask('eth_getCode', [address, 'latest'])) !== '0x';
    (hasCode ? contracts : others).push(address);
  }
  const known: Readonly<Record<string, { readonly key: string }>> =
    accounts === undefined ? {} : JSON.parse(readFileSync(accounts, 'utf8'));
  const funded = Object.keys(known);
  const keys: AccountKey[] = [];
  for (const [address, { key }] of Object.entries(known)) {
    keys.push({ key, nonce: BigInt((await ask('eth_getTransactionCount', [address, 'latest'])) as string) });
  }
  return {
    chainId: BigInt((await ask('eth_chainId', [])) as string),
    head,
    blockHashes: blocks.map(({ hash }) => hash),
    transactionHashes: transactions.map(({ hash }) => hash),
    funded: orElse(funded, UNUSED_ADDRESS),
    keys,
    contracts: orElse(contracts, UNUSED_ADDRESS),
    others: orElse(others, UNUSED_ADDRESS),
    topics: orElse([...topics], `0x${'00'.repeat(32)}`),
    isAmsterdam: blocks.at(-1)?.blockAccessListHash !== undefined,
  };
}
