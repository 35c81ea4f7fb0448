import { createHash } from 'node:crypto';
import type { CallRequest } from '../chain/requests.ts';
import type { SimulationKind } from '../engine/simulation/call-environment.ts';
import { StateKeys } from '../proven/state-keys.ts';
import { limitOf } from '../util/bounds.ts';
import { Lru } from '../util/lru.ts';

/** Accounts and slots that are remembered, of all calls. */
const MAX_KEYS = 8_192;
/** Of one function: half of what may be asked for one call, since all of it is asked for where one of it is missing at a new head. */
const MAX_FUNCTION_KEYS = limitOf('call.provenKeys') / 2;
const KEYS_MS = 600_000;
/** Calls that could not be executed, and how long they are not tried again. */
const MAX_UNSETTLED = 512;
const UNSETTLED_MS = 10_000;
/** `0x` and a selector. */
const SELECTOR_LENGTH = 10;

/** What calls read behind their first slice, where nothing but a thread meets it, one part after the other. */
export class LateReads {
  readonly #keys = new Lru<string, StateKeys>(
    MAX_KEYS,
    KEYS_MS,
    () => performance.now(),
    ({ size }) => size + 1,
  );
  readonly #unsettled = new Lru<string, true>(MAX_UNSETTLED, UNSETTLED_MS);

  /** What calls of this contract and selector have read late. */
  find(request: CallRequest): StateKeys | undefined {
    return this.#keys.get(nameFunction(request));
  }

  /** What differs from call to call adds up: a function that has read too much begins anew. */
  note(request: CallRequest, keys: StateKeys): void {
    if (keys.size > MAX_FUNCTION_KEYS) {
      this.#keys.delete(nameFunction(request));
      return;
    }
    const all = new StateKeys();
    all.merge(keys);
    this.#keys.set(nameFunction(request), all);
  }

  /** This very call, at a block, took more trips or beginnings than it may have. */
  noteUnsettled(kind: SimulationKind, request: CallRequest, blockHash: string): void {
    this.#unsettled.set(nameCall(kind, request, blockHash), true);
  }

  isUnsettled(kind: SimulationKind, request: CallRequest, blockHash: string): boolean {
    return this.#unsettled.size > 0 && this.#unsettled.get(nameCall(kind, request, blockHash)) === true;
  }
}

function nameFunction({ call }: CallRequest): string {
  return `${call.to ?? 'create'}:${(call.input ?? call.data ?? '').slice(0, SELECTOR_LENGTH)}`;
}

/** Calls may be long. */
function nameCall(
  kind: SimulationKind,
  { call, stateOverrides, blockOverrides }: CallRequest,
  blockHash: string,
): string {
  const text = JSON.stringify([kind, blockHash, call, stateOverrides, blockOverrides]);
  return createHash('sha256').update(text).digest('base64');
}
