/** States for blocks: generated programs, accounts with keys, helper contracts and protocol contracts. */

import { createAddress } from '../../../packages/ethereum/primitives/address.ts';
import { concatBytes, EMPTY_BYTES } from '../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex, hexToBytes } from '../../../packages/ethereum/primitives/hex.ts';
import type { Revision } from '../../../packages/evm/interpreter/revisions/revisions.ts';
import {
  BUILDER_DEPOSITS,
  BUILDER_EXITS,
  CREATE2_FACTORY,
} from '../../../scripts/contracts/builder-contracts.ts';
import { SYSTEM_CONTRACTS } from '../../../scripts/contracts/system-contracts.ts';
import { isAtLeast } from '../../support/is-at-least.ts';
import type { AddressText, FuzzAccount } from '../fuzz-case.ts';
import { addressBytes, addressText, generateState } from '../generate/accounts.ts';
import { HELPER_CODES } from '../generate/helpers.ts';
import { generateProgram } from '../generate/program.ts';
import type { Random } from '../random.ts';
import { KEY_ADDRESSES } from './block-case.ts';

/** Number of senders: keys 0 to 11 send transactions; the others only authorize, and mostly do not exist yet. */
export const SENDERS: number = 12;
const SYSTEM_ADDRESS = 2n ** 160n - 2n;
const PROGRAMS = 0x2222n << 144n;
const ETHER = 10n ** 18n;

export const PROTOCOL_ADDRESSES: readonly bigint[] = [
  ...[...SYSTEM_CONTRACTS, BUILDER_DEPOSITS, BUILDER_EXITS].map(({ address }) => BigInt(address)),
  BigInt(CREATE2_FACTORY.address),
  SYSTEM_ADDRESS,
];

const plain = (balance: bigint, nonce = 0n, code: Uint8Array = EMPTY_BYTES): FuzzAccount => ({
  nonce,
  balance,
  code,
  storage: new Map(),
});

/** Contracts that the protocol calls, and the factory of EIP-7997. */
export function protocolAccounts(): Map<AddressText, FuzzAccount> {
  const contracts = [...SYSTEM_CONTRACTS, BUILDER_DEPOSITS, BUILDER_EXITS, CREATE2_FACTORY];
  return new Map(
    contracts.map(({ address, code, storage }) => [
      address,
      {
        ...plain(0n, 1n, hexToBytes(code)),
        storage: new Map(Object.entries(storage).map(([slot, value]) => [BigInt(slot), BigInt(value)])),
      },
    ]),
  );
}

export type BlockState = {
  readonly accounts: Map<AddressText, FuzzAccount>;
  /** Contracts that run generated programs. */
  readonly contracts: readonly bigint[];
  /** Every account that transactions may be sent to. */
  readonly addresses: readonly bigint[];
};

export function delegationTo(target: bigint): Uint8Array {
  return concatBytes(Uint8Array.of(0xef, 0x01, 0x00), addressBytes(target));
}

/** Adds code, a nonce, or only a balance at addresses where senders are about to create contracts. */
function addCollisions(random: Random, accounts: Map<AddressText, FuzzAccount>): void {
  for (let key = 0; key < SENDERS; key++) {
    if (!random.oneIn(6)) continue;
    const address = createAddress(hexToBytes(KEY_ADDRESSES[key] as string), BigInt(random.below(3)));
    accounts.set(
      bytesToHex(address),
      random.pick([
        plain(0n, 1n),
        plain(5n),
        plain(0n, 0n, Uint8Array.of(0)),
        plain(7n, 1n, Uint8Array.of(0x5f)),
      ]),
    );
  }
}

/** @param programs number of contracts with whole programs, in addition to the few of single states */
export function generateBlockState(random: Random, revision: Revision, programs: number): BlockState {
  const keyed = KEY_ADDRESSES.map(BigInt);
  const known = [...keyed, ...HELPER_CODES.keys(), ...PROTOCOL_ADDRESSES];
  const state = generateState(random, revision, known);
  const accounts = new Map([...protocolAccounts(), ...state.accounts]);
  for (const [address, code] of HELPER_CODES) {
    accounts.set(addressText(address), plain(random.pick([0n, 0n, 1n, ETHER]), 1n, code));
  }
  for (const [key, address] of KEY_ADDRESSES.entries()) {
    if (key < SENDERS) accounts.set(address, plain(10n ** 30n, 0n, senderCode(random, state.contracts)));
    else if (random.oneIn(3)) {
      const code = random.oneIn(2) ? EMPTY_BYTES : delegationTo(random.pick(state.addresses));
      accounts.set(address, plain(random.pick([0n, 1n]), BigInt(random.between(1, 2)), code));
    } else accounts.delete(address);
  }
  const contracts = [...state.contracts];
  for (let i = 0; i < programs; i++) {
    const code = generateProgram(random, revision, state.addresses);
    // EIP-3541: no deployed code begins with this byte.
    if (code[0] === 0xef) code[0] = 0xfe;
    const account = { ...plain(3n, 1n, code), storage: new Map([[1n, 1n]]) };
    accounts.set(addressText(PROGRAMS + BigInt(i)), account);
    contracts.push(PROGRAMS + BigInt(i));
  }
  addCollisions(random, accounts);
  // Before Amsterdam accounts with only storage are not compared: geth creates contracts at them, which EIP-7610 forbids.
  if (!isAtLeast(revision, 'amsterdam')) {
    for (const [address, { nonce, code, storage }] of accounts) {
      if (nonce === 0n && code.length === 0 && storage.size > 0) accounts.delete(address);
    }
  }
  return { accounts, contracts, addresses: [...state.addresses, ...contracts] };
}

/** Code of a sender: it may be delegated (EIP-7702); with other code it cannot send (EIP-3607). */
function senderCode(random: Random, contracts: readonly bigint[]): Uint8Array {
  if (random.oneIn(40)) return Uint8Array.of(0x00);
  return random.oneIn(6) ? delegationTo(random.pick(contracts)) : EMPTY_BYTES;
}
