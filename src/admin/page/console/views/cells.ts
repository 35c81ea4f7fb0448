import { formatDate, NOTHING, shortenMiddle } from '../../format.ts';
import type { Cell } from '../../table.ts';
import { formatUnits } from '../describe-value.ts';

/** Formats a hash, an address or data as the content of a table cell. */
export function formatHexCell(hex: unknown): Cell {
  return typeof hex === 'string' ? { text: shortenMiddle(hex, 6, 4), title: hex } : { text: NOTHING };
}

/** Reads a quantity in hex notation; undefined for other values. */
export function readHexNumber(value: unknown): bigint | undefined {
  return typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value) ? BigInt(value) : undefined;
}

/** Formats a quantity in decimal notation. */
export function formatQuantityCell(value: unknown): string {
  return readHexNumber(value)?.toLocaleString('en') ?? NOTHING;
}

/** Formats an amount of wei in a larger unit. */
export function formatWei(value: unknown, unit: 'ether' | 'gwei'): string {
  const wei = readHexNumber(value);
  return wei === undefined ? NOTHING : `${formatUnits(wei, unit === 'ether' ? 18 : 9)} ${unit}`;
}

/** Formats an amount of wei in the unit that needs the fewest digits. */
export function formatAmount(value: unknown): string {
  const wei = readHexNumber(value);
  if (wei === undefined) return NOTHING;
  if (wei === 0n || wei >= 10n ** 15n) return formatWei(value, 'ether');
  return wei >= 10n ** 6n ? formatWei(value, 'gwei') : `${wei.toLocaleString('en')} wei`;
}

/** Formats the time of a block. */
export function formatBlockTime(timestamp: unknown): string {
  const seconds = readHexNumber(timestamp);
  return seconds === undefined ? '' : formatDate(Number(seconds) * 1_000);
}

/** Sums quantities; values that are no quantities count as 0. */
export function sumQuantities(values: readonly unknown[]): bigint {
  return values.reduce<bigint>((total, value) => total + (readHexNumber(value) ?? 0n), 0n);
}
