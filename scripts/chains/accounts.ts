import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../packages/ethereum/primitives/keccak.ts';
import { privateKeyToAddress } from './secp256k1.ts';

/** An account with a public private key: for development chains only. */
export type Account = {
  readonly name: string;
  readonly address: Uint8Array;
  readonly privateKey: Uint8Array;
};

/** Returns 32 bytes that depend only on the label. */
export function hashLabel(label: string): Uint8Array {
  return keccak256(new TextEncoder().encode(`portcullis ${label}`));
}

/** Returns an address without a known key. */
export function labelAddress(label: string): Uint8Array {
  return hashLabel(label).slice(12);
}

function createAccount(name: string): Account {
  const privateKey = hashLabel(`development account ${name}`);
  return { name, address: privateKeyToAddress(privateKey), privateKey };
}

/** Its first transactions create the contracts, which have the same address on both chains. */
export const DEPLOYER: Account = createAccount('deployer');
/** Creates the contracts of the devnet's first blocks, and sends nothing else. */
export const PIONEER: Account = createAccount('pioneer');
export const ALICE: Account = createAccount('alice');
export const BOB: Account = createAccount('bob');
export const CAROL: Account = createAccount('carol');
/** Delegates its account to a contract's code (EIP-7702), and revokes the delegation. */
export const DAVE: Account = createAccount('dave');
/** Delegates on the devnet and stays delegated up to the head. */
export const ERIN: Account = createAccount('erin');

/** Accounts without ether that sign authorizations (EIP-7702) on the devnet. */
export const FRANK: Account = createAccount('frank');
export const GRACE: Account = createAccount('grace');

/** Sets layer 1's values on the OP-Stack-like rollup; it has ether only there. */
export const DEPOSITOR: Account = createAccount('depositor');

export const ACCOUNTS: readonly Account[] = [ALICE, BOB, CAROL, DAVE, ERIN, DEPLOYER, PIONEER];

const GENESIS_BALANCE: bigint = 10_000n * 10n ** 18n;

/** Returns a genesis allocation that funds each of these accounts. */
export function allocateAccounts(
  accounts: readonly Account[] = ACCOUNTS,
): Record<string, { balance: string }> {
  const balance = `0x${GENESIS_BALANCE.toString(16)}`;
  return Object.fromEntries(accounts.map(({ address }) => [bytesToHex(address), { balance }]));
}
