/** Decides whether an answer is of the honest chain. */
import { SHARED, type ForgedBranch, TOPS } from '../../support/forged-branch.ts';
import type { AskedQuestion } from './agreement-questions.ts';

/** Whose an answer is: `honest` also where both chains say the same. */
export type Verdict = 'honest' | 'forged' | 'absent' | 'unknown';

/** Methods whose answers are made by the service, or say what each of several heads makes of it: the newest block is compared. */
const BY_HEAD: ReadonlySet<string> = new Set(['eth_capabilities']);

export class AnswerJudge {
  readonly #branches: ForgedBranch;
  readonly #known = new Map<string, Promise<ReadonlySet<string>>>();

  constructor(branches: ForgedBranch) {
    this.#branches = branches;
  }

  async judge(question: AskedQuestion, result: unknown): Promise<Verdict> {
    if (result === null) return 'absent';
    const text = normalize(question, result);
    if ((await this.#listAnswers('honest', question)).has(text)) return 'honest';
    return (await this.#listAnswers('forged', question)).has(text) ? 'forged' : 'unknown';
  }

  /** What nodes of a branch answer, whichever head they have. */
  #listAnswers(branch: 'honest' | 'forged', question: AskedQuestion): Promise<ReadonlySet<string>> {
    const name = `${branch} ${JSON.stringify(question)}`;
    const known = this.#known.get(name) ?? this.#ask(branch, question);
    this.#known.set(name, known);
    return known;
  }

  async #ask(branch: 'honest' | 'forged', question: AskedQuestion): Promise<ReadonlySet<string>> {
    const answers = new Set<string>();
    for (let top = branch === 'forged' ? SHARED + 1 : 0; top <= TOPS[branch]; top++) {
      const answer = await this.#branches.askAt(branch, top, question);
      if ('result' in answer) answers.add(normalize(question, answer.result));
    }
    return answers;
  }
}

function normalize({ method }: AskedQuestion, result: unknown): string {
  const value = BY_HEAD.has(method) ? (result as { head?: unknown }).head : result;
  return JSON.stringify(sort(value)).toLowerCase();
}

function sort(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sort);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => [name, sort(member)]);
}
