/** Values of JSON-RPC in the form that a reader of text expects: decimal numbers, and ether and gwei beside wei. */
import * as Value from 'ox/Value';

/** Returns a quantity as a decimal text; null where there is none. */
export function toDecimal(quantity: unknown): string | null {
  return typeof quantity === 'string' ? BigInt(quantity).toString() : null;
}

/** Returns a quantity as a number, for values that are far below 2^53: indices, block numbers, gas; null where there is none. */
export function toNumber(quantity: unknown): number | null {
  return typeof quantity === 'string' ? Number(BigInt(quantity)) : null;
}

/** Returns an amount in wei and in ether. */
export function describeWei(wei: bigint): { readonly wei: string; readonly ether: string } {
  return { wei: wei.toString(), ether: Value.formatEther(wei) };
}

/** Returns a price of gas in gwei; null where there is none. */
export function toGwei(price: unknown): string | null {
  return typeof price === 'string' ? Value.formatGwei(BigInt(price)) : null;
}

/** Returns an amount of a token in whole tokens. */
export function formatTokens(amount: bigint, decimals: number): string {
  return Value.format(amount, decimals);
}
