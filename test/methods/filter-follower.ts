/** Reconstructs the chain, or its logs, from a filter's answers. */
import assert from 'node:assert/strict';
import type { ModelChain } from '../support/model-chain.ts';

type Log = { readonly removed: boolean };

/** Hashes of the chain as a block filter reports it; each is the parent of the next. */
export class BlocksFollower {
  readonly hashes: string[];
  readonly #model: ModelChain;

  /** @param served the chain when the filter was created */
  constructor(model: ModelChain, served: ModelChain['served']) {
    this.#model = model;
    this.hashes = served.map(({ hash }) => hash);
  }

  take(changes: unknown): void {
    const { hashes } = this;
    for (const hash of changes as readonly string[]) {
      assert.ok(!hashes.includes(hash), 'a block is given again that was not replaced');
      const parent = hashes.lastIndexOf(this.#model.find(hash)?.parentHash ?? '');
      assert.ok(parent >= 0, 'a block is left out');
      hashes.splice(parent + 1, hashes.length, hash);
    }
  }
}

/** Logs that a filter has reported, without those that it has removed. */
export class LogsFollower {
  readonly logs: string[];
  readonly #address: string | undefined;

  /** @param address address that the filter matches; undefined: every log */
  constructor(address: string | undefined, view: ModelChain) {
    this.#address = address;
    this.logs = this.list(view);
  }

  take(changes: unknown): void {
    for (const log of changes as readonly Log[]) {
      if (log.removed) assert.equal(this.logs.pop(), JSON.stringify({ ...log, removed: false }));
      else this.logs.push(JSON.stringify(log));
    }
  }

  /** Lists all logs of a chain that the filter matches. */
  list({ served }: ModelChain): string[] {
    return served.flatMap(({ logs }) =>
      logs
        .filter(({ address }) => this.#address === undefined || address === this.#address)
        .map(({ json }) => json),
    );
  }
}
