import type { Chain } from '../chain/chain.ts';
import { ChainError } from '../chain/errors.ts';
import type { ChainFigures } from '../observe/sources.ts';
import type { ObservedChain } from './open-chain.ts';

/** File path on this machine. */
const PATH = /\/[^\s:'"]*/g;

/** Optional methods of a chain that execute calls; this chain has none of them. */
const OPTIONAL: ReadonlySet<PropertyKey> = new Set(['callFastPath', 'callMany']);

/** Chain of a network that could not be opened; the other networks are served. Every operation fails with the reason, which the operator must fix. */
export class UnopenedChain implements ObservedChain {
  readonly isAnswerable = false;
  readonly blocks: Chain['blocks'];
  readonly transactions: Chain['transactions'];
  readonly logs: Chain['logs'];
  readonly state: Chain['state'];
  readonly execution: Chain['execution'];
  readonly fees: Chain['fees'];
  readonly node: Chain['node'];
  readonly heads: Chain['heads'] = {
    served: undefined,
    explainAbsence: () => this.#outage,
    watch: () => () => {},
    watchPending: () => this.#refuse(),
  };
  readonly #outage: string;

  /** @param reason reason why the chain could not be opened */
  constructor(reason: string) {
    this.#outage = `the network could not be opened: ${reason.replace(PATH, cutFolders)}`;
    this.blocks = this.#createReader();
    this.transactions = this.#createReader();
    this.logs = this.#createReader();
    this.state = this.#createReader();
    this.execution = this.#createReader();
    this.fees = this.#createReader();
    this.node = this.#createReader();
  }

  get chainId(): bigint {
    return this.#refuse();
  }

  request(): never {
    return this.#refuse();
  }

  describe(): ChainFigures {
    return { head: undefined, upstreams: [], outage: this.#outage };
  }

  async close(): Promise<void> {}

  /** Creates a reader whose operations all fail. */
  #createReader<T extends object>(): T {
    return new Proxy({} as T, {
      get: (_, name) => (OPTIONAL.has(name) ? undefined : () => this.#refuse()),
    });
  }

  #refuse(): never {
    throw new ChainError('misconfigured', this.#outage);
  }
}

/** Reduces a path to its last part, so that errors do not disclose folders to clients. */
function cutFolders(path: string): string {
  const end = path.endsWith('/') ? path.length - 1 : path.length;
  const slash = path.lastIndexOf('/', end - 1);
  return slash > 0 ? path.slice(slash + 1) : path;
}
