import { UntracedError } from '../../../../packages/ethereum/primitives/untraced-error.ts';

/** A part of the state that an execution needs but that is unavailable. Addresses, slots and hashes are lower-case `0x` text. */
export type StateNeed =
  | { readonly kind: 'account'; readonly address: string }
  | { readonly kind: 'slot'; readonly address: string; readonly slot: string }
  | { readonly kind: 'code'; readonly hash: string }
  | { readonly kind: 'blockHash'; readonly number: bigint };

/**
 * Error of an execution that needs an unavailable part of the state. The execution is abandoned, and restarts when the missing part is available. The
 * EVM remains usable, because it receives no substitute value for the missing part.
 */
export class MissingState extends UntracedError {
  override readonly name = 'MissingState';
  readonly need: StateNeed;

  constructor(need: StateNeed) {
    super('a part of the state is missing');
    this.need = need;
  }
}
