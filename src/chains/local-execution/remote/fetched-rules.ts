import type { Logger } from '../../../observe/logger.ts';
import { RequestScope } from '../../../util/request-scope.ts';
import type { ForkRules } from './fork-rules.ts';
import type { Place, RemoteStateSource } from './state-source.ts';

/** Time limit of one round of `eth_config` requests to nodes, and the pause after a round without enough matching answers, milliseconds. */
const LIMIT_MS = 3_000;
const PAUSE_MS = 60_000;
/** Interval between checks whether nodes still report the agreed rules, milliseconds. */
const REVIEW_MS = 3_600_000;

export type FetchedRulesParts = {
  readonly source: Pick<RemoteStateSource, 'survey' | 'voices'>;
  readonly rules: ForkRules;
  readonly network: string;
  readonly log: Logger;
  /** Called with internal errors of the gateway. */
  readonly onFault: (error: unknown) => void;
  /** Monotonic clock in milliseconds. */
  readonly now?: () => number;
};

/**
 * Requests the fork rules of the chain from nodes with `eth_config`: first when a block needs them, and then hourly to check whether they have
 * changed.
 */
export class FetchedRules {
  readonly #parts: FetchedRulesParts;
  readonly #now: () => number;
  /** Earliest time of the next request for the rules, and of the next check whether agreed rules have changed, on the clock `now`. */
  #requestAt = 0;
  #reviewAt: number | undefined;

  constructor(parts: FetchedRulesParts) {
    this.#parts = parts;
    this.#now = parts.now ?? (() => performance.now());
  }

  /** Requests the rules that apply at a block's timestamp (seconds), if they are unknown. @returns undefined if the caller need not wait */
  learn(timestamp: bigint, place: Place, scope: RequestScope): Promise<void> | undefined {
    const { rules, onFault } = this.#parts;
    const now = this.#now();
    if (rules.needsTelling(timestamp)) return now < this.#requestAt ? undefined : this.#ask(place, scope);
    if (!rules.isAgreed) return undefined;
    this.#reviewAt ??= now + REVIEW_MS;
    if (now < this.#reviewAt) return undefined;
    this.#reviewAt = now + REVIEW_MS;
    this.#review(place, scope).catch(onFault);
    return undefined;
  }

  /**
   * Requests the rules. Not all nodes support `eth_config`. If too few nodes report the same rules in time, the next requests for the rules are sent
   * after `PAUSE_MS`.
   */
  async #ask(place: Place, scope: RequestScope): Promise<void> {
    const { rules } = this.#parts;
    this.#requestAt = this.#now() + PAUSE_MS;
    scope.hasCalledNode = true;
    for await (const answers of this.#survey(place, scope)) {
      if (!rules.note(answers)) continue;
      this.#requestAt = 0;
      return;
    }
  }

  /** Checks in the background whether agreed rules have changed; no call waits for it. */
  async #review(place: Place, scope: RequestScope): Promise<void> {
    const { rules, network, log } = this.#parts;
    let isContradicted = false;
    for await (const answers of this.#survey(place, scope)) {
      const verdict = rules.review(answers);
      if (verdict === 'changed') log.info({ network }, 'nodes report other chain rules than before');
      if (verdict === 'changed' || verdict === 'same') return;
      isContradicted ||= verdict === 'contradicted';
    }
    if (isContradicted)
      log.warn(
        { network },
        'a node reports chain rules (eth_config) that differ from the agreed ones: the agreed rules apply up to the next fork that it reports',
      );
  }

  /** Sends `eth_config` to one node after the other. Yields all answers so far whenever an answer arrives. */
  async *#survey(place: Place, { owner }: RequestScope): AsyncGenerator<readonly unknown[]> {
    // Other calls also need the rules, so the requests continue if the caller disconnects.
    const scope = new RequestScope(performance.now() + LIMIT_MS);
    scope.owner = owner;
    const answers: unknown[] = [];
    const request = { method: 'eth_config', encode: () => '[]' };
    const operators = new Set<string>();
    for await (const { answer, node } of this.#parts.source.survey(request, place, scope)) {
      // Only one answer of each operator counts.
      if (typeof answer !== 'string' || operators.has(node.operator ?? node.name)) continue;
      operators.add(node.operator ?? node.name);
      answers.push(JSON.parse(answer));
      yield answers;
    }
  }
}
