/** Shrinks failing blocks: removes everything without which the block still fails. */
import { EMPTY_BYTES } from '../../../packages/ethereum/primitives/bytes.ts';
import type { FuzzAccount } from '../fuzz-case.ts';
import { isDelegation } from '../oracle/delegations.ts';
import { shorterCodes } from '../shrink.ts';
import { type BlockCase, KEY_ADDRESSES, type SignedBy } from './block-case.ts';

export type BlockFails = (blockCase: BlockCase) => Promise<boolean>;

/** Maximum executions per shrinking; each starts a process. */
const MAX_ATTEMPTS = 1500;

/** Removes a transaction; later ones of the same sender move up. */
function withoutTransaction(blockCase: BlockCase, index: number): BlockCase {
  const gone = blockCase.transactions[index] as SignedBy;
  const rest = blockCase.transactions
    .toSpliced(index, 1)
    .map((item, place) =>
      place < index || item.key !== gone.key || item.body.nonce === 0n
        ? item
        : { ...item, body: { ...item.body, nonce: item.body.nonce - 1n } },
    );
  return { ...blockCase, transactions: rest };
}

function* fewerTransactions(blockCase: BlockCase): Generator<BlockCase> {
  const { transactions } = blockCase;
  for (let index = transactions.length - 1; index >= 0; index--) {
    yield { ...blockCase, transactions: transactions.slice(0, index) };
    yield withoutTransaction(blockCase, index);
  }
}

function* simplerTransactions(blockCase: BlockCase): Generator<BlockCase> {
  for (const [index, item] of blockCase.transactions.entries()) {
    const change = (fields: Partial<SignedBy['body']>): BlockCase => ({
      ...blockCase,
      transactions: blockCase.transactions.with(index, { ...item, body: { ...item.body, ...fields } }),
    });
    const { body } = item;
    if (body.value > 0n) yield change({ value: 0n });
    if (body.data.length > 0) yield change({ data: EMPTY_BYTES });
    if (body.accessList.length > 0) yield change({ accessList: [] });
    for (let i = 0; i < body.authorizationList.length && body.authorizationList.length > 1; i++) {
      yield change({ authorizationList: body.authorizationList.toSpliced(i, 1) });
    }
    if (body.authorizationList.length === 0 && body.type > 0 && body.accessList.length === 0) {
      yield change({
        type: 0,
        maxPriorityFeePerGas: body.maxFeePerGas,
        maxFeePerBlobGas: 0n,
        blobVersionedHashes: [],
      });
    }
    if (body.to === undefined) for (const data of shorterCodes(body.data)) yield change({ data });
  }
}

function* simplerAccounts(blockCase: BlockCase): Generator<BlockCase> {
  const withAccount = (address: string, account: FuzzAccount | undefined): BlockCase => {
    const accounts = new Map(blockCase.accounts);
    if (account === undefined) accounts.delete(address);
    else accounts.set(address, account);
    return { ...blockCase, accounts };
  };
  if (blockCase.withdrawals.length > 0) yield { ...blockCase, withdrawals: [] };
  for (const [address, account] of blockCase.accounts) {
    if (account.storage.size > 0) yield withAccount(address, { ...account, storage: new Map() });
    if (address.startsWith('0x0000')) continue;
    if (!KEY_ADDRESSES.includes(address)) yield withAccount(address, undefined);
    // Part of a delegation would be code that no transaction can deploy.
    const codes = isDelegation(account.code) ? [EMPTY_BYTES] : shorterCodes(account.code);
    for (const code of codes) yield withAccount(address, { ...account, code });
  }
}

/** Weight of a block: transactions count most, then code, then everything else. */
function weigh({ accounts, transactions, withdrawals }: BlockCase): number {
  let weight = 1000 * transactions.length + 10 * withdrawals.length;
  for (const { body } of transactions) {
    weight += body.type + 10 * body.data.length + (body.value > 0n ? 1 : 0);
    weight += 10 * body.accessList.length + 20 * body.authorizationList.length;
  }
  for (const { code, storage } of accounts.values()) {
    weight += 20 + 10 * code.length + 5 * storage.size;
    for (const byte of code) weight += byte === 0x50 || byte === 0x60 ? 0 : 1;
  }
  return weight;
}

/** Finds the smallest block that still fails. @param fails holds for `blockCase` */
export async function shrinkBlock(blockCase: BlockCase, fails: BlockFails): Promise<BlockCase> {
  let best = blockCase;
  let attempts = 0;
  for (let hasChanged = true; hasChanged && attempts < MAX_ATTEMPTS; ) {
    hasChanged = false;
    for (const pass of [fewerTransactions, simplerAccounts, simplerTransactions]) {
      // Each success makes the rest of a pass stale, so it starts over from the smaller block.
      for (let again = true; again && attempts < MAX_ATTEMPTS; ) {
        again = false;
        for (const candidate of pass(best)) {
          if (attempts >= MAX_ATTEMPTS) break;
          if (weigh(candidate) >= weigh(best)) continue;
          attempts++;
          if (!(await fails(candidate))) continue;
          best = candidate;
          again = true;
          hasChanged = true;
          break;
        }
      }
    }
  }
  return best;
}
