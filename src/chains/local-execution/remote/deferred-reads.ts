import { createHash } from 'node:crypto';
import type { CallRequest } from '../../../chain/requests.ts';
import { limitOf } from '../../../util/bounds.ts';
import { Lru } from '../../../util/lru.ts';
import type { SimulationKind } from '../../embedded/simulation/call-environment.ts';
import { StateKeys } from '../proven/state-keys.ts';

/** Maximum total number of stored accounts and slots, over all functions. */
const MAX_KEYS = 8_192;
/** Maximum number of accounts and slots per function: half of the limit per call. At a new head, all of them are requested if one is missing. */
const MAX_FUNCTION_KEYS = limitOf('call.provenKeys') / 2;
const KEYS_MS = 600_000;
/**
 * Maximum number of stored calls that could not be completed locally (`MAX_INCOMPLETE`). A stored call is tried again after `INCOMPLETE_MS`,
 * milliseconds.
 */
const MAX_INCOMPLETE = 512;
const INCOMPLETE_MS = 10_000;
/** Length of `0x` and a function selector in hex, characters. */
const SELECTOR_LENGTH = 10;

/**
 * Late reads of calls, by contract and function: reads after the first slice. Reads after the first slice of a call are stored, because each run on a
 * thread finds only one of them.
 */
export class DeferredReads {
  readonly #keys = new Lru<string, StateKeys>(
    MAX_KEYS,
    KEYS_MS,
    () => performance.now(),
    ({ size }) => size + 1,
  );
  readonly #unsettled = new Lru<string, true>(MAX_INCOMPLETE, INCOMPLETE_MS);

  /** Returns the stored late reads of earlier calls of this contract and function. */
  find(request: CallRequest): StateKeys | undefined {
    return this.#keys.get(nameFunction(request));
  }

  /**
   * Stores late reads. The late reads of a call include the stored reads of earlier calls, so keys that differ between calls accumulate. A function
   * with too many keys loses all of them.
   */
  note(request: CallRequest, keys: StateKeys): void {
    if (keys.size > MAX_FUNCTION_KEYS) {
      this.#keys.delete(nameFunction(request));
      return;
    }
    const all = new StateKeys();
    all.merge(keys);
    this.#keys.set(nameFunction(request), all);
  }

  /** Records that a call at a block exceeded its limit of round trips, restarts or keys. */
  noteIncomplete(kind: SimulationKind, request: CallRequest, blockHash: string): void {
    this.#unsettled.set(nameCall(kind, request, blockHash), true);
  }

  isIncomplete(kind: SimulationKind, request: CallRequest, blockHash: string): boolean {
    return this.#unsettled.size > 0 && this.#unsettled.get(nameCall(kind, request, blockHash)) === true;
  }
}

function nameFunction({ call }: CallRequest): string {
  return `${call.to ?? 'create'}:${(call.input ?? call.data ?? '').slice(0, SELECTOR_LENGTH)}`;
}

/** Returns a key that identifies a call at a block; it is a hash, because calls may be long. */
function nameCall(
  kind: SimulationKind,
  { call, stateOverrides, blockOverrides }: CallRequest,
  blockHash: string,
): string {
  const text = JSON.stringify([kind, blockHash, call, stateOverrides, blockOverrides]);
  return createHash('sha256').update(text).digest('base64');
}
