import { isComplete } from '../../../packages/ethereum/primitives/json-result.ts';
import { ChainError } from '../../chain/errors.ts';
import { type FaultKind, PassedFault, UnknownExecutionError, UpstreamFault } from '../fault.ts';
import { createPolicy, type Policy } from '../policy-stack.ts';
import type { Upstream } from '../upstream.ts';
import type { Directed } from '../upstream-request.ts';
import { watchStream } from '../watch-stream.ts';
import { OVERTAKEN } from './overtaken.ts';

/** Faults that count for the circuit breaker, because they indicate a problem of the node and not of the request. */
const COUNTED: ReadonlySet<FaultKind> = new Set<FaultKind>([
  'unreachable',
  'timeout',
  'malformed',
  'excessive',
  'httpStatus',
  'unauthorized',
  'wrong',
]);

export type CircuitEvents = {
  /** Called when the circuit of an upstream has opened after repeated failures. Until the backoff of the circuit ends, the upstream is tried last. */
  onOpen(upstream: Upstream, fault: UpstreamFault): void;
  onFault(upstream: Upstream, fault: UpstreamFault, method: string): void;
  /**
   * Called when an upstream that had not answered for a while has answered again. @param method set if the upstream was silent only on this method
   */
  onHeard(upstream: Upstream, method?: string): void;
};

/** Faults that do not show that the node has responded. */
const UNHEARD: ReadonlySet<FaultKind> = new Set<FaultKind>(['unreachable', 'timeout', 'aborted']);

/** Records latency and failures of the upstream that a request was sent to, and opens its circuit after repeated failures. */
export function breakCircuit(events: CircuitEvents): Policy<Directed> {
  const count = (upstream: Upstream, fault: UpstreamFault, method: string): void => {
    upstream.countFault(fault.kind);
    if (fault.kind === 'excessive') upstream.onExcessive(fault);
    events.onFault(upstream, fault, method);
  };
  const note = ({ call, scope, upstream }: Directed, fault: UpstreamFault, requestedAt: number): void => {
    if (upstream.isClosed) return;
    count(upstream, fault, call.method);
    const isCounted = COUNTED.has(fault.kind) && !isCallersLimit(fault, scope.deadline);
    if (isCounted && upstream.health.fail(performance.now() - requestedAt, fault))
      events.onOpen(upstream, fault);
  };
  const noteHeard = ({ call, upstream }: Directed): void => {
    if (upstream.methodSilences.end(call.method)) events.onHeard(upstream, call.method);
  };
  return createPolicy({
    begin(context) {
      context.upstream.health.inFlight++;
      return context;
    },
    onResult(context, result) {
      const { call, upstream, route, requestedAt } = context;
      const { health } = upstream;
      health.inFlight--;
      const ms = performance.now() - requestedAt;
      if (health.succeed(ms)) events.onHeard(upstream);
      noteHeard(context);
      upstream.seconds.record(ms / 1_000);
      // Another node has a result, so each node that reported a failed execution was wrong, and its error counts as a fault.
      for (const { upstream: other, error } of route.takeClaims(call)) count(other, error, call.method);
      if (isComplete(result)) return result;
      health.streams++;
      return watchStream(
        result,
        (fault) => note(context, fault, requestedAt),
        () => {
          health.streams--;
        },
      );
    },
    onError(context, error) {
      const { call, scope, upstream, requestedAt } = context;
      const { health, methodSilences } = upstream;
      const ms = performance.now() - requestedAt;
      health.inFlight--;
      if (!isAbandoned(error)) upstream.seconds.record(ms / 1_000);
      if ((error instanceof ChainError || error instanceof PassedFault) && health.succeed(ms))
        events.onHeard(upstream);
      if (scope.signal.reason === OVERTAKEN) {
        health.lag(ms);
        methodSilences.noteOvertaken(call.method);
      }
      if (isHeard(error) && health.silence.end()) events.onHeard(upstream);
      if (error instanceof ChainError || isHeard(error)) noteHeard(context);
      if (isNoted(error)) note(context, error, requestedAt);
      return error;
    },
  });
}

/**
 * Whether a failure counts against the node. An unrecognized execution error does not count here; it counts when another node has a result. An error
 * of a passed-through method never counts.
 */
function isNoted(error: unknown): error is UpstreamFault {
  return (
    error instanceof UpstreamFault &&
    error.kind !== 'aborted' &&
    !(error instanceof UnknownExecutionError) &&
    !(error instanceof PassedFault)
  );
}

function isHeard(error: unknown): boolean {
  return error instanceof UpstreamFault && !UNHEARD.has(error.kind);
}

function isAbandoned(error: unknown): boolean {
  return error instanceof UpstreamFault && error.kind === 'aborted';
}

/** Whether a timeout was caused by the caller's deadline; such a timeout carries no information about the node. */
function isCallersLimit({ kind }: UpstreamFault, deadline: number): boolean {
  return kind === 'timeout' && performance.now() >= deadline;
}
