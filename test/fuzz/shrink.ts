/** Shrinks failing cases: removes everything without which the case still fails. */
import type { TransactionBody } from '../../packages/ethereum/codecs/transaction.ts';
import { EMPTY_BYTES } from '../../packages/ethereum/primitives/bytes.ts';
import { assemble, neutralized, parseCode } from './code-edits.ts';
import type { FuzzAccount, FuzzCase } from './fuzz-case.ts';

/** Whether a case shows the same fault. */
export type Fails = (fuzzCase: FuzzCase) => Promise<boolean>;

/** Maximum executions per shrinking. */
const MAX_ATTEMPTS = 6000;

function withAccount(fuzzCase: FuzzCase, address: string, account: FuzzAccount | undefined): FuzzCase {
  const accounts = new Map(fuzzCase.accounts);
  if (account === undefined) accounts.delete(address);
  else accounts.set(address, account);
  return { ...fuzzCase, accounts };
}

function* simplerAccounts(fuzzCase: FuzzCase): Generator<FuzzCase> {
  for (const [address, account] of fuzzCase.accounts) {
    if (address !== fuzzCase.sender) yield withAccount(fuzzCase, address, undefined);
    if (account.code.length > 0) yield withAccount(fuzzCase, address, { ...account, code: EMPTY_BYTES });
    if (account.balance > 0n && address !== fuzzCase.sender) {
      yield withAccount(fuzzCase, address, { ...account, balance: 0n });
    }
    for (const slot of account.storage.keys()) {
      const storage = new Map(account.storage);
      storage.delete(slot);
      yield withAccount(fuzzCase, address, { ...account, storage });
    }
  }
}

function* simplerTransactions(fuzzCase: FuzzCase): Generator<FuzzCase> {
  const { transaction: tx } = fuzzCase;
  const change = (fields: Partial<TransactionBody>): FuzzCase => ({
    ...fuzzCase,
    transaction: { ...tx, ...fields },
  });
  if (fuzzCase.level === 'transaction') yield { ...fuzzCase, level: 'message' };
  if (tx.value > 0n) yield change({ value: 0n });
  if (tx.data.length > 0) yield change({ data: EMPTY_BYTES });
  if (tx.data.length > 1) yield change({ data: tx.data.subarray(0, tx.data.length >> 1) });
  if (tx.accessList.length > 0) yield change({ accessList: [] });
  if (tx.authorizationList.length > 1) yield change({ authorizationList: tx.authorizationList.slice(1) });
  if (tx.blobVersionedHashes.length > 0 && tx.type !== 3) yield change({ blobVersionedHashes: [] });
  if (tx.type !== 0 && tx.authorizationList.length === 0) {
    yield change({ type: 0, chainId: undefined, accessList: [], blobVersionedHashes: [] });
  }
  if (tx.gasLimit !== 1_000_000n) yield change({ gasLimit: 1_000_000n });
}

/** Yields codes without ranges of instructions, long ranges first; then with single instructions neutralized. */
export function* shorterCodes(code: Uint8Array): Generator<Uint8Array> {
  const instructions = parseCode(code);
  for (let size = instructions.length >> 1; size >= 1; size >>= 1) {
    for (let start = instructions.length - size; start >= 0; start -= size) {
      yield assemble(instructions.toSpliced(start, size), instructions);
    }
  }
  for (let i = 0; i < instructions.length; i++) {
    const idle = neutralized(instructions[i] as (typeof instructions)[number]);
    if (idle !== undefined && idle.bytes.length > 0) yield assemble(instructions.with(i, idle), instructions);
  }
}

function* shorterPrograms(fuzzCase: FuzzCase): Generator<FuzzCase> {
  for (const [address, account] of fuzzCase.accounts) {
    for (const code of shorterCodes(account.code)) {
      yield withAccount(fuzzCase, address, { ...account, code });
    }
  }
  const { transaction } = fuzzCase;
  if (transaction.to !== undefined) return;
  for (const data of shorterCodes(transaction.data))
    yield { ...fuzzCase, transaction: { ...transaction, data } };
}

/** Weight of a case: code counts most, then everything else. */
function weigh({ accounts, transaction, level }: FuzzCase): number {
  let weight = transaction.data.length + 10 * transaction.accessList.length + transaction.type;
  weight += 10 * transaction.authorizationList.length + 5 * transaction.blobVersionedHashes.length;
  weight += (level === 'transaction' ? 5 : 0) + (transaction.value > 0n ? 1 : 0);
  weight += transaction.gasLimit === 1_000_000n ? 0 : 1;
  for (const { code, storage, balance } of accounts.values()) {
    weight += 20 + 10 * code.length + 5 * storage.size + (balance > 0n ? 1 : 0);
    for (const byte of code) weight += byte === 0x50 || byte === 0x60 ? 0 : 1;
  }
  return weight;
}

/** Finds the smallest case that still fails. @param fails holds for `fuzzCase` */
export async function shrinkCase(fuzzCase: FuzzCase, fails: Fails): Promise<FuzzCase> {
  let best = fuzzCase;
  let attempts = 0;
  const passes = [simplerAccounts, simplerTransactions, shorterPrograms];
  for (let hasChanged = true; hasChanged && attempts < MAX_ATTEMPTS; ) {
    hasChanged = false;
    for (const pass of passes) {
      // Each success makes the rest of a pass stale, so it starts over from the smaller case.
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
