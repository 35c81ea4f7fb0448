/** The matrix: requests, kinds of answers, numbers of nodes in a network, and transports. */
import { CONTENTS } from '../support/hostile/contents.ts';
import {
  CONTROL,
  DELIVERIES,
  type HostileDelivery,
  type NodeTransport,
} from '../support/hostile/deliveries.ts';
import type { Constraint, Factors } from './covering-array.ts';
import { QUESTIONS } from './questions.ts';

/** A case by names, so that it can be sent to another process. */
export type HostileCase = {
  readonly request: string;
  readonly content: string;
  readonly delivery: string;
  readonly bytes: number;
  readonly topology: 'one of one' | 'one of three';
  readonly transport: NodeTransport;
};

const MB = 1_000_000;
/** The smallest far exceeds a header or a quantity; the largest is just below `answerBytes`. */
const SIZES = [2 * MB, 32 * MB, 120 * MB] as const;
/** Unrequested data arrives beside the answer, so the request matters little: one of each kind. */
const FLOODED: ReadonlySet<string> = new Set([
  'service: latest head',
  'service: eth_chainId',
  'service: eth_subscribe',
  'eth_call',
  'eth_getLogs',
]);

export const FACTORS: Factors<HostileCase> = {
  request: QUESTIONS.map(({ name }) => name),
  content: CONTENTS.map(({ name }) => name),
  delivery: DELIVERIES.map(({ name }) => name),
  bytes: SIZES,
  topology: ['one of one', 'one of three'],
  transport: ['HTTP', 'WebSocket'],
};

export const isPossible: Constraint<HostileCase> = ({ request, content, delivery, bytes, transport }) => {
  const transports = QUESTIONS.find(({ name }) => name === request)?.transports;
  if (transport !== undefined && transports?.includes(transport) === false) return false;
  if (delivery === undefined) return true;
  const found = findDelivery(delivery);
  if (transport !== undefined && !found.transports.includes(transport)) return false;
  // A delivery that works only over WebSocket is impossible for a request that goes only over HTTP.
  if (transports !== undefined && !found.transports.some((one) => transports.includes(one))) return false;
  if (found.isFlood === true && request !== undefined && !FLOODED.has(request)) return false;
  if (found.hasOwnContent === true && content !== undefined && content !== FACTORS.content[0]) return false;
  const needsSmall = found.hasOwnSize === true || found.isDear === true;
  return !needsSmall || bytes === undefined || bytes === SIZES[0];
};

/** @throws Error when no delivery has this name */
export function findDelivery(name: string): HostileDelivery {
  const delivery = [CONTROL, ...DELIVERIES].find((one) => one.name === name);
  if (delivery === undefined) throw new Error(`there is no delivery "${name}"`);
  return delivery;
}

export function nameCase({ request, content, delivery, bytes, topology, transport }: HostileCase): string {
  const { hasOwnContent, hasOwnSize } = findDelivery(delivery);
  const what = [
    ...(hasOwnContent === true ? [] : [content]),
    ...(hasOwnSize === true ? [] : [`${bytes / MB} MB`]),
    delivery,
  ];
  return [request, ...what, topology, transport].join(' | ');
}
