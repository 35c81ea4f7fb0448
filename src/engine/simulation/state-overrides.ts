import type { StateOverrides } from '../../chain/chain.ts';
import { ChainError } from '../../chain/errors.ts';
import type { WorldState } from '../../evm/world-state.ts';
import { checksumAddress } from '../../primitives/address.ts';
import { padLeft, trimLeadingZeros } from '../../primitives/bytes.ts';
import { hexToBytes } from '../../primitives/hex.ts';
import { EMPTY_CODE_HASH, keccak256 } from '../../primitives/keccak.ts';
import type { SimulationKind } from './call-environment.ts';
import type { Execution } from './execution.ts';

/** Slots or accounts that are overridden in one piece: 0.3 ms. */
const PIECE = 128;
/** A code of this length is a piece of its own. */
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
 * A precompile whose account is overridden is an ordinary account; it may go to another address. In an estimate geth looks
 * whether it could, and leaves it where it is.
 */
function movePrecompile(
  state: WorldState,
  overrides: StateOverrides,
  key: string,
  kind: SimulationKind,
): void {
  const address = hexToBytes(key);
  const target = overrides[key]?.movePrecompileToAddress?.toLowerCase();
  const precompile = state.getPrecompile(address);
  if (precompile === 0 && target !== undefined) {
    throw new ChainError('failed', `account ${checksumAddress(address)} is not a precompile`);
  }
  if (precompile !== 0 && kind === 'call') state.setPrecompile(address, 0);
  if (target === undefined) return;
  const destination = hexToBytes(target);
  if (overrides[target] !== undefined) {
    throw new ChainError('failed', `account ${checksumAddress(destination)} is already overridden`);
  }
  if (kind === 'call') state.setPrecompile(destination, precompile);
}

/**
 * Writes overrides into a call's state (geth internal/ethapi/override), a piece at a time.
 * @throws ChainError with geth's text for contradictions
 */
export function* applyStateOverrides(
  overrides: StateOverrides,
  state: WorldState,
  kind: SimulationKind,
): Execution<void> {
  let count = 0;
  for (const [key, override] of Object.entries(overrides).sort(compareKeys)) {
    if (++count % PIECE === 0) yield 'sliceUsed';
    const address = hexToBytes(key);
    movePrecompile(state, overrides, key, kind);
    if (override.state !== undefined && override.stateDiff !== undefined) {
      throw new ChainError('failed', `account ${checksumAddress(address)} has both 'state' and 'stateDiff'`);
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

/** By address, as geth goes through them: of several contradictions the first is reported. */
function compareKeys([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

function putCode(state: WorldState, address: Uint8Array, code: Uint8Array): void {
  state.setCode(address, code.length === 0 ? EMPTY_CODE_HASH : keccak256(code), code);
}
