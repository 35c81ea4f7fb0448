import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
import type { ExecutionOutcome } from './execution.ts';
import {
  type AddressHex,
  type FlatAccount,
  type FlatState,
  parseState,
  type StateJson,
} from './flat-state.ts';

const EMPTY_SLOT = new Uint8Array(0);

function compareAccounts(have: FlatAccount, want: FlatAccount): string[] {
  const lines: string[] = [];
  const compare = (what: string, a: unknown, b: unknown): void => {
    if (a !== b) lines.push(`${what} ${a} instead of ${b}`);
  };
  compare('nonce', have.nonce, want.nonce);
  compare('balance', have.balance, want.balance);
  compare('code hash', bytesToHex(have.codeHash), bytesToHex(want.codeHash));
  for (const slot of new Set([...have.storage.keys(), ...want.storage.keys()])) {
    const value = (account: FlatAccount): string => bytesToHex(account.storage.get(slot) ?? EMPTY_SLOT);
    compare(`slot ${slot}`, value(have), value(want));
  }
  return lines;
}

function describeAccount(
  address: AddressHex,
  have: FlatAccount | undefined,
  want: FlatAccount | undefined,
): string[] {
  if (have === undefined) return [`${address} is missing`];
  if (want === undefined) return [`${address} should not exist`];
  return compareAccounts(have, want).map((line) => `${address}: ${line}`);
}

function describeOutcome(outcome: ExecutionOutcome): string {
  if ('refused' in outcome) return `refused: ${outcome.refused}`;
  const { status, reason, gasUsed, logs } = outcome;
  return `${status}${reason === '' ? '' : ` (${reason})`}, gas used ${gasUsed}, logs ${logs.length}`;
}

/** Describes the outcome of an execution, and account by account the differences of its state from the one in a file. */
export function explainDifference(
  state: FlatState,
  expected: StateJson | undefined,
  outcome: ExecutionOutcome,
): readonly string[] {
  const lines = [describeOutcome(outcome)];
  if (expected === undefined) return [...lines, 'the file has no state to compare with'];
  const have = state.accounts;
  const want = parseState(expected).accounts;
  for (const address of new Set([...have.keys(), ...want.keys()])) {
    lines.push(...describeAccount(address, have.get(address), want.get(address)));
  }
  return lines;
}
