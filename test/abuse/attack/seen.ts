/** Counts of what the attackers sent and received. */
export type AttackReport = {
  /** Number of bodies, messages or connections, whichever the abuse consists of. */
  readonly sent: number;
  /** Number of sends with an answer. */
  readonly answered: number;
  /** Bytes of answers that were read. */
  readonly bytes: number;
  /** Answers that are never allowed: swapped, or to something that is no request. */
  readonly wrong: number;
  /** Number of occurrences of each kind of answer, close or failure. */
  readonly kinds: Readonly<Record<string, number>>;
};

const ERROR_CODE = /"error":\{"code":(-?\d+)/;
/** Maximum number of kinds that are counted separately; all others share one count. */
const MAX_KINDS = 40;

export class Seen {
  sent = 0;
  answered = 0;
  bytes = 0;
  #wrong = 0;
  #kinds = new Map<string, number>();

  note(kind: string): void {
    const name = this.#kinds.has(kind) || this.#kinds.size < MAX_KINDS ? kind : 'others';
    this.#kinds.set(name, (this.#kinds.get(name) ?? 0) + 1);
  }

  /** Counts an answer. @param status of HTTP; undefined for a WebSocket @param start of the body */
  noteAnswer(status: number | undefined, start: string): void {
    this.answered++;
    this.note(describeAnswer(status, start));
  }

  noteWrong(what: string): void {
    this.#wrong++;
    this.note(`WRONG: ${what}`);
  }

  cut(): AttackReport {
    const { sent, answered, bytes } = this;
    const report = { sent, answered, bytes, wrong: this.#wrong, kinds: Object.fromEntries(this.#kinds) };
    this.sent = this.answered = this.bytes = this.#wrong = 0;
    this.#kinds = new Map();
    return report;
  }
}

/** Returns for example `429 -32005`, `200 result`, `message -32005`. */
export function describeAnswer(status: number | undefined, start: string): string {
  const code = ERROR_CODE.exec(start)?.[1];
  const content = code ?? (start.includes('"result":') ? 'result' : start === '' ? 'empty' : 'other');
  return `${status ?? 'message'} ${content}`;
}
