/** Sends requests to the service of a setting and checks the responses. */
import type { AnsweredQuestion, Expected, Request } from '../support/scene-questions.ts';
import { check, type Verdict } from './judge.ts';

export type Cell = {
  readonly name: string;
  readonly isCorrect: boolean;
  readonly verdict: Verdict;
  /** Shortened response, and the expected one. */
  readonly detail: string;
};

/** Secret in every upstream's path; no response to a caller may contain it. */
export const SECRET = 'c0ffee5ec12e7';
const DETAIL_LENGTH = 300;

/** Adds the secret to the path of an upstream's address. */
export function hideSecret(url: string): string {
  return `${url}/${SECRET}`;
}

export class Caller {
  /** `127.0.0.1:port` of the service. */
  authority = '';
  readonly #name: string;
  readonly #hangMs: number;
  #lastId = 0;

  /**
   * @param name name of the setting, the first part of each cell's name
   * @param hangMs time after which a request counts as hanging; above the service's own limit
   */
  constructor(name: string, hangMs: number) {
    this.#name = name;
    this.#hangMs = hangMs;
  }

  async check(
    request: Request,
    expected: readonly Expected[],
  ): Promise<{ readonly verdict: Verdict; readonly text: string }> {
    const answer = await this.send(request);
    if (answer === undefined) return { verdict: 'hang', text: 'nothing' };
    return { verdict: check(answer.text, answer.id, expected, SECRET), text: answer.text };
  }

  async send({ method, params }: Request): Promise<{ text: string; id: number } | undefined> {
    this.#lastId++;
    const id = this.#lastId;
    try {
      const response = await fetch(`http://${this.authority}/v3/demo`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
        signal: AbortSignal.timeout(this.#hangMs),
      });
      return { text: await response.text(), id };
    } catch {
      return undefined;
    }
  }

  /** Reads the status of the readiness probe. */
  async readReadiness(): Promise<number> {
    return (await fetch(`http://${this.authority}/health/ready`)).status;
  }

  cell(
    label: string,
    isCorrect: boolean,
    verdict: Verdict,
    text: string,
    expected: readonly Expected[],
  ): Cell {
    const shorten = (value: string): string => value.slice(0, DETAIL_LENGTH);
    return {
      name: `${this.#name} | ${label}`,
      isCorrect,
      verdict,
      detail: `${verdict}: ${shorten(text)} instead of ${shorten(JSON.stringify(expected))}`,
    };
  }
}

/** Finds the request with this label. @throws Error when there is none */
export function findQuestion(requests: readonly AnsweredQuestion[], label: string): AnsweredQuestion {
  const request = requests.find((one) => one.label === label);
  if (request === undefined) throw new Error(`no question is called ${label}`);
  return request;
}
