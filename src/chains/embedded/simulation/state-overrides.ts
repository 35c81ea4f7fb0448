import { checksumAddress } from '../../../../packages/ethereum/primitives/address.ts';
import { padLeft, trimLeadingZeros } from '../../../../packages/ethereum/primitives/bytes.ts';
import { hexToBytes } from '../../../../packages/ethereum/primitives/hex.ts';
import { EMPTY_CODE_HASH, keccak256 } from '../../../../packages/ethereum/primitives/keccak.ts';
import type { WorldState } from '../../../../packages/evm/interpreter/world-state.ts';
import { ChainError } from '../../../chain/errors.ts';
import type { AccountOverride, StateOverrides } from '../../../chain/requests.ts';
import type { Execution } from './execution.ts';

/** Number of slots or accounts that one step overrides, in 0.15 ms, or 1.5 ms when a simulated block collects the changes. */
const PIECE = 64;
/** Length above which the code of an override ends its step, bytes. */
const LONG_CODE_BYTES = 24_576;

function* putSlots(
  state: WorldState,
  address: Uint8Array,
  slots: Readonly<Record<string, string>>,
): Execution<void> {
  let count = 0;
  for (const slot of Object.keys(slots)) {
    state.setStorage(
      address,
      padLeft(hexToBytes(slot), 32),
      trimLeadingZeros(hexToBytes(slots[slot] as string)),
    );
    if (++count % PIECE === 0) yield 'sliceUsed';
  }
}

/**
 * Handling of `movePrecompileToAddress`. `movable`: precompiles are moved. `checked`: precompiles stay in place, but a move that geth would reject is
 * an error. `fixed`: every move is an error.
 */
export type PrecompileHandling = 'movable' | 'checked' | 'fixed';

export type OverrideOptions = {
  readonly precompiles: PrecompileHandling;
  /** Returns whether an address has a precompile, for the handling `checked`. If absent, the state decides. */
  readonly isPrecompile?: (address: Uint8Array) => boolean;
  /** If present, receives each address at which a precompile was removed or placed. */
  readonly moved?: Uint8Array[];
};

type PrecompileMove = { readonly from: string; readonly to: Uint8Array; readonly number: number };

/**
 * Returns the precompiles to move, ordered by address. If several overrides are invalid, the lowest address is reported, as in geth.
 * @throws ChainError with geth's text
 */
function* planMoves(
  state: WorldState,
  overrides: StateOverrides,
  accounts: readonly string[],
  { precompiles, isPrecompile }: OverrideOptions,
): Execution<PrecompileMove[]> {
  const numberOf = (address: Uint8Array): number => {
    if (precompiles === 'fixed') return 0;
    if (precompiles === 'movable' || isPrecompile === undefined) return state.getPrecompile(address);
    return Number(isPrecompile(address));
  };
  const moves: PrecompileMove[] = [];
  let problem: { readonly from: string; readonly message: string } | undefined;
  let count = 0;
  for (const from of accounts) {
    if (++count % PIECE === 0) yield 'sliceUsed';
    if (problem !== undefined && problem.from < from) continue;
    const target = overrides[from]?.movePrecompileToAddress?.toLowerCase();
    const number = target === undefined ? 0 : numberOf(hexToBytes(from));
    const contradiction = findContradiction(overrides, from, number);
    if (contradiction !== undefined) problem = { from, message: contradiction };
    else if (target !== undefined) moves.push({ from, to: hexToBytes(target), number });
  }
  if (problem !== undefined) throw new ChainError('failed', problem.message);
  return moves.sort((a, b) => (a.from < b.from ? -1 : 1));
}

/** @param precompile precompile number of the account; 0 if it is not a precompile */
function findContradiction(overrides: StateOverrides, key: string, precompile: number): string | undefined {
  const { movePrecompileToAddress, state, stateDiff } = overrides[key] ?? {};
  const name = (address: string): string => `account ${checksumAddress(hexToBytes(address))}`;
  if (movePrecompileToAddress !== undefined) {
    if (precompile === 0) return `${name(key)} is not a precompile`;
    const target = movePrecompileToAddress.toLowerCase();
    if (overrides[target] !== undefined) return `${name(target)} is already overridden`;
  }
  return state !== undefined && stateDiff !== undefined
    ? `${name(key)} has both 'state' and 'stateDiff'`
    : undefined;
}

/**
 * Applies overrides to the state of a call in steps (geth internal/ethapi/override).
 * @throws ChainError with geth's text for invalid overrides
 */
export function* applyStateOverrides(
  overrides: StateOverrides,
  state: WorldState,
  options: OverrideOptions,
): Execution<void> {
  const { precompiles, moved } = options;
  let count = 0;
  // The keys are listed only once, because `Object.keys` is slow for thousands of accounts.
  const accounts = Object.keys(overrides);
  const moves = yield* planMoves(state, overrides, accounts, options);
  const isMovable = precompiles === 'movable';
  for (const { to, number } of isMovable ? moves : []) {
    state.setPrecompile(to, number);
    moved?.push(to);
  }
  for (const key of accounts) {
    if (++count % PIECE === 0) yield 'sliceUsed';
    const address = hexToBytes(key);
    const override = overrides[key] as AccountOverride;
    if (isMovable && state.getPrecompile(address) !== 0) {
      // An account with an override is no precompile, even at the address of a precompile.
      state.setPrecompile(address, 0);
      moved?.push(address);
    }
    if (override.nonce !== undefined) state.setNonce(address, BigInt(override.nonce));
    if (override.balance !== undefined) state.setBalance(address, BigInt(override.balance));
    if (override.code !== undefined) {
      const code = hexToBytes(override.code);
      putCode(state, address, code);
      if (code.length > LONG_CODE_BYTES) yield 'sliceUsed';
    }
    if (override.state !== undefined) {
      state.clearStorage(address);
      yield* putSlots(state, address, override.state);
    }
    if (override.stateDiff !== undefined) yield* putSlots(state, address, override.stateDiff);
  }
}

function putCode(state: WorldState, address: Uint8Array, code: Uint8Array): void {
  state.setCode(address, code.length === 0 ? EMPTY_CODE_HASH : keccak256(code), code);
}
