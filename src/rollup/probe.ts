import type { BlockReference, Chain } from '../chain/chain.ts';
import { ChainError, type ChainErrorKind, UNSUPPORTED } from '../chain/errors.ts';
import type { RequestScope } from '../util/request-scope.ts';
import { askObject, askValue } from './ask.ts';
import { readWord } from './contract.ts';

/** Failures that are not about the method. */
const ASIDE: ReadonlySet<ChainErrorKind> = new Set(['unavailable', 'busy', 'timeout', 'aborted']);
const LATEST: BlockReference = { kind: 'tag', tag: 'latest' };

/** Questions by which a chain's family is recognised. All throw ChainError when the chain cannot be asked. */
export class Probe {
  readonly #chain: Chain;
  readonly #scope: RequestScope;

  constructor(chain: Chain, scope: RequestScope) {
    this.#chain = chain;
    this.#scope = scope;
  }

  /**
   * Whether the chain has a method; it is called without parameters. It has when it answers, or misses them. Any other
   * error says nothing: nodes and those in front of them refuse unknown methods in many words.
   */
  async hasMethod(method: string): Promise<boolean> {
    try {
      const answer = await this.#chain.request(method, [], this.#scope);
      if (typeof answer === 'object') answer.cancel();
      return answer !== UNSUPPORTED;
    } catch (error) {
      if (!(error instanceof ChainError) || ASIDE.has(error.kind)) throw error;
      return error.kind === 'invalid';
    }
  }

  /** What a contract's function answers; undefined without such a contract or function. @param selector of a function without parameters */
  async callContract(address: string, selector: string): Promise<bigint | undefined> {
    return readWord(this.#chain, { to: address, data: selector }, LATEST, this.#scope);
  }

  /** Name and version of the node. */
  async readClient(): Promise<string> {
    return String((await askValue(this.#chain, 'web3_clientVersion', [], this.#scope)) ?? '');
  }

  /** The members of the latest header. */
  async readHeader(): Promise<Readonly<Record<string, unknown>>> {
    return askObject(this.#chain, 'eth_getBlockByNumber', ['latest', false], this.#scope);
  }
}
