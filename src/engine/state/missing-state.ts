import { UntracedError } from '../../primitives/untraced-error.ts';

/** A part of a state that is not at hand. Addresses, slots and hashes are lower-case `0x` text. */
export type StateNeed =
  | { readonly kind: 'account'; readonly address: string }
  | { readonly kind: 'slot'; readonly address: string; readonly slot: string }
  | { readonly kind: 'code'; readonly hash: string }
  | { readonly kind: 'blockHash'; readonly number: bigint };

/**
 * An execution needs a part of the state that is not at hand. It is given up, and begins anew when the part is there: nothing false has
 * been supplied to its EVM, which stays sound.
 */
export class MissingState extends UntracedError {
  override readonly name = 'MissingState';
  readonly need: StateNeed;

  constructor(need: StateNeed) {
    super('a part of the state is not at hand');
    this.need = need;
  }
}
