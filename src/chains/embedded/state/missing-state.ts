import { UntracedError } from '../../../../packages/ethereum/primitives/untraced-error.ts';

/** A missing part of a state. Addresses, slots and hashes are lower-case `0x` text. */
export type StateNeed =
  | { readonly kind: 'account'; readonly address: string }
  | { readonly kind: 'slot'; readonly address: string; readonly slot: string }
  | { readonly kind: 'code'; readonly hash: string }
  | { readonly kind: 'blockHash'; readonly number: bigint };

/**
 * Error of an execution that needs a missing part of the state. The execution is abandoned, and restarts after the part is available. Its EVM never
 * receives a wrong value and remains usable.
 */
export class MissingState extends UntracedError {
  override readonly name = 'MissingState';
  readonly need: StateNeed;

  constructor(need: StateNeed) {
    super('a part of the state is missing');
    this.need = need;
  }
}
