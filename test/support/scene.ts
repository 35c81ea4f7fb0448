/** A small chain with each kind of content, reproducible to the last hash. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { bytesToHex, hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import { encodeQuantity } from '../../packages/ethereum/primitives/quantity.ts';
import { encodeCall } from '../../scripts/chains/encode-call.ts';
import { createErc20InitCode } from '../../scripts/contracts/erc20.ts';
import { REVERTER_INIT_CODE } from '../../scripts/contracts/reverter.ts';
import { type Anvil, startAnvil } from './anvil.ts';
import { makeTemporaryFolder } from './embedded.ts';

/** Arguments that determine block 0, hashes and tags. Finalized is four blocks behind latest. */
const CHAIN_ARGS: readonly string[] = [
  ...['--timestamp', '1700000000', '--hardfork', 'prague', '--slots-in-an-epoch', '2'],
];
const GENESIS_TIME = 1_700_000_000;
const BLOCK_SECONDS = 12;
const ETHER = 10n ** 18n;
const GWEI = 10n ** 9n;
const GAS_LIMIT = 500_000n;

/** Block without transactions, and block with many. */
export const EMPTY_BLOCK = 3;
export const FULL_BLOCK = 7;
export const FAILED_TRANSACTION_BLOCK = 5;
export const HEAD_NUMBER = 16;
const FULL_BLOCK_TRANSACTIONS = 20;

/** Difference of a chain from the one that all nodes agree on. */
export type SceneVariant = {
  /** Another chain id: only the contents of block 0 are shared. */
  readonly chainId?: number;
  /** From this block on the same transactions transfer other amounts. */
  readonly forksAt?: number;
};

export type Scene = {
  /** State of the node for `--load-state`. */
  readonly stateFile: string;
  readonly args: readonly string[];
  readonly accounts: readonly string[];
  readonly token: string;
  readonly reverter: string;
  /** Hashes by block number. */
  readonly blockHashes: readonly string[];
  /** Removes the file. */
  remove(): void;
};

type Sent = { readonly from: string; readonly to?: string; readonly data?: string } & Readonly<
  Record<string, string>
>;

/** Calldata of a token transfer. */
export function encodeTransfer(to: string, amount: bigint): string {
  return bytesToHex(encodeCall('transfer(address,uint256)', hexToBytes(to), amount));
}

/** Builds the chain on a temporary node. */
export async function buildScene({ chainId, forksAt = HEAD_NUMBER + 1 }: SceneVariant = {}): Promise<Scene> {
  const args = chainId === undefined ? CHAIN_ARGS : [...CHAIN_ARGS, '--chain-id', String(chainId)];
  const node = await startAnvil({ args });
  const folder = makeTemporaryFolder();
  try {
    const accounts = (await node.request('eth_accounts')) as string[];
    await node.request('evm_setAutomine', false);
    await mine(node, 1, planDeployments(accounts));
    const [token, reverter] = await readContracts(node);
    for (let number = 2; number <= HEAD_NUMBER; number++) {
      const extra = number >= forksAt ? 1n : 0n;
      await mine(node, number, planBlock(number, { accounts, token, reverter }, extra));
    }
    const stateFile = join(folder.path, 'state.json');
    const dump = (await node.request('anvil_dumpState', true)) as string;
    writeFileSync(stateFile, gunzipSync(hexToBytes(dump)));
    const blockHashes = await readHashes(node);
    return { stateFile, args, accounts, token, reverter, blockHashes, remove: () => folder.remove() };
  } catch (error) {
    folder.remove();
    throw error;
  } finally {
    await node.kill();
  }
}

/** Starts a node with the scene's chain, which survives every restart. */
export function startSceneNode(scene: Scene): Promise<Anvil> {
  return startAnvil({ args: [...scene.args, '--load-state', scene.stateFile] });
}

async function mine(node: Anvil, number: number, transactions: readonly Sent[]): Promise<void> {
  for (const transaction of transactions) {
    await node.request('eth_sendTransaction', { gas: encodeQuantity(GAS_LIMIT), ...transaction });
  }
  await node.request('evm_setNextBlockTimestamp', GENESIS_TIME + number * BLOCK_SECONDS);
  await node.request('evm_mine');
}

function planDeployments(accounts: readonly string[]): Sent[] {
  const [alice = '', bob = ''] = accounts;
  const token = createErc20InitCode({ name: 'Portcullis Token', symbol: 'PORT', supply: 1_000_000n * ETHER });
  const gas = encodeQuantity(3_000_000n);
  return [
    { from: alice, data: bytesToHex(token), gas },
    { from: bob, data: bytesToHex(REVERTER_INIT_CODE), gas },
  ];
}

async function readContracts(node: Anvil): Promise<[token: string, reverter: string]> {
  const receipts = (await node.request('eth_getBlockReceipts', '0x1')) as { contractAddress: string }[];
  const [token, reverter] = receipts.map(({ contractAddress }) => contractAddress);
  if (token === undefined || reverter === undefined) throw new Error('the contracts were not created');
  return [token, reverter];
}

async function readHashes(node: Anvil): Promise<string[]> {
  const hashes: string[] = [];
  for (let number = 0; number <= HEAD_NUMBER; number++) {
    const block = await node.request('eth_getBlockByNumber', encodeQuantity(BigInt(number)), false);
    hashes.push((block as { hash: string }).hash);
  }
  return hashes;
}

type Cast = Pick<Scene, 'accounts' | 'token' | 'reverter'>;

/** Plans token transfers for most blocks; transaction types 0, 1 and 2 alternate. */
function planBlock(number: number, cast: Cast, extra: bigint): Sent[] {
  if (number === EMPTY_BLOCK) return [];
  const { accounts, token, reverter } = cast;
  const account = (index: number): string => accounts[index % accounts.length] as string;
  const count = number === FULL_BLOCK ? FULL_BLOCK_TRANSACTIONS : 1 + (number % 3);
  const price = encodeQuantity(2n * GWEI);
  const sent: Sent[] = Array.from({ length: count }, (_, index) => {
    const amount = BigInt(1000 * number + index) + extra;
    const transfer = { from: account(0), to: token, data: encodeTransfer(account(1 + index), amount) };
    const types: Sent[] = [
      { ...transfer, maxFeePerGas: price, maxPriorityFeePerGas: '0x1' },
      { ...transfer, gasPrice: price },
      { from: account(3 + (index % 5)), to: account(2), value: encodeQuantity(amount), gasPrice: price },
    ];
    return types[(number + index) % types.length] as Sent;
  });
  if (number === FAILED_TRANSACTION_BLOCK) {
    sent.push({ from: account(9), to: reverter, data: bytesToHex(encodeCall('revertString()')) });
  }
  return sent;
}
