import type { Logger } from '../observe/logger.ts';
import { Listeners } from '../util/listeners.ts';
import {
  agreeOnChain,
  type ChainIdentity,
  type ConfiguredChain,
  countGenesisClaims,
  countOperators,
  describeMismatch,
  describeSplit,
  MAX_NAMED,
} from './chain-claims.ts';
import { UpstreamFault } from './fault.ts';
import { type Identity, readIdentity } from './identity.ts';
import type { ChainComparison, NodeEvent } from './node-record.ts';
import { QuarantineTimes } from './quarantine-times.ts';
import type { Upstream } from './upstream.ts';

/** Time limit for a node to report its chain, ms. */
const IDENTITY_LIMIT_MS = 5_000;
const FIRST_RETRY_MS = 200;
const MAX_RETRY_MS = 5_000;
const RECHECK_MS = 30_000;
/** Interval between checks of quarantined and disputed nodes, ms. */
const RECHECK_EXCLUDED_MS = 5_000;
/**
 * Delay from a fall of a node's head to the check of its identity, ms. The delay limits the checks of load-balanced URLs, whose nodes alternate
 * between different heads.
 */
const FALLEN_MS = 1_000;

export type MembershipParts = {
  readonly upstreams: readonly Upstream[];
  readonly network: string;
  readonly log: Logger;
  /** Whether the network accepts a new genesis block from its only node (`pool.development`). */
  readonly isDevelopment: boolean;
  readonly configured: ConfiguredChain;
  /**
   * Whether the network already has a head. Once there is a head, a node that contradicts the nodes in service is excluded, so it cannot make the
   * network unavailable.
   */
  readonly hasHead: () => boolean;
  /** Called when the head of a node has fallen, and the node was then confirmed to belong to this chain. */
  readonly onFallConfirmed: (upstream: Upstream) => void;
  /** Called when an upstream's standing has changed. */
  readonly onChange: () => void;
  /** Called when the network becomes a different chain with the same id, which invalidates all cached block data. */
  readonly onReplaced: () => void;
};

/**
 * Decides which upstreams belong to the network. The chain id and the genesis block of each upstream are requested at the start, every half minute,
 * and when the upstream answers again after being away. A node of another chain is quarantined and named in the log until it reports the expected
 * chain.
 */
export class Membership {
  readonly #parts: MembershipParts;
  readonly #retries = new Map<Upstream, number>();
  readonly #timers = new Map<Upstream, NodeJS.Timeout>();
  /** Nodes whose identity will be checked because their heads fell. */
  readonly #fallen = new Set<Upstream>();
  readonly #quarantines = new QuarantineTimes(() => performance.now());
  #expected: ChainIdentity | undefined;
  /** Genesis hash of the nodes in service while the genesis block of the network is undecided; undefined if no hash has a majority. */
  #provisionalGenesis: string | undefined;
  /** Last logged disagreement about the genesis block. */
  #loggedDispute = '';
  #isClosed = false;
  /** Notified, until `begin`, when a node has reported its chain or has failed to do so. */
  readonly reports: Listeners<[]> = new Listeners();

  constructor(parts: MembershipParts) {
    this.#parts = parts;
  }

  /**
   * Requests the identity of every upstream. Resolves when all upstreams have answered or failed once, or when `isEnough` returns true. Failed
   * requests are retried. Never rejects. If an upstream did not answer, its identity is undefined afterwards.
   */
  requestAll(isEnough: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const requested = this.#parts.upstreams.map(async (upstream) => {
        await this.#check(upstream);
        if (isEnough()) resolve();
      });
      void Promise.all(requested).then(() => resolve());
    });
  }

  /** Sets the chain of the network, updates the standing of all nodes, and continues to check them. */
  begin(expected: ChainIdentity): void {
    this.#expected = expected;
    this.#decideGenesis();
    for (const upstream of this.#parts.upstreams) {
      this.#classify(upstream);
      this.#plan(upstream);
    }
    this.#logDispute();
  }

  get hasBegun(): boolean {
    return this.#expected !== undefined;
  }

  /** Genesis hash of the network, once a majority has reported it, or from the configuration. */
  get genesisHash(): string | undefined {
    return this.#expected?.genesisHash;
  }

  /** Handles an upstream that answers again after being away. The upstream receives no requests until it has been identified again. */
  suspectReturned(upstream: Upstream): void {
    this.#apply(upstream, { kind: 'returned' });
    this.#retries.delete(upstream);
    void this.#check(upstream);
  }

  /**
   * Handles an upstream that reports a block different from the served one. The head of the node does not count until the node has been identified
   * again.
   */
  suspectForked(upstream: Upstream): void {
    this.#apply(upstream, { kind: 'mismatched' });
    this.#retries.delete(upstream);
    void this.#check(upstream);
  }

  /**
   * Handles a node whose head fell to a lower block. The node may have been restarted with another genesis block, so the identity of the node is
   * checked soon.
   */
  noteFallenHead(upstream: Upstream): void {
    if (this.#expected === undefined || this.#fallen.has(upstream)) return;
    this.#fallen.add(upstream);
    this.#checkIn(upstream, FALLEN_MS);
  }

  /**
   * Quarantines a node because of an answer that its block and another node refute, or that no honest node sends. A quarantine that begins within an
   * hour after the previous one is twice as long, but at most an hour.
   * @param reason predicate of a sentence about the node, for example `sent a wrong answer`
   * @param firstMs duration of the first quarantine, ms
   */
  quarantine(upstream: Upstream, reason: string, firstMs: number): void {
    if (this.#isClosed || this.#quarantines.isActive(upstream)) return;
    this.#apply(upstream, { kind: 'quarantined', evidence: reason });
    const seconds = this.#quarantines.begin(upstream, firstMs) / 1_000;
    const { network, log } = this.#parts;
    log.error(
      { network, upstream: upstream.name, reason, seconds },
      'upstream is quarantined: it gets no requests',
    );
    this.#rule(upstream);
    this.#checkIn(upstream, RECHECK_EXCLUDED_MS);
  }

  close(): void {
    this.#isClosed = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    this.reports.clear();
  }

  async #check(upstream: Upstream): Promise<void> {
    if (this.#isClosed || upstream.checking !== undefined) return;
    const hasFallen = this.#fallen.delete(upstream);
    const identification = this.#identify(upstream);
    upstream.checking = identification.then(() => {});
    const isKnown = await identification;
    upstream.checking = undefined;
    if (this.#isClosed) return;
    if (isKnown) {
      this.#retries.delete(upstream);
      if (this.#expected !== undefined) this.#admit(upstream);
      if (hasFallen && upstream.standing === 'verified') this.#parts.onFallConfirmed(upstream);
    } else {
      this.#retries.set(upstream, (this.#retries.get(upstream) ?? 0) + 1);
    }
    this.#plan(upstream);
    if (this.#expected === undefined) this.reports.notify();
  }

  #plan(upstream: Upstream): void {
    const retries = this.#retries.get(upstream) ?? (upstream.identity === undefined ? 1 : 0);
    const isExcluded = upstream.standing === 'quarantined' || upstream.standing === 'disputed';
    const recheckMs = isExcluded ? RECHECK_EXCLUDED_MS : RECHECK_MS;
    const delay = retries === 0 ? recheckMs : Math.min(FIRST_RETRY_MS * 2 ** (retries - 1), MAX_RETRY_MS);
    this.#checkIn(upstream, this.#fallen.has(upstream) ? Math.min(delay, FALLEN_MS) : delay);
  }

  /** Schedules the next identity check of a node, and cancels the one that was scheduled before. */
  #checkIn(upstream: Upstream, delayMs: number): void {
    clearTimeout(this.#timers.get(upstream));
    if (this.#isClosed) return;
    const timer = setTimeout(() => void this.#check(upstream), delayMs);
    timer.unref();
    this.#timers.set(upstream, timer);
  }

  /** Requests the identity of a node. @returns whether the node reported its chain */
  async #identify(upstream: Upstream): Promise<boolean> {
    try {
      const deadline = performance.now() + IDENTITY_LIMIT_MS;
      const identity = await readIdentity(upstream.own, deadline, upstream.secrets);
      this.#apply(upstream, { kind: 'identified', identity });
      return true;
    } catch (error) {
      if (!(error instanceof UpstreamFault)) throw error;
      if (this.#isClosed) return false;
      this.#apply(upstream, { kind: 'notIdentified', fault: error });
      upstream.countFault(error.kind);
      this.#logFault(upstream, error);
      return false;
    }
  }

  /** Updates the standing of a node that has just been identified. */
  #admit(upstream: Upstream): void {
    const hasChanged = this.#decideGenesis();
    this.#classify(upstream);
    // A node that is unverified, because it was away, keeps its standing until it has been identified again.
    const others = this.#parts.upstreams.filter((other) => other !== upstream);
    if (hasChanged) for (const other of others) if (other.standing !== 'unverified') this.#rule(other);
    this.#logDispute();
  }

  /**
   * Determines the genesis block if the configuration does not. The first block that a majority of all operators reports is final. Until a majority
   * of all operators reports one block, the block that a majority of the answering operators reports is the provisional genesis block. Without a
   * majority of the answering operators, a network that has no head has no genesis block. A network that has a head keeps its provisional genesis
   * block.
   * @returns whether the genesis block has changed
   */
  #decideGenesis(): boolean {
    const { upstreams, hasHead } = this.#parts;
    if (this.#expected === undefined || this.#expected.genesisHash !== undefined) return false;
    const { chainId } = this.#expected;
    const before = this.#provisionalGenesis;
    const { identity, votes } = agreeOnChain(upstreams, { chainId }) ?? { votes: 0 };
    if (identity?.genesisHash !== undefined && votes > countOperators(upstreams) / 2) {
      this.#expected = identity;
      this.#provisionalGenesis = undefined;
      return true;
    }
    if (before === undefined || !hasHead())
      this.#provisionalGenesis = countGenesisClaims(upstreams, chainId).majority;
    return this.#provisionalGenesis !== before;
  }

  #classify(upstream: Upstream): void {
    const { identity } = upstream;
    if (identity === undefined || this.#expected === undefined) return;
    if (this.#parts.isDevelopment) this.#follow(upstream, identity, this.#expected);
    this.#rule(upstream, true);
  }

  /** Updates the standing of a node from its last identity. @param isIdentified whether the node has just been identified */
  #rule(upstream: Upstream, isIdentified = false): void {
    const { identity } = upstream;
    if (identity === undefined || this.#expected === undefined) return;
    const verdict: ChainComparison = this.#quarantines.isActive(upstream)
      ? { standing: 'quarantined' }
      : this.#compareChains(identity, this.#expected);
    this.#apply(upstream, { kind: 'classified', verdict, isIdentified });
  }

  #compareChains(identity: Identity, expected: ChainIdentity): ChainComparison {
    const mismatch = describeMismatch(identity, expected);
    if (mismatch !== undefined)
      return { standing: 'quarantined', mismatch: `${mismatch}${this.#advise(identity)}` };
    const dispute = this.#describeDispute(identity);
    return dispute === undefined ? { standing: 'verified' } : { standing: 'disputed', mismatch: dispute };
  }

  /** Returns a hint to the operator if the mismatched node is the only node of the network. */
  #advise({ chainId }: Identity): string {
    const { upstreams, configured } = this.#parts;
    if (upstreams.length > 1) return '';
    if (chainId !== this.#expected?.chainId)
      return configured.chainId === undefined ? '; restart the service' : '; correct its URL or pool.chainId';
    const remedy = configured.genesisHash === undefined ? 'restart the service' : 'correct pool.genesisHash';
    return `; ${remedy}, or set pool.development: true for a development node`;
  }

  /**
   * Returns why a node is not in service while the genesis block is undecided; undefined if the node is in service. The text is the predicate of a
   * sentence about the node.
   */
  #describeDispute({ genesisHash }: Identity): string | undefined {
    const provisional = this.#provisionalGenesis;
    if (this.#expected === undefined || this.#expected.genesisHash !== undefined) return undefined;
    if (genesisHash === undefined || genesisHash === provisional) return undefined;
    if (provisional !== undefined)
      return `has genesis block ${genesisHash}, the nodes in service have ${provisional}; set pool.genesisHash`;
    const { hashes } = countGenesisClaims(this.#parts.upstreams, this.#expected.chainId);
    return `has ${describeSplit(hashes)}; set pool.genesisHash`;
  }

  /** Logs a disagreement about the genesis block in one line, once, for all nodes. */
  #logDispute(): void {
    const { upstreams, network, log } = this.#parts;
    const disputed = upstreams.filter(({ standing }) => standing === 'disputed');
    const reasons = new Set(disputed.map(({ record: { mismatch } }) => `it ${mismatch}`));
    const reason = [...reasons].slice(0, MAX_NAMED).join(', ');
    if (reason === this.#loggedDispute) return;
    this.#loggedDispute = reason;
    if (reason === '') return;
    const names = disputed.map(({ name }) => name);
    log.error({ network, upstreams: names, reason }, 'upstreams do not agree on a genesis block');
  }

  /** Adopts the new genesis block of a restarted development node. */
  #follow({ name }: Upstream, { chainId, genesisHash }: Identity, expected: ChainIdentity): void {
    if (chainId !== expected.chainId || genesisHash === undefined || genesisHash === expected.genesisHash)
      return;
    this.#expected = { chainId, genesisHash };
    if (expected.genesisHash === undefined) return;
    const fields = {
      network: this.#parts.network,
      upstream: name,
      from: expected.genesisHash,
      to: genesisHash,
    };
    this.#parts.log.warn(
      fields,
      'the chain was replaced: the node has another genesis block, caches are emptied',
    );
    this.#parts.onReplaced();
  }

  /** Applies an event to the record of a node, and executes its effects. */
  #apply(upstream: Upstream, event: NodeEvent): void {
    const effects = upstream.apply(event);
    if (effects.includes('standingChanged')) this.#logStanding(upstream);
    if (effects.includes('standingChanged') || effects.includes('mismatchEnded')) this.#parts.onChange();
  }

  #logStanding({ name, record }: Upstream): void {
    const { standing, identity, evidence, mismatch } = record;
    const fields = {
      network: this.#parts.network,
      upstream: name,
      client: identity?.clientVersion,
      chainId: identity?.chainId.toString(),
      genesis: identity?.genesisHash,
    };
    if (standing === 'quarantined' && evidence === undefined) {
      this.#parts.log.error({ ...fields, mismatch }, 'upstream is of another chain: it gets no requests');
    } else if (standing === 'verified') {
      this.#parts.log.info(fields, 'upstream is in service');
    }
  }

  #logFault({ name }: Upstream, { kind, message }: UpstreamFault): void {
    const fields = { network: this.#parts.network, upstream: name, fault: kind, reason: message };
    this.#parts.log.debug(fields, 'upstream was not identified');
  }
}
