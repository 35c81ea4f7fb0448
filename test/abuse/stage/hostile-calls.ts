/** Calls at which a node of the stage answers in a hostile way: their data names content, delivery and size. */
import type { Call } from '../../support/faults/fault.ts';
import { CONTENTS, type Content } from '../../support/hostile/contents.ts';
import { DELIVERIES, type HostileDelivery } from '../../support/hostile/deliveries.ts';

const PREFIX = '0x4057';
const MB = 1_000_000;

export type HostileAnswer = {
  readonly content: Content;
  readonly delivery: HostileDelivery;
  readonly bytes: number;
};

/** @param unique so that no answer of before is used again @throws Error where a name is unknown */
export function encodeHostileData(
  content: string,
  delivery: string,
  megabytes: number,
  unique: number,
): string {
  const indexes = [
    CONTENTS.findIndex(({ name }) => name === content),
    DELIVERIES.findIndex(({ name }) => name === delivery),
  ];
  if (indexes.includes(-1)) throw new Error(`there is no "${content}" or no "${delivery}"`);
  const bytes = [...indexes, megabytes].map((value) => value.toString(16).padStart(2, '0'));
  return `${PREFIX}${bytes.join('')}${unique.toString(16).padStart(8, '0')}`;
}

/** What a call asks for; undefined where it is an honest one. */
export function decodeHostileCall({ method, params }: Call): HostileAnswer | undefined {
  const { data } = Object(params[0]) as { readonly data?: unknown };
  if (method !== 'eth_call' || typeof data !== 'string' || !data.startsWith(PREFIX)) return undefined;
  const [content = 0, delivery = 0, megabytes = 0] = [0, 2, 4].map((at) =>
    Number.parseInt(data.slice(PREFIX.length + at, PREFIX.length + at + 2), 16),
  );
  const found = { content: CONTENTS[content], delivery: DELIVERIES[delivery], bytes: megabytes * MB };
  return found.content && found.delivery ? (found as HostileAnswer) : undefined;
}
