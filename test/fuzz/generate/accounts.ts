/** Random states of few accounts, so that programs meet the same ones repeatedly. */

import { createAddress } from '../../../packages/ethereum/primitives/address.ts';
import {
  bigIntToFixedBytes,
  bytesToBigInt,
  concatBytes,
  EMPTY_BYTES,
} from '../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
import type { Revision } from '../../../packages/evm/interpreter/revisions/revisions.ts';
import { privateKeyToAddress } from '../../../scripts/chains/secp256k1.ts';
import { isAtLeast } from '../../support/is-at-least.ts';
import type { AddressText, FuzzAccount } from '../fuzz-case.ts';
import type { Random } from '../random.ts';
import { PRECOMPILE_ADDRESSES } from './precompile-inputs.ts';
import { generateDeeds, generateProgram } from './program.ts';
import { randomSlot, randomSlotValue } from './words.ts';

export const SENDER = 0x5e7d_0000_0000_0000_0000_0000_0000_0000_0000_0001n;
export const BENEFICIARY = 0xbe7e_0000_0000_0000_0000_0000_0000_0000_0000_0002n;
const CONTRACTS: readonly bigint[] = [0xc0de01n, 0xc0de02n, 0xc0de03n].map((low) => (0x1111n << 144n) | low);
const EMPTY_ACCOUNT = 0x0ee0_0000_0000_0000_0000_0000_0000_0000_0000_0003n;
const RICH = 0x41c4_0000_0000_0000_0000_0000_0000_0000_0000_0004n;
const ABSENT: readonly bigint[] = [0xab5e47n, (0xffffn << 144n) | 7n];

/** Keys of accounts that authorize delegations (EIP-7702). */
export const AUTHORITY_KEYS: readonly Uint8Array[] = [1, 2].map((fill) => new Uint8Array(32).fill(fill));
const AUTHORITIES: readonly bigint[] = AUTHORITY_KEYS.map((key) => bytesToBigInt(privateKeyToAddress(key)));

const MAX_NONCE = 2n ** 64n - 1n;
const DELEGATION_PREFIX = Uint8Array.of(0xef, 0x01, 0x00);

export const addressBytes = (address: bigint): Uint8Array => bigIntToFixedBytes(address, 20);
export const addressText = (address: bigint): AddressText => bytesToHex(addressBytes(address));

export type GeneratedState = {
  readonly accounts: ReadonlyMap<AddressText, FuzzAccount>;
  /** Contracts that run programs; the first one is the entry point. */
  readonly contracts: readonly bigint[];
  /** Every account that programs refer to, existing or not. */
  readonly addresses: readonly bigint[];
};

function randomStorage(random: Random): Map<bigint, bigint> {
  const storage = new Map<bigint, bigint>();
  for (let i = random.below(5); i > 0; i--) {
    const value = randomSlotValue(random);
    if (value !== 0n) storage.set(randomSlot(random), value);
  }
  return storage;
}

function randomBalance(random: Random): bigint {
  return random.pick([0n, 0n, 1n, 2n, 1000n, 10n ** 18n, 2n ** 64n, 2n ** 128n]);
}

function randomContractNonce(random: Random, revision: Revision): bigint {
  const lowest = isAtLeast(revision, 'spuriousDragon') ? 1n : 0n;
  return random.oneIn(40) ? MAX_NONCE - BigInt(random.below(3)) : lowest + BigInt(random.below(2));
}

/** Code of an account: mostly a program, sometimes arbitrary bytes. */
function randomCode(
  random: Random,
  revision: Revision,
  addresses: readonly bigint[],
  isCallee: boolean,
): Uint8Array {
  if (random.oneIn(60)) return random.bytes(random.between(1, 80));
  const generate = isCallee && random.oneIn(2) ? generateDeeds : generateProgram;
  const code = generate(random, revision, addresses);
  if (random.oneIn(25)) {
    for (let i = random.between(1, 3); i > 0; i--) code[random.below(code.length)] = random.below(256);
  }
  // EIP-3541: since London only delegations begin with this byte.
  if (code[0] === 0xef) code[0] = 0xfe;
  return code;
}

/** Adds an account where a contract is about to create another one (EIP-684, EIP-7610). */
function addCollision(random: Random, accounts: Map<AddressText, FuzzAccount>): void {
  const creator = random.pick(CONTRACTS);
  const nonce = accounts.get(addressText(creator))?.nonce ?? 0n;
  if (nonce >= MAX_NONCE - 2n) return;
  const address = createAddress(addressBytes(creator), nonce);
  const kind = random.below(4);
  accounts.set(bytesToHex(address), {
    nonce: kind === 0 ? 1n : 0n,
    balance: kind === 3 ? 5n : 0n,
    code: kind === 1 ? Uint8Array.of(0x00) : EMPTY_BYTES,
    storage: kind === 2 ? new Map([[1n, 1n]]) : new Map(),
  });
}

function addDelegations(random: Random, accounts: Map<AddressText, FuzzAccount>): void {
  for (const authority of AUTHORITIES) {
    if (random.oneIn(2)) continue;
    const target = random.pick([...CONTRACTS, ...CONTRACTS, RICH, 2n, random.pick(AUTHORITIES)]);
    accounts.set(addressText(authority), {
      nonce: BigInt(random.between(1, 2)),
      balance: randomBalance(random),
      code: concatBytes(DELEGATION_PREFIX, addressBytes(target)),
      storage: randomStorage(random),
    });
  }
}

const plain = (balance: bigint, nonce: bigint): FuzzAccount => ({
  nonce,
  balance,
  code: EMPTY_BYTES,
  storage: new Map(),
});

/** @param known further accounts that programs refer to */
export function generateState(
  random: Random,
  revision: Revision,
  known: readonly bigint[] = [],
): GeneratedState {
  const addresses = [
    ...CONTRACTS,
    ...CONTRACTS,
    SENDER,
    BENEFICIARY,
    EMPTY_ACCOUNT,
    RICH,
    ...ABSENT,
    random.pick(PRECOMPILE_ADDRESSES),
    ...(isAtLeast(revision, 'prague') ? AUTHORITIES : []),
    ...known,
  ];
  const accounts = new Map<AddressText, FuzzAccount>();
  accounts.set(addressText(SENDER), plain(2n ** 200n, BigInt(random.between(1, 3))));
  accounts.set(addressText(RICH), plain(10n ** 20n, 0n));
  for (const contract of CONTRACTS) {
    accounts.set(addressText(contract), {
      nonce: randomContractNonce(random, revision),
      balance: randomBalance(random),
      code: randomCode(random, revision, addresses, contract !== CONTRACTS[0]),
      storage: randomStorage(random),
    });
  }
  // EIP-161 removed empty accounts; earlier states still have them.
  if (!isAtLeast(revision, 'byzantium') && random.oneIn(2)) {
    accounts.set(addressText(EMPTY_ACCOUNT), plain(0n, 0n));
    if (random.oneIn(2)) accounts.set(addressText(BENEFICIARY), plain(0n, 0n));
  }
  if (isAtLeast(revision, 'prague')) addDelegations(random, accounts);
  if (random.oneIn(8)) addCollision(random, accounts);
  return { accounts, contracts: CONTRACTS, addresses };
}
