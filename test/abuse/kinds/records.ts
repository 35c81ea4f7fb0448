/** Requests for more records on a key that already has its maximum. */
import type { Abuse } from '../abuse.ts';
import { type BodyAbuse, bodyAbuse, DEVNET, encodeCall } from './body-abuse.ts';

const family = 'records';
const filter = (addresses: number): Uint8Array =>
  encodeCall('eth_newFilter', [
    { address: Array.from({ length: addresses }, (_, i) => `0x${String(i).padStart(40, '0')}`) },
  ]);

/** @param count filters that leave no room for further ones */
function fillThenAsk(count: number, large: Uint8Array, small: Uint8Array): () => Uint8Array {
  let made = 0;
  return () => (made++ < count ? large : small);
}

const ROWS: readonly Omit<BodyAbuse, 'family'>[] = [
  {
    name: 'filters beyond the bytes of a key',
    makeBody: () => fillThenAsk(220, filter(900), filter(20)),
  },
  {
    name: 'filters beyond the number of a key',
    makeBody: () => fillThenAsk(1_000, filter(1), filter(1)),
  },
];

export const RECORDS_ABUSES: readonly Abuse[] = ROWS.map((row) =>
  bodyAbuse({ host: DEVNET, charge: 'calls', ...row, family }),
);
