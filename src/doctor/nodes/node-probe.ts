import { classifyError } from '../../pool/errors/classify-error.ts';
import { scrubMessage } from '../../pool/errors/scrub-message.ts';
import type { Verdict } from '../../pool/errors/verdict.ts';
import { type FaultKind, UpstreamFault } from '../../pool/fault.ts';
import type { NodeCall, NodeError, NodeReply } from '../../pool/node-call.ts';
import { parseText } from '../../pool/parse-text.ts';
import type { Transport } from '../../pool/transport/transport.ts';
import { completeWithin, TIMED_OUT } from '../../util/complete-within.ts';

/** Outcome of one request. Texts of the node contain no secrets or control characters. */
export type ProbeOutcome =
  | { readonly kind: 'result'; readonly value: unknown }
  | { readonly kind: 'error'; readonly error: NodeError; readonly verdict: Verdict; readonly reason: string }
  | { readonly kind: 'fault'; readonly fault: FaultKind; readonly reason: string };

/** Sends requests to one node, each with its own time limit. No method rejects with an `UpstreamFault`. */
export class NodeProbe {
  readonly #transport: Transport;
  readonly #limitMs: number;
  /** Keys and addresses that are masked in texts of the node. */
  readonly secrets: readonly string[];

  constructor(transport: Transport, limitMs: number, secrets: readonly string[]) {
    this.#transport = transport;
    this.#limitMs = limitMs;
    this.secrets = secrets;
  }

  async ask(method: string, params: readonly unknown[] = []): Promise<ProbeOutcome> {
    const call = { method, params: JSON.stringify(params) };
    return this.#complete(async (deadline) =>
      this.#read(await this.#transport.send(call, { deadline }), method),
    );
  }

  /** Returns the outcomes in the order of the calls, or one outcome for the whole batch. */
  async sendBatch(calls: readonly NodeCall[]): Promise<readonly ProbeOutcome[] | ProbeOutcome> {
    return this.#complete(async (deadline) => {
      const replies = await this.#transport.sendBatch(calls, { deadline });
      return Promise.all(replies.map((reply, i) => this.#read(reply, (calls[i] as NodeCall).method)));
    });
  }

  /** Scrubs a text of the node: one line, without secrets or control characters. */
  clean(text: string): string {
    return scrubMessage(text, this.secrets);
  }

  async #complete<T>(work: (deadline: number) => Promise<T>): Promise<T | ProbeOutcome> {
    try {
      const outcome = await completeWithin(work(performance.now() + this.#limitMs), this.#limitMs);
      return outcome === TIMED_OUT ? this.#describeSilence() : outcome;
    } catch (fault) {
      if (!(fault instanceof UpstreamFault)) throw fault;
      if (fault.kind === 'timeout') return this.#describeSilence();
      return { kind: 'fault', fault: fault.kind, reason: this.clean(fault.message) };
    }
  }

  #describeSilence(): ProbeOutcome {
    return { kind: 'fault', fault: 'timeout', reason: `no answer within ${this.#limitMs / 1_000} s` };
  }

  async #read(reply: NodeReply, method: string): Promise<ProbeOutcome> {
    if (reply.kind === 'error') {
      const { error } = reply;
      const reason = `error ${error.code}: ${this.clean(error.message)}`;
      return { kind: 'error', error, verdict: classifyError(error, method), reason };
    }
    if (typeof reply.result === 'string') return { kind: 'result', value: await parseText(reply.result, {}) };
    reply.result.cancel();
    return { kind: 'fault', fault: 'tooLarge', reason: 'the answer is too large to be examined' };
  }
}
