/** Networks with one node each that is hostile where a call requests it, each in its own way. */
import type { Call } from '../../support/faults/fault.ts';
import { CONTENTS, type Content } from '../../support/hostile/contents.ts';
import { DELIVERIES, type HostileDelivery, type NodeTransport } from '../../support/hostile/deliveries.ts';

export type HostileNetwork = {
  /** Network name, also the first part of its host name. */
  readonly name: string;
  /** Description of the node in the name of an abuse. */
  readonly sends: string;
  readonly content: Content;
  readonly delivery: HostileDelivery;
  readonly bytes: number;
  readonly transport: NodeTransport;
};

/** Prefix of a call's data that makes the node hostile. */
export const HOSTILE_DATA = '0x4057';
/** Chain id of the node. */
export const NODE_CHAIN_ID = 99;
const MB = 1_000_000;

function hostile(
  transport: NodeTransport,
  contentName: string,
  deliveryName: string,
  megabytes: number,
): Omit<HostileNetwork, 'name'> {
  const content = CONTENTS.find(({ name }) => name === contentName);
  const delivery = DELIVERIES.find(({ name }) => name === deliveryName);
  if (content === undefined || delivery === undefined)
    throw new Error(`there is no "${contentName}" or no "${deliveryName}"`);
  const what = delivery.hasOwnContent === true ? deliveryName : `${contentName}, ${deliveryName}`;
  const sends = transport === 'HTTP' ? what : `${what}, WebSocket`;
  return { sends, content, delivery, bytes: megabytes * MB, transport };
}

/** Each network has its own node, since a node that was hostile is out of use for a while. */
export const HOSTILE_NETWORKS: readonly HostileNetwork[] = [
  hostile('HTTP', 'many elements', 'as a whole', 120),
  hostile('HTTP', 'many members', 'gzip', 32),
  hostile('HTTP', 'one long string', 'in pieces of a byte', 2),
  hostile('HTTP', 'deep arrays', 'without end', 2),
  hostile('WebSocket', 'many elements', 'as a whole', 120),
  hostile('WebSocket', 'many elements', 'answers to unknown ids', 2),
  hostile('WebSocket', 'many elements', 'random heads', 2),
  hostile('WebSocket', 'many elements', 'pings', 2),
].map((network, index) => ({ name: `hostile${index}`, ...network }));

/** Whether the node of such a network is hostile to this call. */
export function asksForHostility({ method, params }: Call): boolean {
  const { data } = Object(params[0]) as { readonly data?: unknown };
  return method === 'eth_call' && typeof data === 'string' && data.startsWith(HOSTILE_DATA);
}
