import type { StateOverrides } from '../../chain/chain.ts';
import { ChainError } from '../../chain/errors.ts';
import { checksumAddress } from '../../primitives/address.ts';
import { padLeft, trimLeadingZeros } from '../../primitives/bytes.ts';
import { hexToBytes } from '../../primitives/hex.ts';
import type { Interpreter, PrecompileChanges } from '../ethereumjs/interpreter.ts';
import { EMPTY_ACCOUNT } from '../state/account.ts';
import type { WorldState } from '../state/world-state.ts';

function putSlots(world: WorldState, address: Uint8Array, slots: Readonly<Record<string, string>>): void {
  for (const [slot, value] of Object.entries(slots)) {
    world.putStorage(address, padLeft(hexToBytes(slot), 32), trimLeadingZeros(hexToBytes(value)));
  }
}

/**
 * Writes overrides into a call's state (geth internal/ethapi/override).
 * @returns what becomes of the precompiles: one whose account is overridden is an ordinary account
 * @throws ChainError with geth's text for contradictions
 */
export function applyStateOverrides(
  overrides: StateOverrides,
  world: WorldState,
  interpreter: Interpreter,
): PrecompileChanges {
  const moved: [string, string][] = [];
  const removed: string[] = [];
  for (const [key, override] of Object.entries(overrides)) {
    const address = hexToBytes(key);
    const named = checksumAddress(address);
    const target = override.movePrecompileToAddress?.toLowerCase();
    if (interpreter.isPrecompile(key.slice(2))) removed.push(key.slice(2));
    else if (target !== undefined) throw new ChainError('failed', `account ${named} is not a precompile`);
    if (target !== undefined) {
      if (overrides[target] !== undefined) {
        throw new ChainError(
          'failed',
          `account ${checksumAddress(hexToBytes(target))} is already overridden`,
        );
      }
      moved.push([key.slice(2), target.slice(2)]);
    }
    if (override.state !== undefined && override.stateDiff !== undefined) {
      throw new ChainError('failed', `account ${named} has both 'state' and 'stateDiff'`);
    }
    const account = world.getAccount(address) ?? EMPTY_ACCOUNT;
    if (override.nonce !== undefined || override.balance !== undefined) {
      world.putAccount(address, {
        ...account,
        nonce: BigInt(override.nonce ?? account.nonce),
        balance: BigInt(override.balance ?? account.balance),
      });
    }
    if (override.code !== undefined) world.putCode(address, hexToBytes(override.code));
    if (override.state !== undefined) {
      world.clearStorage(address);
      putSlots(world, address, override.state);
    }
    if (override.stateDiff !== undefined) putSlots(world, address, override.stateDiff);
  }
  return { moved, removed };
}
