import type { JsonResult } from '../../packages/ethereum/primitives/json-result.ts';
import { UpstreamFault } from './fault.ts';
import type { RequestContext } from './upstream-request.ts';

/** Contexts of requests that are sent to one node as a group, by position; undefined at positions that do not belong to the group. */
export type RequestGroup<E extends RequestContext = RequestContext> = readonly (E | undefined)[];

/** Gets the outcome of each request of a group once, synchronously or later: a result, or the error that a `Handler` would reject with. */
export type ReceiveOutcome = (position: number, outcome: JsonResult | Error) => void;

/** Answers the requests of a group. A group handler never throws, and does not change the group. */
export type GroupHandler<E extends RequestContext = RequestContext> = (
  group: RequestGroup<E>,
  receive: ReceiveOutcome,
) => void;

/** Outcome of a request that leaves its group. Means that the caller must send the request alone, through the same policies. */
export const ALONE: UpstreamFault = new UpstreamFault('unreachable', 'the request must be sent alone');

/** Makes all requests leave their group. */
export function leaveGroup(group: RequestGroup, receive: ReceiveOutcome): void {
  for (let position = 0; position < group.length; position++)
    if (group[position] !== undefined) receive(position, ALONE);
}

/** Returns the first request of a group. */
export function findFirst<E extends RequestContext>(group: RequestGroup<E>): E | undefined {
  return group.find((context) => context !== undefined);
}
