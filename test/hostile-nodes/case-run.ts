/** The client of one case, and the faults that it finds. */
import { setTimeout as sleep } from 'node:timers/promises';
import { check, type Verdict } from '../faults/judge.ts';
import type { AskNode } from '../support/faults/fault.ts';
import type { Expected } from '../support/scene-questions.ts';
import type { Request } from '../verified/truth.ts';
import { findDelivery, type HostileCase, nameCase } from './cases.ts';
import { readMemoryBound } from './measure/budgets.ts';
import { HOSTILE } from './networks.ts';
import type { CaseReport } from './nodes/plan.ts';
import { findHostileQuestion } from './questions.ts';
import { CUT, type Stage } from './stage.ts';

export type CaseOutcome = {
  readonly row: HostileCase;
  readonly name: string;
  /** Faults found; empty when the case passes. */
  readonly faults: readonly string[];
};

export type CaseParts = {
  readonly stage: Stage;
  /** Position of the case in its batch. */
  readonly index: number;
  readonly row: HostileCase;
  /** A truthful node. */
  readonly truth: AskNode;
  readReport(): Promise<CaseReport>;
  /** Whether the status has reported since the attack began that the node is down or has a reason for restricted use. */
  isNamed(): boolean;
};

/** A block header, which every network must be able to return. */
const HEADER: Request = { method: 'eth_getBlockByNumber', params: ['0x10', false] };
/** A network of three has two honest nodes: enough attempts to request one of them, and to pass one that is requested first. */
const MAX_ATTEMPTS = 12;
const UP_MS = 30_000;
const REACH_MS = 10_000;
const END_MS = 8_000;
/** Status reports come late on a busy machine. */
const NAMED_MS = 30_000;
const PAUSE_MS = 50;
/** Error where no key set can be fetched. */
const UNCHECKED = 'the api key cannot be checked now';
const FOREIGN_PAUSE_MS = 250;
/** Memory limit of `doctor`, equal to that of a service with its budgets. */
const MAX_EXAMINATION_BYTES: number = readMemoryBound();
const STAGGER_MS = 25;
const SHOWN = 160;
/** Larger than a header with the hashes of a full block. */
const CERTAINLY_TOO_LARGE = 16_000_000;
/** Deliveries that take the node time to compress. */
const COMPRESSED: ReadonlySet<string> = new Set(['gzip', 'deflate', 'br']);
/** No node address contains a secret here. */
const NO_SECRET = 'no secret';

export class CaseRun {
  readonly #parts: CaseParts;
  readonly #request: ReturnType<typeof findHostileQuestion>;
  readonly #faults: string[] = [];
  #lastId = 0;

  constructor(parts: CaseParts) {
    this.#parts = parts;
    this.#request = findHostileQuestion(parts.row.request);
  }

  /** Whether the service itself sends the request: the network is unavailable until its nodes are opened. */
  get isOfService(): boolean {
    return this.#request.ask === undefined && this.#request.place === undefined;
  }

  /** Before the attack: resolves when the network of a client's request answers. */
  async prepare(): Promise<void> {
    // Doctor runs as a separate program.
    if (this.isOfService || this.#request.place === 'doctor') return;
    const verdict = await this.#askUntilRight(UP_MS);
    if (verdict !== 'right') this.#faults.push(`not served before the attack: ${verdict}`);
    // The module that verifies tokens is loaded with the first token.
    if (this.#request.place === 'key set') await this.#requestOnce(0);
  }

  /** Runs the case while the node is hostile. */
  async run(): Promise<void> {
    if (this.isOfService) await this.#watchService();
    else if (this.#request.place === 'doctor') await this.#examine();
    else {
      // Clients of different networks do not send at the same moment.
      await sleep(this.#parts.index * STAGGER_MS);
      await this.#askQuestion();
    }
    const { hits } = await this.#parts.readReport();
    if (hits === 0) this.#faults.push('not tested: the node was not asked');
    else await this.#checkNode();
  }

  conclude(): CaseOutcome {
    const { row } = this.#parts;
    return { row, name: nameCase(row), faults: this.#faults };
  }

  get #hasOthers(): boolean {
    return this.#parts.row.topology === 'one of three';
  }

  /** Repeats the request until the hostile node received it. */
  async #askQuestion(): Promise<void> {
    // The service requests the head of layer 1 on its own schedule.
    const isElsewhere = this.#request.place !== undefined;
    const attempts = isElsewhere ? REACH_MS / FOREIGN_PAUSE_MS : MAX_ATTEMPTS;
    for (let attempt = 0; attempt < attempts; attempt++) {
      if (!(await this.#requestOnce(attempt)) || (await this.#parts.readReport()).hits > 0) return;
      if (isElsewhere) await sleep(FOREIGN_PAUSE_MS);
    }
  }

  /** @returns whether the answer was acceptable */
  async #requestOnce(attempt: number): Promise<boolean> {
    const { ask, size } = this.#request;
    const { verdict, text } = await this.#ask(ask?.(attempt) ?? HEADER);
    const mayRefuse = !this.#hasOthers || size !== 'question';
    const isFine = verdict === 'right' || (verdict === 'refused' && mayRefuse);
    if (!isFine) this.#faults.push(`${verdict}: ${text.slice(0, SHOWN)}`);
    return isFine;
  }

  /** Runs `doctor`. Its verdict on the node does not count: it must end, within memory, and print something. */
  async #examine(): Promise<void> {
    const { stage, index } = this.#parts;
    const { exitCode, peakBytes, printed } = await stage.examine(index);
    if (exitCode !== 0 && exitCode !== 1)
      this.#faults.push(
        `doctor ends with ${exitCode ?? 'a signal, after a minute'}: ${printed.slice(-SHOWN)}`,
      );
    if (!printed.includes(HOSTILE))
      this.#faults.push(`doctor does not name the node: ${printed.slice(0, SHOWN)}`);
    if (peakBytes > MAX_EXAMINATION_BYTES)
      this.#faults.push(`doctor had ${Math.round(peakBytes / 1024 / 1024)} MiB`);
  }

  /** Waits until the service has sent its request; meanwhile no answer is wrong, and with other nodes it is finally correct. */
  async #watchService(): Promise<void> {
    const until = performance.now() + REACH_MS;
    while ((await this.#parts.readReport()).hits === 0 && performance.now() < until) await sleep(PAUSE_MS);
    if (this.#hasOthers) {
      const verdict = await this.#askUntilRight(REACH_MS);
      if (verdict !== 'right') this.#faults.push(`${verdict}, with two honest nodes`);
      return;
    }
    const { verdict, text } = await this.#ask(HEADER);
    if (verdict === 'wrong' || verdict === 'hang') this.#faults.push(`${verdict}: ${text.slice(0, SHOWN)}`);
  }

  /** Checks that the status names the node where it is at fault and only there, and that unrequested data ends the connection. */
  async #checkNode(): Promise<void> {
    const { row, readReport, isNamed } = this.#parts;
    const { isFlood } = findDelivery(row.delivery);
    await waitFor(async () => {
      const { hits, ends } = await readReport();
      return ends.length >= hits;
    }, END_MS);
    // A server that is no node of the network has no row in the status.
    if (this.#request.place !== undefined) return;
    const { ends } = await readReport();
    if (isFlood === true && !ends.includes('closed'))
      this.#faults.push(`the connection was not ended: ${ends.join() || 'it goes on'}`);
    const isEndless = row.delivery === 'without end';
    const isTooLarge = this.#request.size === 'question' && (isEndless || row.bytes >= CERTAINLY_TOO_LARGE);
    if (isFlood === true || isTooLarge) {
      await waitFor(async () => isNamed(), NAMED_MS);
      // A node that still compresses when another answers is dropped before it has sent its answer: a repeated request finds it out.
      const isAskedAgain = this.#hasOthers && this.#request.ask !== undefined && COMPRESSED.has(row.delivery);
      for (let attempt = MAX_ATTEMPTS; isAskedAgain && !isNamed() && attempt < 2 * MAX_ATTEMPTS; attempt++) {
        if (!(await this.#requestOnce(attempt))) return;
        await waitFor(async () => isNamed(), FOREIGN_PAUSE_MS);
      }
      if (!isNamed()) this.#faults.push('the status does not name the node');
    } else if (this.#isCallersChoice && isNamed()) {
      this.#faults.push('the node is blamed for what the caller asked for');
    }
  }

  /** Whether the answer is well-formed, and as large as the caller's request may have made it. */
  get #isCallersChoice(): boolean {
    const { content, delivery } = this.#parts.row;
    const isWhole = delivery === 'as a whole' || delivery === 'in pieces';
    return this.#request.size === 'caller' && content === 'the true list many times' && isWhole;
  }

  async #askUntilRight(limitMs: number): Promise<Verdict> {
    const until = performance.now() + limitMs;
    for (;;) {
      const { verdict } = await this.#ask(HEADER);
      if (verdict !== 'refused' || performance.now() > until) return verdict;
      await sleep(PAUSE_MS);
    }
  }

  async #ask(request: Request): Promise<{ readonly verdict: Verdict; readonly text: string }> {
    const { stage, index, truth } = this.#parts;
    const expected = (await truth(request)) as Expected;
    const id = ++this.#lastId;
    const withToken = this.#request.place === 'key set' && request !== HEADER;
    const text = await (withToken ? stage.askWithToken(index, id, request) : stage.ask(index, id, request));
    if (text === undefined) return { verdict: 'hang', text: request.method };
    if (text === CUT) return { verdict: this.#request.size === 'caller' ? 'refused' : 'wrong', text };
    if (withToken) return { verdict: text.includes(UNCHECKED) ? 'refused' : 'wrong', text };
    const verdict = check(text, id, [expected], NO_SECRET);
    const isWord = request !== HEADER && this.#request.isOneNodesWord === true;
    return { verdict: verdict === 'wrong' && isWord && isResult(text, id) ? 'right' : verdict, text };
  }
}

function isResult(text: string, id: number): boolean {
  return text.startsWith(`{"jsonrpc":"2.0","id":${id},"result":`) && text.endsWith('}');
}

async function waitFor(isThere: () => Promise<boolean>, limitMs: number): Promise<void> {
  for (const until = performance.now() + limitMs; !(await isThere()) && performance.now() < until; )
    await sleep(PAUSE_MS);
}
