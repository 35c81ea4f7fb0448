import { isComplete, type JsonResult } from '../../../packages/ethereum/primitives/json-result.ts';
import { ChainError } from '../../chain/errors.ts';
import { type Expiring, ExpirySweep } from '../../util/expiry-sweep.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { UpstreamFault } from '../fault.ts';
import {
  ALONE,
  findFirst,
  type GroupHandler,
  leaveGroup,
  type ReceiveOutcome,
  type RequestGroup,
} from '../group.ts';
import type { Upstream } from '../upstream.ts';
import {
  type Directed,
  type RoutedRequest,
  setUpstreamOfAll,
  type UpstreamRequest,
} from '../upstream-request.ts';
import { OVERTAKEN } from './overtaken.ts';
import { isResponsive } from './rank-nodes.ts';

/** Granularity of the timer, ms; the group is sent to the next node at most this much later than due. */
const SWEEP_MS = 20;

/** Timer that all group races share. */
const RACES = new ExpirySweep<GroupRace>(SWEEP_MS);

/**
 * Sends a group to the first node of its route. Each node gets an equal share of the remaining time. When the share of a node ends, the unanswered
 * requests are also sent to the next node, as a group. The first answer to each request is used. A request without a usable answer leaves the group.
 */
export function hedgeGroups(next: GroupHandler<Directed>): GroupHandler<RoutedRequest> {
  return (group, receive) => new GroupRace(group, next, receive).begin();
}

/** State of one group that was sent to one or more nodes. `expire` runs when the group must be sent to the next node. */
class GroupRace implements Expiring {
  expiresAt = Number.POSITIVE_INFINITY;
  sweepIndex = -1;
  readonly #group: RequestGroup<RoutedRequest>;
  readonly #next: GroupHandler<Directed>;
  readonly #receive: ReceiveOutcome;
  /** One scope per node that the group is sent to. */
  readonly #scopes: RequestScope[] = [];
  /** By position: number of nodes that got the request and have not answered. */
  readonly #running: Uint8Array;
  readonly #isOver: Uint8Array;
  /** Scope of the callers. */
  readonly #outer: RequestScope;
  /** Requests without a final outcome. */
  #left = 0;
  #silentMs = 0;

  constructor(group: RequestGroup<RoutedRequest>, next: GroupHandler<Directed>, receive: ReceiveOutcome) {
    this.#group = group;
    this.#outer = (findFirst(group) as RoutedRequest).scope;
    this.#next = next;
    this.#receive = receive;
    this.#running = new Uint8Array(group.length);
    this.#isOver = new Uint8Array(group.length);
  }

  begin(): void {
    const first = findFirst(this.#group) as RoutedRequest;
    const { route, scope, call } = first;
    const node = route.takeAny();
    if (node === undefined || !isWell(node, call)) {
      leaveGroup(this.#group, this.#receive);
      return;
    }
    for (let at = 0; at < this.#group.length; at++) {
      if (this.#group[at] === undefined) this.#isOver[at] = 1;
      else this.#left++;
    }
    const now = performance.now();
    this.#silentMs = (scope.deadline - now) / (route.leftInAll + 2);
    this.expiresAt = now + this.#silentMs;
    if (route.leftInAll > 0) RACES.add(this);
    // The contexts are not copied for the first node, because few groups need a second node.
    this.#sendTo(node, (inner) => setUpstreamOfAll(this.#group, inner, node));
  }

  expire(): void {
    const { route, call } = findFirst(this.#group) as RoutedRequest;
    const node = route.takeAny();
    this.expiresAt = performance.now() + this.#silentMs;
    if (route.leftInAll === 0) RACES.delete(this);
    if (node !== undefined && isWell(node, call)) this.#sendTo(node, (scope) => this.#copyOpen(scope, node));
  }

  /** Copies the contexts without a final outcome for another node. */
  #copyOpen(scope: RequestScope, upstream: Upstream): RequestGroup<Directed> {
    const requestedAt = performance.now();
    return this.#group.map((context, position) => {
      if (context === undefined || this.#isOver[position] === 1) return undefined;
      const { call, except, prefer, witness, lacking, route } = context;
      return { call, scope, except, prefer, witness, lacking, route, upstream, requestedAt };
    });
  }

  /** @param direct creates the contexts for the node, with the scope of its requests */
  #sendTo(upstream: Upstream, direct: (scope: RequestScope) => RequestGroup<Directed>): void {
    const scope = this.#outer.derive();
    this.#scopes.push(scope);
    const sent = direct(scope);
    for (let at = 0; at < sent.length; at++)
      if (sent[at] !== undefined) this.#running[at] = (this.#running[at] as number) + 1;
    this.#next(sent, (position, outcome) => this.#hear(position, upstream, outcome));
  }

  #hear(position: number, node: Upstream, outcome: JsonResult | Error): void {
    this.#running[position] = (this.#running[position] as number) - 1;
    // A streamed result is too long to be buffered in a group, so the request leaves the group. The caller sends the request again and passes the
    // stream on.
    if (!(outcome instanceof Error) && !isComplete(outcome)) outcome.cancel();
    if (this.#isOver[position] === 1) return;
    const { call, witness } = this.#group[position] as RoutedRequest;
    const isFinal =
      isAnswer(outcome, call) || (outcome instanceof Error && !(outcome instanceof UpstreamFault));
    // After a failure, another node may still answer.
    if (!isFinal && this.#running[position] !== 0) return;
    this.#isOver[position] = 1;
    if (isFinal && witness !== undefined) witness.upstream = node;
    if (--this.#left === 0) this.#end();
    this.#receive(position, isFinal ? outcome : ALONE);
  }

  #end(): void {
    RACES.delete(this);
    for (const scope of this.#scopes) {
      scope.release();
      scope.abort(OVERTAKEN);
    }
  }
}

function isWell(node: Upstream, { method }: UpstreamRequest): boolean {
  return node.health.circuit === 'closed' && isResponsive(node, method);
}

function isAnswer(outcome: JsonResult | Error, { nulls }: UpstreamRequest): boolean {
  if (outcome instanceof ChainError) return true;
  return typeof outcome === 'string' && (outcome !== 'null' || nulls === 'truth');
}
