import { ChainError } from '../../chain/errors.ts';
import { SendRefusal } from '../errors/send-refusals.ts';
import { type FaultKind, UpstreamFault } from '../fault.ts';
import type { Upstream } from '../upstream.ts';

/** What one node made of a transaction. */
export type NodeAnswer = { readonly upstream: Upstream } & (
  | { readonly kind: 'taken' }
  | { readonly kind: 'refused'; readonly error: SendRefusal }
  | { readonly kind: 'fault'; readonly fault: UpstreamFault }
);

/** Faults after which the node has certainly not got the transaction. */
const NOT_SENT: ReadonlySet<FaultKind> = new Set<FaultKind>([
  'rateLimited',
  'unauthorized',
  'unsupported',
  'missing',
  'pruned',
]);

export type RoundParts = {
  readonly nodes: readonly Upstream[];
  /** Sends it to one node; resolves when that has taken it. */
  readonly ask: (upstream: Upstream) => Promise<unknown>;
  /** Whether a node is asked only when those before it have not taken it. */
  readonly isInTurn: boolean;
};

/** One transaction on its way to some nodes. */
export class SendRound {
  /** In the order in which they came. */
  readonly answers: NodeAnswer[] = [];
  /** The first node that has taken it; undefined once none of them has. Rejects with what is no answer of a node. */
  readonly first: Promise<Upstream | undefined>;
  /** When all nodes have answered. Never rejects. */
  readonly settled: Promise<void>;

  constructor({ nodes, ask, isInTurn }: RoundParts) {
    let resolveFirst: (upstream: Upstream | undefined) => void = () => {};
    let rejectFirst: (error: unknown) => void = () => {};
    this.first = new Promise((resolve, reject) => {
      resolveFirst = resolve;
      rejectFirst = reject;
    });
    // Where it is sent again only the end matters.
    this.first.catch(() => {});
    const askOne = async (upstream: Upstream): Promise<boolean> => {
      const answer = await readAnswer(upstream, ask);
      this.answers.push(answer);
      if (answer.kind === 'taken') resolveFirst(upstream);
      return answer.kind === 'taken';
    };
    const work = isInTurn ? askInTurn(nodes, askOne) : Promise.all(nodes.map(askOne));
    this.settled = work.then(() => resolveFirst(undefined), rejectFirst);
  }

  /** The nodes that may have the transaction, or its block, although they have not said so: they are asked for it until they answer. */
  get unsure(): readonly Upstream[] {
    return this.#listNodes(
      (answer) =>
        (answer.kind === 'fault' && !NOT_SENT.has(answer.fault.kind)) ||
        (answer.kind === 'refused' && answer.error.verdict === 'nonceTooLow'),
    );
  }

  /** The nodes that refuse the transaction for another reason than its nonce: some do so in such words for one that they have. */
  get refusing(): readonly Upstream[] {
    return this.#listNodes((answer) => answer.kind === 'refused' && answer.error.verdict === 'refused');
  }

  /** Whether a node refuses the transaction in words that are not known: it may mean that it has it. */
  get isUnclear(): boolean {
    return this.answers.some((answer) => answer.kind === 'refused' && !answer.error.isKnown);
  }

  #listNodes(isMeant: (answer: NodeAnswer) => boolean): readonly Upstream[] {
    return this.answers.filter(isMeant).map(({ upstream }) => upstream);
  }

  /** Why it was not taken, of all that was said the most precise and most frequent. */
  explain(): ChainError {
    const refusals = this.answers.flatMap((answer) => (answer.kind === 'refused' ? [answer.error] : []));
    if (refusals.length > 0) return chooseRefusal(refusals);
    const faults = this.answers.flatMap((answer) => (answer.kind === 'fault' ? [answer.fault] : []));
    const unsure = faults.find(({ kind }) => !NOT_SENT.has(kind));
    if (unsure !== undefined)
      return new ChainError('unavailable', `${unsure.message}; the transaction may have been sent or not`);
    if (faults.length > 0 && faults.every(({ kind }) => kind === 'rateLimited'))
      return new ChainError('busy', faults[0]?.bound ?? 'nodes.rate');
    const [fault] = faults;
    return new ChainError('unavailable', `${fault?.message}; the transaction was not sent`);
  }
}

async function askInTurn(
  nodes: readonly Upstream[],
  askOne: (upstream: Upstream) => Promise<boolean>,
): Promise<void> {
  for (const upstream of nodes) if (await askOne(upstream)) return;
}

async function readAnswer(
  upstream: Upstream,
  ask: (upstream: Upstream) => Promise<unknown>,
): Promise<NodeAnswer> {
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

/** Known words before others, what most nodes say before what fewer do. Figures in the words may differ from node to node. */
function chooseRefusal(refusals: readonly SendRefusal[]): SendRefusal {
  const kindOf = ({ message }: SendRefusal): string => message.split(':', 1)[0] as string;
  const count = (error: SendRefusal): number =>
    refusals.filter((other) => kindOf(other) === kindOf(error)).length;
  const ranked = refusals.toSorted((a, b) => Number(b.isKnown) - Number(a.isKnown) || count(b) - count(a));
  return ranked[0] as SendRefusal;
}
