import type { EVM } from '@ethereumjs/evm';
import type { Revision } from '../../../packages/evm/interpreter/revisions/revisions.ts';
import type { Engine, GuardedMemory } from '../engine.ts';
import type { FuzzCase } from '../fuzz-case.ts';
import type { Outcome } from '../outcome.ts';
import { Oracle } from './oracle.ts';

/** Oracles of all revisions, created on first use. */
export class OracleEngine implements Engine {
  readonly #byRevision = new Map<Revision, Oracle>();
  readonly #spoil: ((evm: EVM) => void) | undefined;

  /** @param spoil see `Oracle.create` */
  constructor(spoil?: (evm: EVM) => void) {
    this.#spoil = spoil;
  }

  async runCase(fuzzCase: FuzzCase): Promise<Outcome> {
    let oracle = this.#byRevision.get(fuzzCase.revision);
    if (oracle === undefined) {
      oracle = await Oracle.create(fuzzCase.revision, this.#spoil);
      this.#byRevision.set(fuzzCase.revision, oracle);
    }
    return oracle.run(fuzzCase);
  }

  guardedMemory(): GuardedMemory | undefined {
    return undefined;
  }

  /** Instructions executed so far. */
  get steps(): number {
    let steps = 0;
    for (const oracle of this.#byRevision.values()) steps += oracle.steps;
    return steps;
  }
}
