import { ChainError } from '../../../chain/errors.ts';
import { SendRefusal } from '../../../pool/errors/send-refusals.ts';
import { type FaultKind, UpstreamFault } from '../../../pool/fault.ts';
import type { Upstream } from '../../../pool/upstream.ts';

/** Outcome of sending a transaction to one node. */
export type SendOutcome = { readonly upstream: Upstream } & (
  | { readonly kind: 'taken' }
  | { readonly kind: 'refused'; readonly error: SendRefusal }
  | { readonly kind: 'fault'; readonly fault: UpstreamFault }
);

/** Kinds of faults that show that the node has not accepted the transaction. */
const NOT_SENT: ReadonlySet<FaultKind> = new Set<FaultKind>([
  'rateLimited',
  'unauthorized',
  'unsupported',
  'missing',
  'pruned',
]);

export type RoundParts = {
  readonly nodes: readonly Upstream[];
  /** Sends the transaction to one node; resolves after the node has accepted it. */
  readonly ask: (upstream: Upstream) => Promise<unknown>;
  /** True if the nodes are tried one after the other until one accepts the transaction; false if all receive it concurrently. */
  readonly isSequential: boolean;
};

/** Sends one transaction to a set of nodes, and collects their answers. */
export class SendRound {
  /** Answers in order of arrival. */
  readonly answers: SendOutcome[] = [];
  /**
   * Resolves to the first node that accepts the transaction, or to undefined when all nodes have answered without accepting it. Rejects only with an
   * error that was not caused by a node.
   */
  readonly first: Promise<Upstream | undefined>;
  /** Resolves when all nodes have answered. Never rejects. */
  readonly completed: Promise<void>;

  constructor({ nodes, ask, isSequential }: RoundParts) {
    let resolveFirst: (upstream: Upstream | undefined) => void = () => {};
    let rejectFirst: (error: unknown) => void = () => {};
    this.first = new Promise((resolve, reject) => {
      resolveFirst = resolve;
      rejectFirst = reject;
    });
    // A repeated send awaits only `completed`. Without this handler, a rejection of `first` would end the process.
    this.first.catch(() => {});
    const sendToOne = async (upstream: Upstream): Promise<boolean> => {
      const answer = await readAnswer(upstream, ask);
      this.answers.push(answer);
      if (answer.kind === 'taken') resolveFirst(upstream);
      return answer.kind === 'taken';
    };
    const work = isSequential ? sendInOrder(nodes, sendToOne) : Promise.all(nodes.map(sendToOne));
    this.completed = work.then(() => resolveFirst(undefined), rejectFirst);
  }

  /**
   * Nodes that may have the transaction, pending or in a block, although they did not accept it. Nodes that may have the transaction are polled until
   * they answer whether they have it.
   */
  get unsure(): readonly Upstream[] {
    return this.#listNodes(
      (answer) =>
        (answer.kind === 'fault' && !NOT_SENT.has(answer.fault.kind)) ||
        (answer.kind === 'refused' && answer.error.verdict === 'nonceTooLow'),
    );
  }

  /** Nodes that refused the transaction for another reason than a used nonce. Some clients refuse a transaction because they already have it. */
  get refusing(): readonly Upstream[] {
    return this.#listNodes((answer) => answer.kind === 'refused' && answer.error.verdict === 'refused');
  }

  /** Returns whether a node refused the transaction with an unknown message, which may mean that the node already has it. */
  get isUnclear(): boolean {
    return this.answers.some((answer) => answer.kind === 'refused' && !answer.error.isKnown);
  }

  #listNodes(isMeant: (answer: SendOutcome) => boolean): readonly Upstream[] {
    return this.answers.filter(isMeant).map(({ upstream }) => upstream);
  }

  /**
   * Returns the error for a transaction that no node accepted: a refusal with a known message if there is one, otherwise the most frequent refusal,
   * otherwise a fault.
   */
  explain(): ChainError {
    const refusals = this.answers.flatMap((answer) => (answer.kind === 'refused' ? [answer.error] : []));
    if (refusals.length > 0) return chooseRefusal(refusals);
    const faults = this.answers.flatMap((answer) => (answer.kind === 'fault' ? [answer.fault] : []));
    const unsure = faults.find(({ kind }) => !NOT_SENT.has(kind));
    if (unsure !== undefined)
      return new ChainError(
        'unavailable',
        `${unsure.message}; the transaction may or may not have been sent`,
      );
    if (faults.length > 0 && faults.every(({ kind }) => kind === 'rateLimited'))
      return new ChainError('busy', faults[0]?.bound ?? 'nodes.rate');
    const [fault] = faults;
    return new ChainError('unavailable', `${fault?.message}; the transaction was not sent`);
  }
}

async function sendInOrder(
  nodes: readonly Upstream[],
  sendToOne: (upstream: Upstream) => Promise<boolean>,
): Promise<void> {
  for (const upstream of nodes) if (await sendToOne(upstream)) return;
}

async function readAnswer(
  upstream: Upstream,
  ask: (upstream: Upstream) => Promise<unknown>,
): Promise<SendOutcome> {
  try {
    await ask(upstream);
    return { upstream, kind: 'taken' };
  } catch (error) {
    if (error instanceof SendRefusal)
      return error.verdict === 'known' ? { upstream, kind: 'taken' } : { upstream, kind: 'refused', error };
    if (error instanceof UpstreamFault) return { upstream, kind: 'fault', fault: error };
    if (error instanceof ChainError)
      return { upstream, kind: 'refused', error: new SendRefusal('refused', error.message, false) };
    throw error;
  }
}

/**
 * Chooses a refusal: known messages first, then the most frequent message. Two messages are the same if their text before the first colon is the
 * same, because figures after the colon differ between nodes.
 */
function chooseRefusal(refusals: readonly SendRefusal[]): SendRefusal {
  const kindOf = ({ message }: SendRefusal): string => message.split(':', 1)[0] as string;
  const count = (error: SendRefusal): number =>
    refusals.filter((other) => kindOf(other) === kindOf(error)).length;
  const ranked = refusals.toSorted((a, b) => Number(b.isKnown) - Number(a.isKnown) || count(b) - count(a));
  return ranked[0] as SendRefusal;
}
