import type { Revision } from '../../evm/revision.ts';
import { Interpreter } from './interpreter.ts';

/** One interpreter per revision, made when first needed. */
export class Interpreters {
  readonly #chainId: bigint;
  readonly #byRevision = new Map<Revision, Promise<Interpreter>>();

  constructor(chainId: bigint) {
    this.#chainId = chainId;
  }

  get(revision: Revision): Promise<Interpreter> {
    let interpreter = this.#byRevision.get(revision);
    if (interpreter === undefined) {
      interpreter = Interpreter.create(this.#chainId, revision);
      this.#byRevision.set(revision, interpreter);
    }
    return interpreter;
  }
}
