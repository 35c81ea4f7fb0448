/** Two branches of one chain, both with valid roots, and nodes that have one of them up to a block. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeBlock } from '../../packages/ethereum/codecs/block.ts';
import { hashTransaction } from '../../packages/ethereum/codecs/transaction.ts';
import { concatBytes } from '../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex, hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import { encodeQuantity } from '../../packages/ethereum/primitives/quantity.ts';
import { importChain } from '../../src/service/import.ts';
import { SILENT_PROGRESS } from '../../src/service/import-progress.ts';
import { ChainBuilder, signTransaction } from './chain-builder.ts';
import { sendToNode } from './faults/ask-node.ts';
import type { Answer, AskNode } from './faults/fault.ts';
import { LOGGERS, loggerAddress, signLogging } from './logging-chain.ts';
import { type RunningService, startService } from './service.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';
import { ALICE_KEY, createGenesis } from './test-chain.ts';

export type Branch = 'honest' | 'forged';

/** The last block that both branches have, and the last one of each. */
export const SHARED = 12;
export const TOPS: Readonly<Record<Branch, number>> = { honest: 20, forged: 26 };
export const BOB: string = `0x${'b0'.repeat(20)}`;
/** Stores its call data in slot 0; returns the slot when called without data. */
export const KEEPER: string = `0x${'c0'.repeat(20)}`;
const KEEPER_CODE = '0x36600c575f545f5260205ff35b5f355f5500';
/** EIP-2935. */
const HISTORY = {
  '0x0000f90827f1c53a10cb7a02335b175320002935': {
    balance: '0',
    nonce: '1',
    code: '0x3373fffffffffffffffffffffffffffffffffffffffe14604657602036036042575f35600143038111604257611fff81430311604257611fff9006545f5260205ff35b5f5ffd5b5f35611fff60014303065500',
  },
};
export const LOGGED_TOPIC: Uint8Array = new Uint8Array(32).fill(0xe1);
export const LOGGER: string = bytesToHex(loggerAddress(1, 0));
/** Values that a lying node reports for things that no block contains. */
export const FORGED_PRICE = '0xdeadbeef';
export const FORGED_PENDING: string = `0x${'fe'.repeat(32)}`;
const TAGS: ReadonlyMap<unknown, number> = new Map([
  ['latest', 0],
  ['pending', 0],
  ['safe', 2],
  ['finalized', 4],
]);

export type BranchFacts = {
  /** Hashes by block number. */
  readonly blocks: readonly string[];
  /** Hash of the first transaction of each block, by its number. */
  readonly transactions: readonly string[];
};

export class ForgedBranch {
  readonly facts: Readonly<Record<Branch, BranchFacts>>;
  /** Genesis file. */
  readonly genesis: string;
  readonly #service: RunningService;
  readonly #known = new Map<string, Promise<Answer>>();
  readonly #remove: () => void;

  private constructor(
    service: RunningService,
    facts: Readonly<Record<Branch, BranchFacts>>,
    genesis: string,
    remove: () => void,
  ) {
    this.#service = service;
    this.facts = facts;
    this.genesis = genesis;
    this.#remove = remove;
  }

  static async open(): Promise<ForgedBranch> {
    const folder = makeTemporaryFolder();
    const alloc = { ...LOGGERS, ...HISTORY, [KEEPER]: { balance: '0', code: KEEPER_CODE } };
    const text = createGenesis({ revision: 'prague', alloc });
    const genesis = join(folder.path, 'genesis.json');
    writeFileSync(genesis, text);
    const honest = await buildBranch(text, 'honest');
    const forged = await buildBranch(text, 'forged');
    for (const [branch, { builder }] of Object.entries({ honest, forged })) {
      const blocks = join(folder.path, `${branch}.rlp`);
      writeFileSync(blocks, concatBytes(encodeBlock(builder.genesisBlock), builder.encode()));
      const data = join(folder.path, branch);
      await importChain({ genesis, blocks, data, seal: 'ethash-format' }, SILENT_PROGRESS);
    }
    const service = await startService({
      networks: {
        honest: { hosts: ['honest'], embedded: { data: join(folder.path, 'honest') } },
        forged: { hosts: ['forged'], embedded: { data: join(folder.path, 'forged') } },
      },
    });
    const facts = { honest: honest.facts, forged: forged.facts };
    return new ForgedBranch(service, facts, genesis, () => folder.remove());
  }

  async close(): Promise<void> {
    await this.#service.close();
    this.#remove();
  }

  /** Answers from a branch; each call is sent once, because a branch does not grow. */
  ask(branch: Branch, { method, params }: Parameters<AskNode>[0]): Promise<Answer> {
    const name = `${branch} ${method} ${JSON.stringify(params)}`;
    const url = `http://${this.#service.authority}/${branch}/v3/demo`;
    const answer = this.#known.get(name) ?? sendToNode(url, { method, params });
    this.#known.set(name, answer);
    return answer;
  }

  /** Answers as a node with this head does. */
  async requestAt(branch: Branch, top: number, { method, params }: Parameters<AskNode>[0]): Promise<Answer> {
    if (method === 'eth_blockNumber') return { result: encodeQuantity(BigInt(top)) };
    if (branch === 'forged') {
      if (method === 'eth_gasPrice' || method === 'eth_maxPriorityFeePerGas') return { result: FORGED_PRICE };
      if (method === 'eth_newPendingTransactionFilter') return { result: '0x1' };
      if (method === 'eth_getFilterChanges') return { result: [FORGED_PENDING] };
    }
    const answer = await this.ask(branch, { method, params: pinTags(params, top) as unknown[] });
    if (!('result' in answer)) return answer;
    const { number, blockNumber } = Object(answer.result) as Readonly<Record<string, unknown>>;
    return Number(number ?? blockNumber) > top ? { result: null } : answer;
  }
}

/** Replaces block tags in parameters by numbers. */
export function pinTags(value: unknown, top: number): unknown {
  const distance = TAGS.get(value);
  if (distance !== undefined) return encodeQuantity(BigInt(Math.max(0, top - distance)));
  if (Array.isArray(value)) return value.map((item) => pinTags(item, top));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, pinTags(member, top)]));
}

async function buildBranch(
  genesis: string,
  branch: Branch,
): Promise<{ readonly builder: ChainBuilder; readonly facts: BranchFacts }> {
  const builder = new ChainBuilder(genesis);
  const blocks = [bytesToHex(builder.hashAt(0))];
  const transactions = [''];
  let nonce = 0n;
  for (let number = 1; number <= TOPS[branch]; number++) {
    const lie = branch === 'forged' && number > SHARED ? 1_000_000n : 0n;
    const amount = 1_000n * BigInt(number) + lie;
    const transfer = signTransaction(ALICE_KEY, {
      nonce: nonce++,
      to: hexToBytes(BOB),
      gasLimit: 21_000n,
      value: amount,
    });
    const store = signTransaction(ALICE_KEY, {
      nonce: nonce++,
      to: hexToBytes(KEEPER),
      gasLimit: 100_000n,
      data: hexToBytes(`0x${amount.toString(16).padStart(64, '0')}`),
    });
    const log = signLogging(nonce++, [LOGGED_TOPIC], hexToBytes(encodeEven(amount)), 0);
    await builder.add({ transactions: [transfer, store, log] });
    blocks.push(bytesToHex(builder.hashAt(number)));
    transactions.push(bytesToHex(hashTransaction(transfer)));
  }
  return { builder, facts: { blocks, transactions } };
}

function encodeEven(value: bigint): string {
  const digits = value.toString(16);
  return `0x${digits.length % 2 === 0 ? '' : '0'}${digits}`;
}
