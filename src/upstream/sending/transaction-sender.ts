import { setTimeout as sleep } from 'node:timers/promises';
import { ChainError } from '../../chain/errors.ts';
import { type JudgedTransaction, judgeTransaction } from '../../chain/sending/judge-transaction.ts';
import { hashTransaction } from '../../chain/transaction.ts';
import { bytesToHex } from '../../primitives/hex.ts';
import type { JsonResult, JsonText } from '../../primitives/json-result.ts';
import { limitOf } from '../../util/bounds.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { SharedBudget } from '../../util/shared-budget.ts';
import { TURNS } from '../../util/turn-queue.ts';
import { UpstreamFault } from '../fault.ts';
import { explainOutage } from '../node-state.ts';
import { Route } from '../route.ts';
import type { RoutedCall } from '../routed-call.ts';
import type { Upstream } from '../upstream.ts';
import { findAt } from './find-at.ts';
import type { PrivateHashes } from './private-hashes.ts';
import { SendRound } from './send-round.ts';
import type { SendingParts } from './sending-parts.ts';
import { SendingRuleBook } from './sending-rules.ts';
import type { SentEntry, SentTransactions } from './sent-transactions.ts';

/** How long nodes have to answer; it goes on in the background when the client has its answer or has gone. */
const SEND_LIMIT_MS = 15_000;
/** How long it is looked for at nodes that have not said whether they have taken it, and the pauses between looks. */
const FIND_LIMIT_MS = 4_000;
const FIND_PAUSES_MS = [0, 150, 300, 600, 900, 1_500];
/** Bytes of transactions that are on their way at the same time, and the part that one key may have. */
const MAX_BYTES = limitOf('sends.bytes');
const OWNER_SHARE = 0.25;
/** Counted with each, so that their number is bounded too. */
const SEND_BYTES = 16 * 1024;

/** From here on transactions are judged in turns of their owners; what a byte takes at most, about. */
const LARGE_BYTES = 16 * 1024;
const JUDGE_MS_A_BYTE = 0.0002;

const METHOD = 'eth_sendRawTransaction';

/** Is called for each transaction that a node has taken, before the client has its answer. */
export type OnSent = (entry: SentEntry, scope: RequestScope) => Promise<void>;

/** A transaction on its way. */
type Sending = { readonly judged: JudgedTransaction; readonly hash: string; readonly bytes: Uint8Array };

/** The round of a transaction, and the key under which it is sent. */
type Running = { readonly owner: string; readonly round: Promise<SendRound> };

/** Sends transactions that were judged here to the nodes of a network; the first that takes one answers. */
export class TransactionSender {
  readonly #parts: SendingParts;
  readonly #rules: SendingRuleBook;
  readonly #sent: SentTransactions;
  readonly #hidden: PrivateHashes;
  readonly #onSent: OnSent;
  readonly #budget = new SharedBudget(MAX_BYTES, OWNER_SHARE);
  /** By hash: the same bytes that come twice at the same time are sent once. */
  readonly #running = new Map<string, Running>();

  constructor(parts: SendingParts, sent: SentTransactions, hidden: PrivateHashes, onSent: OnSent) {
    this.#parts = parts;
    this.#hidden = hidden;
    this.#rules = new SendingRuleBook(parts);
    this.#sent = sent;
    this.#onSent = onSent;
  }

  /** @throws ChainError */
  async send(bytes: Uint8Array, scope: RequestScope): Promise<JsonText> {
    const rules = await this.#rules.read(scope);
    const { length } = bytes;
    const owner = scope.owner ?? '';
    if (length > LARGE_BYTES) await TURNS.pause(owner, length * JUDGE_MS_A_BYTE);
    // Many may have waited for the same rules, and each signature takes half a millisecond.
    const judged = await TURNS.take(owner, () =>
      judgeTransaction(bytes, rules, this.#parts.tools.recoverPublicKey),
    );
    const hash = bytesToHex(hashTransaction(judged.transaction));
    const sending: Sending = { judged, hash, bytes };
    const { sender, transaction } = judged;
    await this.#hidden.add(hash, { sender: bytesToHex(sender), nonce: `${transaction.nonce}` });
    const round = await this.#share(sending, scope);
    // Many calls may have sent the same.
    await TURNS.rejoin(owner);
    await this.#note(sending, scope);
    this.#noteTakers(round, hash);
    return `"${hash}"`;
  }

  /** Resolves once the transaction is taken, for whichever key it is on its way. */
  async #share(sending: Sending, scope: RequestScope): Promise<SendRound> {
    const running = this.#running.get(sending.hash);
    if (running === undefined) return this.#begin(sending, scope);
    try {
      return await running.round;
    } catch (error) {
      // The bounds of the other key are none of this one's.
      const isTheirs = running.owner !== (scope.owner ?? '') && isBusy(error);
      if (!isTheirs) throw error;
      return this.#begin(sending, scope);
    }
  }

  #begin(sending: Sending, scope: RequestScope): Promise<SendRound> {
    const running: Running = { owner: scope.owner ?? '', round: this.#run(sending, scope) };
    this.#running.set(sending.hash, running);
    const forget = (): void => {
      if (this.#running.get(sending.hash) === running) this.#running.delete(sending.hash);
    };
    running.round.then(forget, forget);
    return running.round;
  }

  /** Sends a transaction to these nodes once more. Never rejects. @returns those that have it now */
  async repeat(
    { hash, bytes }: SentEntry,
    nodes: readonly Upstream[],
    scope: RequestScope,
  ): Promise<Upstream[]> {
    const round = this.#startRound(nodes, hash, bytes, scope, false);
    await round.settled;
    return round.answers.flatMap((answer) => (answer.kind === 'taken' ? [answer.upstream] : []));
  }

  /** Resolves once the transaction is taken. */
  async #run({ hash, bytes }: Sending, callerScope: RequestScope): Promise<SendRound> {
    const owner = callerScope.owner ?? '';
    const nodes = this.#chooseNodes();
    if (nodes.length === 0)
      throw new ChainError(
        'unavailable',
        `${explainOutage(this.#parts.upstreams)}; the transaction was not sent`,
      );
    const size = bytes.length + SEND_BYTES;
    if (!this.#budget.tryTake(owner, size)) throw new ChainError('busy', 'sends.bytes');
    const scope = callerScope.derive({ deadline: performance.now() + SEND_LIMIT_MS, isDetached: true });
    const isInTurn = this.#parts.relay === undefined && this.#parts.options.to === 'first';
    const round = this.#startRound(nodes, hash, bytes, scope, isInTurn);
    void round.settled.then(() => {
      this.#budget.giveBack(owner, size);
      this.#noteTakers(round, hash);
    });
    const first = await round.first;
    if (first === undefined && !(await this.#isKnown(round, nodes, hash, scope))) throw round.explain();
    return round;
  }

  #startRound(
    nodes: readonly Upstream[],
    hash: string,
    bytes: Uint8Array,
    scope: RequestScope,
    isInTurn: boolean,
  ): SendRound {
    const call: RoutedCall = {
      method: METHOD,
      params: `["${bytesToHex(bytes)}"]`,
      isText: true,
      nulls: 'fault',
      check: checkHash(hash),
    };
    const ask = (upstream: Upstream): Promise<JsonResult> =>
      this.#parts.askNode({ call, scope, upstream, route: new Route([]), askedAt: performance.now() });
    return new SendRound({ nodes, ask, isInTurn });
  }

  /** Where a transaction goes now: the nodes that are well, or, where none is, those that may yet answer. */
  #chooseNodes(): readonly Upstream[] {
    const { relay, upstreams, options } = this.#parts;
    if (relay !== undefined) return [relay];
    const { to } = options;
    const named = typeof to === 'string' ? upstreams : upstreams.filter(({ name }) => to.includes(name));
    const verified = named.filter(({ standing, isOnFork }) => standing === 'verified' && !isOnFork);
    const usable = verified.filter((node) => !node.lacks(METHOD));
    const well = usable.filter(
      ({ isAway, health }) => !isAway && health.circuit !== 'open' && !health.isPaused,
    );
    const chosen = [well, usable, verified].find((nodes) => nodes.length > 0) ?? [];
    return chosen.toSorted((a, b) => a.tier - b.tier || a.health.score - b.health.score);
  }

  /** Nodes that were away when a transaction came that has been taken before: it may wait at one of them alone. */
  #listUnasked(asked: readonly Upstream[], hash: string): readonly Upstream[] {
    const { relay, upstreams } = this.#parts;
    if (relay !== undefined || this.#sent.get(hash) === undefined) return [];
    return upstreams.filter((node) => node.standing === 'verified' && !asked.includes(node));
  }

  /**
   * Whether a transaction that no node has taken now is in a block, or waits: nodes have many words for one that they have. Those that refuse it
   * are asked once, those that may have it until they answer; words that no row knows are taken for such words where it was taken before.
   */
  async #isKnown(
    round: SendRound,
    asked: readonly Upstream[],
    hash: string,
    scope: RequestScope,
  ): Promise<boolean> {
    if (round.isUnclear && this.#sent.get(hash) !== undefined) return true;
    const unsure = [...round.unsure, ...this.#listUnasked(asked, hash)];
    const inside = scope.derive({ deadline: performance.now() + FIND_LIMIT_MS });
    try {
      const looks = [
        ...round.refusing.map((upstream) => findAt(upstream, hash, this.#parts.askNode, inside)),
        ...unsure.map((upstream) => this.#isAt(upstream, hash, inside)),
      ];
      if (unsure.length > 0) looks.push(this.#isServed(hash, inside));
      return (await Promise.all(looks)).includes(true);
    } finally {
      inside.release();
    }
  }

  /** A node that has dropped the connection is asked again: it may be there in a moment. */
  async #isAt(upstream: Upstream, hash: string, scope: RequestScope): Promise<boolean> {
    for (const pause of FIND_PAUSES_MS) {
      if (pause > 0) await sleep(pause);
      const found = await findAt(upstream, hash, this.#parts.askNode, scope);
      if (found !== undefined) return found;
    }
    return false;
  }

  async #isServed(hash: string, scope: RequestScope): Promise<boolean> {
    try {
      if (await this.#hidden.isHidden(hash, scope)) return false;
      return (await this.#parts.chain().transactions.getTransaction({ hash }, scope)) !== null;
    } catch (error) {
      if (error instanceof ChainError) return false;
      throw error;
    }
  }

  /** Remembers it for this caller. */
  async #note({ judged, hash, bytes }: Sending, scope: RequestScope): Promise<void> {
    const { transaction } = judged;
    const sender = bytesToHex(judged.sender);
    const isPrivate = this.#parts.relay !== undefined;
    const entry = this.#sent.add({ hash, sender, transaction, bytes, isPrivate }, scope);
    if (entry !== undefined) await this.#onSent(entry, scope);
  }

  #noteTakers(round: SendRound, hash: string): void {
    const entry = this.#sent.get(hash);
    if (entry === undefined) return;
    for (const answer of round.answers) if (answer.kind === 'taken') entry.takers.add(answer.upstream);
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof ChainError && error.kind === 'busy';
}

/** A node that answers with another hash has not understood the bytes. */
function checkHash(hash: string): (result: JsonResult) => JsonResult {
  const expected = `"${hash}"`;
  return (result) => {
    if (typeof result === 'string' && result.toLowerCase() === expected) return result;
    throw new UpstreamFault('wrong', 'the node gave another hash for the transaction');
  };
}
