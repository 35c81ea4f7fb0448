import { setTimeout as wait } from 'node:timers/promises';
import { countOf } from '../util/count-of.ts';
import type { NetworkHead } from './heads/network-head.ts';
import type { Cordon } from './node-record.ts';
import type { Upstream } from './upstream.ts';

/** Maximum wait until another node has the served head, ms. Healthy nodes have it within one poll. */
const HEAD_LIMIT_MS = 5_000;
const HEAD_CHECK_MS = 10;

export type NodeCordonsParts = {
  readonly upstreams: readonly Upstream[];
  readonly head: Pick<NetworkHead, 'head'>;
  /** Number of operators that must return the same answer; undefined if agreement is not mandatory. */
  readonly neededOperators?: number | undefined;
  /** Names of the nodes that get transactions; undefined for all nodes, and if a relay gets them. */
  readonly sendsTo?: readonly string[] | undefined;
  /** Replaces the maximum wait until another node has the served head, ms. */
  readonly headLimitMs?: number;
  /** Called when a cordon has changed; the head must then be elected again. */
  readonly onChange: () => void;
};

/** Whether a node is cordoned, and how many requests of clients it has not answered completely. */
export type NodeUse = { readonly node: string; readonly isCordoned: boolean; readonly inFlight: number };

/** Takes nodes of a network out of service for maintenance, and back into service. Nodes with the same name count as one node. */
export class NodeCordons {
  readonly #parts: NodeCordonsParts;
  /** Number of changes so far, by node. */
  readonly #changes = new Map<string, number>();

  constructor(parts: NodeCordonsParts) {
    this.#parts = parts;
  }

  has(name: string): boolean {
    return this.#parts.upstreams.some((upstream) => upstream.name === name);
  }

  /** Lists the nodes in the order of the configuration. */
  list(): NodeUse[] {
    return this.#parts.upstreams.map(({ name, isCordoned, health }) => ({
      node: name,
      isCordoned,
      inFlight: health.inFlight + health.streams,
    }));
  }

  /**
   * Cordons a node: it gets no new calls, and its calls in flight end normally. First the node stops to count for the head; it still gets calls until
   * another node has the served head, so that calls at the head find a node at any time.
   * @param isForced whether the node is cordoned even if the other nodes cannot answer for it
   * A later change of the same node wins over a cordon that still waits.
   * @returns why the node cannot be cordoned; undefined if it is cordoned
   */
  async cordon(name: string, isForced: boolean): Promise<string | undefined> {
    if (this.list().some(({ node, isCordoned }) => node === name && isCordoned)) return undefined;
    const hindrance = isForced ? undefined : this.#findHindrance(name);
    if (hindrance !== undefined) return hindrance;
    if (!isForced) {
      this.#set(name, 'leaving');
      const change = this.#changes.get(name);
      const hasHead = await this.#waitForHead(name);
      // The later change may be acknowledged already, so it must not be undone.
      if (this.#changes.get(name) !== change) return 'another change of the node came in between';
      if (!hasHead) {
        this.#set(name, 'none');
        return 'no other node has the head of the network';
      }
    }
    this.#set(name, 'cordoned');
    return undefined;
  }

  /** Cordons a node at once, because it was cordoned before the network was opened. */
  cordonNow(name: string): void {
    this.#set(name, 'cordoned');
  }

  uncordon(name: string): void {
    this.#set(name, 'none');
  }

  /** Returns why the other nodes cannot answer in the place of a node; undefined if they can. */
  #findHindrance(name: string): string | undefined {
    const { neededOperators, sendsTo } = this.#parts;
    const others = this.#listOthers(name);
    if (others.length === 0) return 'no other node of the network can answer';
    const operators = new Set(others.map(({ operator }) => operator)).size;
    if (neededOperators !== undefined && operators < neededOperators)
      return `the other nodes that can answer have ${countOf(operators, 'operator')}, and agreement needs ${neededOperators}`;
    if (sendsTo?.includes(name) === true && !others.some((other) => sendsTo.includes(other.name)))
      return 'no other node of send.to can take transactions';
    return undefined;
  }

  /** Lists the other nodes that are in service and can answer. */
  #listOthers(name: string): Upstream[] {
    return this.#parts.upstreams.filter(
      ({ name: other, record, isUp, isOutOfUse, isBehind, isOnFork, health }) =>
        other !== name &&
        record.cordon === 'none' &&
        isUp &&
        !isOutOfUse &&
        !isBehind &&
        !isOnFork &&
        health.circuit !== 'open' &&
        !health.isPaused,
    );
  }

  async #waitForHead(name: string): Promise<boolean> {
    const until = performance.now() + (this.#parts.headLimitMs ?? HEAD_LIMIT_MS);
    for (;;) {
      const { head } = this.#parts.head;
      if (head === undefined) return true;
      if (this.#listOthers(name).some(({ tracker }) => tracker.holds(head.number, head.hash))) return true;
      if (performance.now() > until) return false;
      await wait(HEAD_CHECK_MS);
    }
  }

  #set(name: string, cordon: Cordon): void {
    this.#changes.set(name, (this.#changes.get(name) ?? 0) + 1);
    for (const upstream of this.#parts.upstreams)
      if (upstream.name === name) upstream.apply({ kind: 'cordonChanged', cordon });
    this.#parts.onChange();
  }
}
