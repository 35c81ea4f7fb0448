/** Calls that are executed on state from Merkle proofs of nodes, and read as much of it as they can. */

import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
import { assemble } from '../../../scripts/assembler.ts';
import type { Abuse } from '../abuse.ts';
import { type BodyAbuse, bodyAbuse, encodeCall, nextNumber } from './body-abuse.ts';

const STATE = 'state.localhost';
/** Number of accounts in the node's state, from `FIRST_ACCOUNT` on. */
export const STATE_ACCOUNTS = 20_000;
export const FIRST_ACCOUNT = 0x1000_0000;
/** Coprime to the number of accounts, so that successive calls begin at different ones. */
const STEP = 2_741;

const family = 'proven state';

/** Encodes a call that reads `accounts` accounts, beginning where no call before it began. */
function readAccounts(accounts: number, instruction: 'BALANCE' | 'EXTCODESIZE'): Uint8Array {
  const first = FIRST_ACCOUNT + ((nextNumber() * STEP) % (STATE_ACCOUNTS - accounts));
  const code = assemble(
    `${accounts} loop: 1 SWAP1 SUB DUP1 ${first} ADD ${instruction} POP DUP1 @loop JUMPI STOP`,
  );
  return encodeCall('eth_call', [{ data: bytesToHex(code) }, 'latest']);
}

const ROWS: readonly Omit<BodyAbuse, 'family'>[] = [
  {
    name: 'balances of 2,000 accounts each',
    isShort: true,
    ms: 2_500,
    makeBody: () => () => readAccounts(2_000, 'BALANCE'),
  },
  {
    name: 'code sizes of 900 accounts each, WebSocket',
    transport: 'WebSocket',
    ms: 2_500,
    makeBody: () => () => readAccounts(900, 'EXTCODESIZE'),
  },
  {
    name: 'balances of 20 accounts each',
    makeBody: () => () => readAccounts(20, 'BALANCE'),
  },
];

export const PROVEN_STATE: readonly Abuse[] = ROWS.map((row) =>
  bodyAbuse({ host: STATE, charge: 'calls', ...row, family }),
);
