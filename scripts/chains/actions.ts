/** Transactions of the development chains. */
import type { AccessListItem } from '../../packages/ethereum/codecs/transaction.ts';
import { concatBytes, padLeft } from '../../packages/ethereum/primitives/bytes.ts';
import { keccak256 } from '../../packages/ethereum/primitives/keccak.ts';
import { assemble } from '../assembler.ts';
import { CALLENV_INIT_CODE } from '../contracts/callenv.ts';
import { DELEGATE_INIT_CODE } from '../contracts/delegate.ts';
import { createErc20InitCode } from '../contracts/erc20.ts';
import { REVERTER_INIT_CODE } from '../contracts/reverter.ts';
import { type Account, ALICE, BOB, CAROL, DEPLOYER } from './accounts.ts';
import { ERC20, REVERTER } from './addresses.ts';
import { encodeCall, encodeWord } from './encode-call.ts';
import type { TransactionPlan } from './transaction-plan.ts';

export const ETHER: bigint = 10n ** 18n;
/** One token in its smallest units: it has 18 decimals, as ether has. */
export const TOKEN: bigint = 10n ** 18n;

const CALL_GAS = 120_000n;
const CREATION_GAS = 2_000_000n;

export function transfer(from: Account, to: Uint8Array, value: bigint): TransactionPlan {
  return { from, to, value };
}

/** Calls a contract with a gas limit above its need. */
export function call(from: Account, to: Uint8Array, data: Uint8Array): TransactionPlan {
  return { from, to, data, gasLimit: CALL_GAS };
}

export function create(from: Account, data: Uint8Array): TransactionPlan {
  return { from, data, gasLimit: CREATION_GAS };
}

/** Plans a creation that leaves an empty contract and a log of `words` words that `source` writes to memory. */
export function createLog(from: Account, words: number, source: string): TransactionPlan {
  return create(from, assemble(`${source} ${32 * words} 0 LOG0 STOP`));
}

export function transferToken(from: Account, to: Uint8Array, amount: bigint): TransactionPlan {
  return call(from, ERC20, encodeCall('transfer(address,uint256)', to, amount));
}

export function approveToken(from: Account, spender: Uint8Array, amount: bigint): TransactionPlan {
  return call(from, ERC20, encodeCall('approve(address,uint256)', spender, amount));
}

export function transferTokenFrom(
  from: Account,
  owner: Uint8Array,
  to: Uint8Array,
  amount: bigint,
): TransactionPlan {
  return call(from, ERC20, encodeCall('transferFrom(address,address,uint256)', owner, to, amount));
}

export function callReverter(from: Account, signature: string, ...args: readonly bigint[]): TransactionPlan {
  return call(from, REVERTER, encodeCall(signature, ...args));
}

/** Plans the deployer's first two transactions, which create the token and the reverter. */
export function deployTokenAndReverter(): TransactionPlan[] {
  const token = { name: 'Portcullis Token', symbol: 'PORT', supply: 1_000_000n * TOKEN };
  return [create(DEPLOYER, createErc20InitCode(token)), create(DEPLOYER, REVERTER_INIT_CODE)];
}

/** Plans the deployer's next two creations, and tokens for the accounts that send them later. */
export function deployHelpersAndSpreadTokens(): TransactionPlan[] {
  return [
    create(DEPLOYER, CALLENV_INIT_CODE),
    create(DEPLOYER, DELEGATE_INIT_CODE),
    ...[ALICE, BOB, CAROL].map(({ address }) => transferToken(DEPLOYER, address, 10_000n * TOKEN)),
  ];
}

/** Returns the access list entry of the token contract with the balance slots of these owners. */
export function listTokenBalances(...owners: readonly Account[]): AccessListItem[] {
  const slotOf = ({ address }: Account): Uint8Array =>
    keccak256(concatBytes(padLeft(address, 32), encodeWord(0n)));
  return [{ address: ERC20, storageKeys: owners.map(slotOf) }];
}
