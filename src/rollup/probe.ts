import type { Chain } from '../chain/chain.ts';
import { ChainError, type ChainErrorKind, UNSUPPORTED } from '../chain/errors.ts';
import type { BlockReference } from '../chain/requests.ts';
import type { RequestScope } from '../util/request-scope.ts';
import { askObject, askValue } from './ask.ts';
import { readWord } from './contract.ts';

/** Failures that are not about the method. */
const ASIDE: ReadonlySet<ChainErrorKind> = new Set(['unavailable', 'busy', 'timeout', 'aborted']);
const LATEST: BlockReference = { kind: 'tag', tag: 'latest' };

/** Behind the namespace: no node has such a method. */
const CONTROL = 'noSuchMethod';

/** How a method answers a call without parameters. */
type Outcome = 'value' | 'missesParameters' | 'nothing';

/** Questions by which a chain's family is recognised, each asked once. All throw ChainError when the chain cannot be asked. */
export class Probe {
  readonly #chain: Chain;
  readonly #scope: RequestScope;
  readonly #asked = new Map<string, Promise<unknown>>();

  constructor(chain: Chain, scope: RequestScope) {
    this.#chain = chain;
    this.#scope = scope;
  }

  /** The id that the chain gives itself. */
  get chainId(): bigint {
    return this.#chain.chainId;
  }

  /**
   * Whether the chain has a method; it is called without parameters. It has when it answers with a value, or misses them, and does not
   * say the same to a method of the same namespace that cannot exist: some nodes answer anything. Any other error says nothing: nodes and
   * those in front of them refuse unknown methods in many words.
   */
  async hasMethod(method: string): Promise<boolean> {
    const control = method.replace(/_.*/s, `_${CONTROL}`);
    const [outcome, ofControl] = await Promise.all([this.#callMethod(method), this.#callMethod(control)]);
    return outcome !== 'nothing' && outcome !== ofControl;
  }

  /** What a contract's function answers; undefined without such a contract or function. @param selector of a function without parameters */
  async callContract(address: string, selector: string): Promise<bigint | undefined> {
    return this.#once(`${address} ${selector}`, () =>
      readWord(this.#chain, { to: address, data: selector }, LATEST, this.#scope),
    );
  }

  /** Whether there is a contract at an address. */
  async hasCode(address: string): Promise<boolean> {
    const code = await this.#once(`code ${address}`, async () =>
      this.#chain.state.getCode(address, LATEST, this.#scope),
    );
    return /^"0x[^"]/.test(String(code));
  }

  /** Name and version of the node. */
  async readClient(): Promise<string> {
    const ask = (): Promise<unknown> => askValue(this.#chain, 'web3_clientVersion', [], this.#scope);
    return String((await this.#once('client', ask)) ?? '');
  }

  /** The members of the latest header. */
  async readHeader(): Promise<Readonly<Record<string, unknown>>> {
    return this.#once('header', () =>
      askObject(this.#chain, 'eth_getBlockByNumber', ['latest', false], this.#scope),
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

  #once<T>(question: string, ask: () => Promise<T>): Promise<T> {
    const asked = this.#asked.get(question) as Promise<T> | undefined;
    const answer = asked ?? ask();
    if (asked === undefined) this.#asked.set(question, answer);
    return answer;
  }
}
