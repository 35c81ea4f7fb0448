/** Decides whether an answer belongs to the honest chain. */
import { type ForgedBranch, SHARED, TOPS } from '../../../support/forged-branch.ts';
import type { AskedQuestion } from './agreement-questions.ts';

/** Origin of an answer: `honest` also where both chains have the same answer. */
export type Verdict = 'honest' | 'forged' | 'absent' | 'unknown';

/** Answers that the service derives from a head are looked up in another answer about the same head. */
const BY_HEAD: ReadonlyMap<string, { readonly request: AskedQuestion; read(result: unknown): unknown }> =
  new Map([
    [
      'eth_capabilities',
      {
        request: { method: 'eth_getBlockByNumber', params: ['latest', false] },
        read: (result: unknown) => pick(result),
      },
    ],
    [
      'eth_baseFee',
      {
        request: { method: 'eth_feeHistory', params: ['0x1', 'latest', []] },
        read: (result: unknown) => (result as { readonly baseFeePerGas: readonly string[] }).baseFeePerGas[1],
      },
    ],
  ]);

const pick = (block: unknown): unknown => {
  const { number, hash } = block as { readonly number: unknown; readonly hash: unknown };
  return { number, hash };
};

export class AnswerJudge {
  readonly #branches: ForgedBranch;
  readonly #known = new Map<string, Promise<ReadonlySet<string>>>();

  constructor(branches: ForgedBranch) {
    this.#branches = branches;
  }

  async classify(request: AskedQuestion, result: unknown): Promise<Verdict> {
    if (result === null || (result === '0x' && request.method.startsWith('debug_'))) return 'absent';
    const text = normalize(request.method === 'eth_capabilities' ? Object(result).head : result);
    if ((await this.#listAnswers('honest', request)).has(text)) return 'honest';
    return (await this.#listAnswers('forged', request)).has(text) ? 'forged' : 'unknown';
  }

  /** Lists the answers of a branch's nodes over all heads that they may have. */
  #listAnswers(branch: 'honest' | 'forged', request: AskedQuestion): Promise<ReadonlySet<string>> {
    const name = `${branch} ${JSON.stringify(request)}`;
    const known = this.#known.get(name) ?? this.#ask(branch, request);
    this.#known.set(name, known);
    return known;
  }

  async #ask(branch: 'honest' | 'forged', request: AskedQuestion): Promise<ReadonlySet<string>> {
    const answers = new Set<string>();
    for (let top = branch === 'forged' ? SHARED + 1 : 0; top <= TOPS[branch]; top++) {
      const byHead = BY_HEAD.get(request.method);
      const answer = await this.#branches.requestAt(branch, top, byHead?.request ?? request);
      if (!('result' in answer)) continue;
      answers.add(normalize(byHead?.read(answer.result) ?? answer.result));
      if (request.method === 'eth_getTransactionByHash') answers.add(normalize(asWaiting(answer.result)));
    }
    return answers;
  }
}

/** Form of a transaction (of type 0, as in both branches) whose block is above the served head, which a reorg may lower for a moment. */
function asWaiting(transaction: unknown): unknown {
  if (transaction === null) return null;
  const nowhere = { blockHash: null, blockNumber: null, transactionIndex: null };
  const { blockTimestamp } = transaction as { readonly blockTimestamp?: unknown };
  return {
    ...(transaction as object),
    ...nowhere,
    ...(blockTimestamp !== undefined && { blockTimestamp: null }),
  };
}

function normalize(value: unknown): string {
  return JSON.stringify(sort(value)).toLowerCase();
}

function sort(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sort);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => [name, sort(member)]);
}
