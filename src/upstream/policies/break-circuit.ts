import { ChainError } from '../../chain/errors.ts';
import { type FaultKind, UnknownExecutionError, UpstreamFault } from '../fault.ts';
import type { Directed, Policy } from '../routed-call.ts';
import type { Upstream } from '../upstream.ts';
import { watchStream } from '../watch-stream.ts';
import { OVERTAKEN } from './overtaken.ts';

/** Faults that say that something is wrong with the node, not with the question or the moment. */
const COUNTED: ReadonlySet<FaultKind> = new Set<FaultKind>([
  'unreachable',
  'timeout',
  'malformed',
  'httpStatus',
  'unauthorized',
  'wrong',
]);

export type CircuitEvents = {
  /** An upstream has failed so often that it is asked last until it has rested. */
  onOpen(upstream: Upstream, fault: UpstreamFault): void;
  onFault(upstream: Upstream, fault: UpstreamFault, method: string): void;
};

/** Keeps the record of the asked upstream: how fast it answers, how often it fails. */
export function breakCircuit(events: CircuitEvents): Policy<Directed> {
  const count = (upstream: Upstream, fault: UpstreamFault, method: string): void => {
    upstream.countFault(fault.kind);
    events.onFault(upstream, fault, method);
  };
  const note = (exchange: Directed, fault: UpstreamFault, started: number): void => {
    const { upstream } = exchange;
    count(upstream, fault, exchange.call.method);
    const isCounted = COUNTED.has(fault.kind) && !isCallersLimit(fault, exchange.scope.deadline);
    if (isCounted && upstream.health.fail(performance.now() - started)) events.onOpen(upstream, fault);
  };
  return (next) => (exchange) => {
    const { upstream, route } = exchange;
    const { health } = upstream;
    const started = performance.now();
    health.inFlight++;
    return next(exchange).then(
      (result) => {
        health.inFlight--;
        const ms = performance.now() - started;
        health.succeed(ms);
        upstream.seconds.record(ms / 1_000);
        // A result contradicts the nodes that claimed a failed execution.
        for (const { upstream: other, error } of route.takeClaims())
          count(other, error, exchange.call.method);
        if (typeof result === 'string') return result;
        return watchStream(result, (fault) => note(exchange, fault, started));
      },
      (error: unknown) => {
        health.inFlight--;
        if (!isGivenUp(error)) upstream.seconds.record((performance.now() - started) / 1_000);
        if (error instanceof ChainError) health.succeed(performance.now() - started);
        if (exchange.scope.signal.reason === OVERTAKEN) health.lag(performance.now() - started);
        if (isNoted(error)) note(exchange, error, started);
        throw error;
      },
    );
  };
}

/** A claimed failure of execution is noted only once another node contradicts it. */
function isNoted(error: unknown): error is UpstreamFault {
  return (
    error instanceof UpstreamFault && error.kind !== 'aborted' && !(error instanceof UnknownExecutionError)
  );
}

function isGivenUp(error: unknown): boolean {
  return error instanceof UpstreamFault && error.kind === 'aborted';
}

/** A caller with little time left says nothing about the node. */
function isCallersLimit({ kind }: UpstreamFault, deadline: number): boolean {
  return kind === 'timeout' && performance.now() >= deadline;
}
