import type { Chain } from '../chain/chain.ts';
import { ChainError, type ChainErrorKind, UNSUPPORTED } from '../chain/errors.ts';
import type { BlockReference } from '../chain/requests.ts';
import type { RequestScope } from '../util/request-scope.ts';
import { readWord } from './contract.ts';
import { requestObject, requestValue } from './request.ts';

/** Kinds of errors that do not depend on the requested method. */
const ASIDE: ReadonlySet<ChainErrorKind> = new Set(['unavailable', 'busy', 'timeout', 'aborted']);
const LATEST: BlockReference = { kind: 'tag', tag: 'latest' };

/** Suffix of a method name that does not exist in any node. The name begins with the tested namespace. */
const CONTROL = 'noSuchMethod';

/** Outcome of a request for a method without parameters. */
type Outcome = 'value' | 'missesParameters' | 'nothing';

/** Sends the requests that identify a chain's family, each only once. All methods throw ChainError if the chain cannot be reached. */
export class Probe {
  readonly #chain: Chain;
  readonly #scope: RequestScope;
  readonly #requested = new Map<string, Promise<unknown>>();

  constructor(chain: Chain, scope: RequestScope) {
    this.#chain = chain;
    this.#scope = scope;
  }

  /** Chain id that the chain's nodes report. */
  get chainId(): bigint {
    return this.#chain.chainId;
  }

  /**
   * Returns whether the chain has a method, tested by a request without parameters. The chain has the method if nodes return a value, or an error
   * about parameters. A method of the same namespace that cannot exist must have another outcome, because some nodes answer any method. Any other
   * error is inconclusive: nodes and proxies reject unknown methods with many different errors.
   */
  async hasMethod(method: string): Promise<boolean> {
    const control = method.replace(/_.*/s, `_${CONTROL}`);
    const [outcome, ofControl] = await Promise.all([this.#callMethod(method), this.#callMethod(control)]);
    return outcome !== 'nothing' && outcome !== ofControl;
  }

  /**
   * Returns the result of a contract function; undefined if the contract or the function does not exist.
   * @param selector selector of a function without parameters
   */
  async callContract(address: string, selector: string): Promise<bigint | undefined> {
    return this.#once(`${address} ${selector}`, () =>
      readWord(this.#chain, { to: address, data: selector }, LATEST, this.#scope),
    );
  }

  /** Returns whether an address has code. */
  async hasCode(address: string): Promise<boolean> {
    const code = await this.#once(`code ${address}`, async () =>
      this.#chain.state.getCode(address, LATEST, this.#scope),
    );
    return /^"0x[^"]/.test(String(code));
  }

  /** Returns the name and version of the node's client. */
  async readClient(): Promise<string> {
    const ask = (): Promise<unknown> => requestValue(this.#chain, 'web3_clientVersion', [], this.#scope);
    return String((await this.#once('client', ask)) ?? '');
  }

  /** Returns the members of the latest header. */
  async readHeader(): Promise<Readonly<Record<string, unknown>>> {
    return this.#once('header', () =>
      requestObject(this.#chain, 'eth_getBlockByNumber', ['latest', false], this.#scope),
    );
  }

  #callMethod(method: string): Promise<Outcome> {
    return this.#once(method, async () => {
      try {
        const answer = await this.#chain.request(method, [], this.#scope);
        if (typeof answer === 'object') answer.cancel();
        return answer === UNSUPPORTED || answer === 'null' ? 'nothing' : 'value';
      } catch (error) {
        if (!(error instanceof ChainError) || ASIDE.has(error.kind)) throw error;
        return error.kind === 'invalid' ? 'missesParameters' : 'nothing';
      }
    });
  }

  #once<T>(query: string, ask: () => Promise<T>): Promise<T> {
    const requested = this.#requested.get(query) as Promise<T> | undefined;
    const answer = requested ?? ask();
    if (requested === undefined) this.#requested.set(query, answer);
    return answer;
  }
}
