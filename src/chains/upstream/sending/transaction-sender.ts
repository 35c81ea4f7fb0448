import { setTimeout as sleep } from 'node:timers/promises';
import { hashTransaction } from '../../../../packages/ethereum/codecs/transaction.ts';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import type { JsonResult, JsonText } from '../../../../packages/ethereum/primitives/json-result.ts';
import { ChainError } from '../../../chain/errors.ts';
import {
  type CheckedTransaction,
  checkSentTransaction,
} from '../../../chain/sending/check-sent-transaction.ts';
import { UpstreamFault } from '../../../pool/fault.ts';
import { explainOutage } from '../../../pool/node-state.ts';
import { Route } from '../../../pool/route.ts';
import type { Upstream } from '../../../pool/upstream.ts';
import type { UpstreamRequest } from '../../../pool/upstream-request.ts';
import { limitOf } from '../../../util/bounds.ts';
import type { RequestScope } from '../../../util/request-scope.ts';
import { SharedBudget } from '../../../util/shared-budget.ts';
import { SCHEDULER } from '../../../util/slot-scheduler.ts';
import { findAt } from './find-at.ts';
import type { PrivateHashes } from './private-hashes.ts';
import { SendRound } from './send-round.ts';
import type { SendingParts } from './sending-parts.ts';
import { SendingRuleBook } from './sending-rules.ts';
import type { SentReads } from './sent-reads.ts';
import type { SentEntry, SentTransactions } from './sent-transactions.ts';

/** Time limit for the answers of nodes, ms. Sending continues in the background after the client has received its answer or has disconnected. */
const SEND_LIMIT_MS = 15_000;
/** Time limit of polling nodes that may have the transaction without having accepted it, and pauses before the attempts, ms. */
const FIND_LIMIT_MS = 4_000;
const FIND_PAUSES_MS = [0, 150, 300, 600, 900, 1_500];
/** Limit on the size of all in-flight transactions, bytes, and the maximum share of one API key. */
const MAX_BYTES = limitOf('sends.bytes');
const OWNER_SHARE = 0.25;
/** Additional bytes that each transaction counts, so that the number of transactions is limited, too. */
const SEND_BYTES = 16 * 1024;

/** Size above which checking a transaction waits for a scheduler slot of the owner, bytes, and approximate maximum time per byte, ms. */
const LARGE_BYTES = 16 * 1024;
const CHECK_MS_A_BYTE = 0.0002;

const METHOD = 'eth_sendRawTransaction';

/** Called for each transaction that a node has accepted, before the client receives its answer. */
export type OnSent = (entry: SentEntry, scope: RequestScope) => Promise<void>;

/** Transaction that has passed the local checks and is to be sent. */
type Sending = { readonly checked: CheckedTransaction; readonly hash: string; readonly bytes: Uint8Array };

/** In-flight send of a transaction, and the API key that started it. */
type Running = { readonly owner: string; readonly round: Promise<SendRound> };

/**
 * Checks transactions locally and sends them to the nodes of a network. When the first node has accepted a transaction, the client receives its
 * answer.
 */
export class TransactionSender {
  readonly #parts: SendingParts;
  readonly #rules: SendingRuleBook;
  readonly #sent: SentTransactions;
  readonly #hidden: PrivateHashes;
  readonly #reads: Pick<SentReads, 'getTransaction'>;
  readonly #onSent: OnSent;
  readonly #budget = new SharedBudget(MAX_BYTES, OWNER_SHARE);
  /** In-flight sends by hash. A transaction that arrives several times concurrently is sent once. */
  readonly #running = new Map<string, Running>();

  constructor(
    parts: SendingParts,
    hidden: PrivateHashes,
    reads: Pick<SentReads, 'getTransaction'>,
    onSent: OnSent,
  ) {
    this.#parts = parts;
    this.#hidden = hidden;
    this.#reads = reads;
    this.#rules = new SendingRuleBook(parts);
    this.#sent = parts.sent;
    this.#onSent = onSent;
  }

  /**
   * Checks and sends a transaction; resolves after a node has accepted it.
   * @param bytes encoded transaction, with blobs
   * @returns the transaction hash as JSON text
   * @throws ChainError
   */
  async send(bytes: Uint8Array, scope: RequestScope): Promise<JsonText> {
    const rules = await this.#rules.read(scope);
    const { length } = bytes;
    const owner = scope.owner ?? '';
    if (length > LARGE_BYTES) await SCHEDULER.pause(owner, length * CHECK_MS_A_BYTE);
    // A scheduler slot is taken here: many calls may have waited for the same rules, and each signature recovery takes half a millisecond.
    const checked = await SCHEDULER.take(owner, () =>
      checkSentTransaction(bytes, rules, this.#parts.tools.recoverPublicKey),
    );
    const hash = bytesToHex(hashTransaction(checked.transaction));
    const sending: Sending = { checked, hash, bytes };
    const { sender, transaction } = checked;
    await this.#hidden.add(hash, { sender: bytesToHex(sender), nonce: `${transaction.nonce}` });
    const round = await this.#share(sending, scope);
    // A new scheduler slot is taken, because many calls may have waited for the same send.
    await SCHEDULER.rejoin(owner);
    await this.#note(sending, scope);
    this.#noteTakers(round, hash);
    return `"${hash}"`;
  }

  /** Sends a transaction, or joins its in-flight send by any API key; resolves after a node has accepted it. */
  async #share(sending: Sending, scope: RequestScope): Promise<SendRound> {
    const running = this.#running.get(sending.hash);
    if (running === undefined) return this.#begin(sending, scope);
    try {
      const round = await running.round;
      scope.hasCalledNode = true;
      return round;
    } catch (error) {
      // The send failed because of the memory share of the API key that began it. The share of another API key does not limit the caller, so the
      // transaction is sent again.
      const isTheirs = running.owner !== (scope.owner ?? '') && isBusy(error);
      scope.hasCalledNode ||= !isBusy(error);
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

  /** Re-sends a transaction to these nodes. Never rejects. @returns the nodes that have accepted the transaction */
  async repeat(
    { hash, bytes }: SentEntry,
    nodes: readonly Upstream[],
    scope: RequestScope,
  ): Promise<Upstream[]> {
    const round = this.#startRound(nodes, hash, bytes, scope, false);
    await round.completed;
    return round.answers.flatMap((answer) => (answer.kind === 'taken' ? [answer.upstream] : []));
  }

  /** Sends a transaction; resolves after a node has accepted it. */
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
    callerScope.hasCalledNode = true;
    const isSequential = this.#parts.relay === undefined && this.#parts.options.to === 'first';
    const round = this.#startRound(nodes, hash, bytes, scope, isSequential);
    void round.completed.then(() => {
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
    isSequential: boolean,
  ): SendRound {
    const call: UpstreamRequest = {
      method: METHOD,
      params: `["${bytesToHex(bytes)}"]`,
      isText: true,
      nulls: 'fault',
      check: checkHash(hash),
    };
    const ask = (upstream: Upstream): Promise<JsonResult> =>
      this.#parts.sendToNode({ call, scope, upstream, route: new Route([]), requestedAt: performance.now() });
    return new SendRound({ nodes, ask, isSequential });
  }

  /**
   * Chooses the nodes that receive a transaction: the healthy configured nodes whose budget is not used up. If there is no such node, chooses the
   * nodes that may still answer.
   */
  #chooseNodes(): readonly Upstream[] {
    const { relay, upstreams, options } = this.#parts;
    if (relay !== undefined) return [relay];
    const { to } = options;
    const named = typeof to === 'string' ? upstreams : upstreams.filter(({ name }) => to.includes(name));
    const verified = named.filter(
      ({ standing, isOnFork, isOutOfUse }) => standing === 'verified' && !isOnFork && !isOutOfUse,
    );
    const usable = verified.filter((node) => !node.lacks(METHOD));
    const well = usable.filter(
      ({ isAway, health }) => !isAway && health.circuit !== 'open' && !health.isPaused,
    );
    const affordable = well.filter(({ spend }) => spend?.isUsedUp !== true);
    const chosen = [affordable, well, usable, verified].find((nodes) => nodes.length > 0) ?? [];
    return chosen.toSorted((a, b) => a.tier - b.tier || a.health.score - b.health.score);
  }

  /**
   * Returns the verified nodes that did not receive a transaction this time, if the transaction was accepted before: it may be pending at only one
   * of these nodes. Returns no node if the transaction was not accepted before.
   */
  #listUnrequested(requested: readonly Upstream[], hash: string): readonly Upstream[] {
    const { relay, upstreams } = this.#parts;
    if (relay !== undefined || this.#sent.get(hash) === undefined) return [];
    return upstreams.filter(
      (node) => node.standing === 'verified' && !node.isOutOfUse && !requested.includes(node),
    );
  }

  /**
   * Returns whether a transaction that no node has accepted is already pending or in a block. Clients refuse a known transaction with many different
   * messages. Refusing nodes are queried once; nodes that may have the transaction are polled until they answer. If the transaction was
   * accepted before, a refusal with an unknown message means that it is known.
   */
  async #isKnown(
    round: SendRound,
    requested: readonly Upstream[],
    hash: string,
    scope: RequestScope,
  ): Promise<boolean> {
    if (round.isUnclear && this.#sent.get(hash) !== undefined) return true;
    const unsure = [...round.unsure, ...this.#listUnrequested(requested, hash)];
    const inside = scope.derive({ deadline: performance.now() + FIND_LIMIT_MS });
    try {
      const looks = [
        ...round.refusing.map((upstream) => findAt(upstream, hash, this.#parts.sendToNode, inside)),
        ...unsure.map((upstream) => this.#isAt(upstream, hash, inside)),
      ];
      if (unsure.length > 0) looks.push(this.#isServed(hash, inside));
      return (await Promise.all(looks)).includes(true);
    } finally {
      inside.release();
    }
  }

  /** Polls a node for a transaction, because a node that has dropped the connection may still accept it. */
  async #isAt(upstream: Upstream, hash: string, scope: RequestScope): Promise<boolean> {
    for (const pause of FIND_PAUSES_MS) {
      if (pause > 0) await sleep(pause);
      const found = await findAt(upstream, hash, this.#parts.sendToNode, scope);
      if (found !== undefined) return found;
    }
    return false;
  }

  async #isServed(hash: string, scope: RequestScope): Promise<boolean> {
    try {
      if (await this.#hidden.isHidden(hash, scope)) return false;
      return (await this.#reads.getTransaction(hash, scope)) !== null;
    } catch (error) {
      if (error instanceof ChainError) return false;
      throw error;
    }
  }

  /** Records that this caller has sent the transaction. */
  async #note({ checked, hash, bytes }: Sending, scope: RequestScope): Promise<void> {
    const { transaction } = checked;
    const sender = bytesToHex(checked.sender);
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

/** Creates a check of the hash in a node's answer. If the answer has another hash, the node has decoded the bytes differently. */
function checkHash(hash: string): (result: JsonResult) => JsonResult {
  const expected = `"${hash}"`;
  return (result) => {
    if (typeof result === 'string' && result.toLowerCase() === expected) return result;
    throw new UpstreamFault('wrong', 'the node returned another hash for the transaction');
  };
}
